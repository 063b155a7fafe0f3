//! The database schema of Vestry. One file per migration; migrations go forward only.
//!
//! Conventions of every table that holds a tenant's data: `tenant` comes first in every key and
//! index; the rows of the global scope carry the reserved tenant [`GLOBAL_TENANT`], never NULL;
//! times are microseconds since the Unix epoch; numbers count per tenant and skill.

use sea_orm_migration::prelude::*;

mod m20261129_000001_identity;
mod m20261129_000002_skills;
mod m20261129_000003_turns;
mod m20261129_000004_audit;
mod m20261129_000005_files;
mod m20261129_000006_audit_head;
mod m20261129_000007_scope_sizes;
mod m20261129_000008_proposals;
mod m20261130_000009_audit_guards;
mod m20261130_000010_upstream;
mod m20261130_000011_templates;
mod m20261130_000012_roles;
mod m20261130_000013_standing_turns;
mod m20261130_000014_postgres;
mod m20261130_000015_key_fingerprints;
mod postgres;
mod tables;

pub use m20261130_000012_roles::BUILT_IN_SKILLS;
pub use postgres::{GLOBAL_LOCK_CLASS, TENANT_LOCK_CLASS, grant, migrate, pending, secure};
pub use sea_orm_migration::MigratorTrait;

/// The tenant of global rows and of what global administrators do. It lies outside the grammar of
/// tenant ids, so that no tenant can be called this.
pub const GLOBAL_TENANT: &str = "~";

/// Runs the migrations.
#[derive(Debug)]
pub struct Migrator;

#[async_trait::async_trait]
impl MigratorTrait for Migrator {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        vec![
            Box::new(m20261129_000001_identity::Migration),
            Box::new(m20261129_000002_skills::Migration),
            Box::new(m20261129_000003_turns::Migration),
            Box::new(m20261129_000004_audit::Migration),
            Box::new(m20261129_000005_files::Migration),
            Box::new(m20261129_000006_audit_head::Migration),
            Box::new(m20261129_000007_scope_sizes::Migration),
            Box::new(m20261129_000008_proposals::Migration),
            Box::new(m20261130_000009_audit_guards::Migration),
            Box::new(m20261130_000010_upstream::Migration),
            Box::new(m20261130_000011_templates::Migration),
            Box::new(m20261130_000012_roles::Migration),
            Box::new(m20261130_000013_standing_turns::Migration),
            Box::new(m20261130_000014_postgres::Migration),
            Box::new(m20261130_000015_key_fingerprints::Migration),
        ]
    }
}
