//! PostgreSQL for tests: private clusters from the installed binaries, a standby, databases for tests, and a line that fails.
//!
//! A cluster belongs to the test's process. It ends with it, however that ends: a supervisor outside the process waits for that.

mod account;
mod binaries;
mod cluster;
mod database;
mod postmaster;
mod proxy;
mod psql;
mod standby;
mod supervisor;

pub(crate) use binaries::Binaries;
pub(crate) use cluster::{Cluster, Durability};
pub(crate) use database::{APPLICATION, OWNER, Template, TestDatabase};
pub(crate) use postmaster::lives;
pub(crate) use proxy::{Direction, Proxy};
pub(crate) use standby::{Commit, standby_of};
