//! The example world, the quickstart and the program.

mod program;
mod quickstart;
mod tutorials;
mod world;
