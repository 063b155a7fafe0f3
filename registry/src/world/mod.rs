//! Worlds: users, tenants and skills as data, for the quickstart, for tests and for trying things out.

mod files;
mod load;

pub use files::{Agent, Hide, Member, Service, Skill, Tenant, User, World, WorldError};
pub use load::{LoadedWorld, load};
