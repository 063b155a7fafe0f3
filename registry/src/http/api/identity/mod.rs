//! Who calls: logging in, stepping up, minting, keys.

pub(in crate::http) mod elevate;
pub(in crate::http) mod keys;
pub(in crate::http) mod login;
pub(in crate::http) mod logout;
pub(in crate::http) mod me;
pub(in crate::http) mod refresh;
pub(in crate::http) mod stepdown;
pub(in crate::http) mod token;
