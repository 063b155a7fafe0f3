//! The tests live in `it/`; this library is empty, so that Cargo has a target to build them beside.
