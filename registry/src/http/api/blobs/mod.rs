//! Bytes of files, ahead of the skills that bundle them.

pub(in crate::http) mod put;
