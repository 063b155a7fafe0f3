//! The scanner: the hostile corpus on every way in, false alarms on the ordinary ones, and what operators add.

mod alarms;
mod answers;
mod corpus;
mod hostile;
mod operators;
mod program;
mod reviewed;
mod stored;
