//! Laws that hold whatever happens: state machines and fuzzing.

mod machine;
