//! Several servers on one PostgreSQL: what one has acknowledged the others know, and what was acknowledged outlasts the end of
//! servers, of the database, and of the line between them (design §6, invariants 16, 18, 19, 20).
//!
//! Everything here runs where PostgreSQL is installed, whatever database the other tests are on, and says so where it is not.

mod beside;
mod bounded;
mod clocks;
mod failover;
mod faults;
mod fresh;
mod installation;
mod killed;
mod load;
mod schemas;
mod side_by_side;
mod started;
mod turns;
