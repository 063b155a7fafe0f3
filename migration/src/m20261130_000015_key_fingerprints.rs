//! Which keys the replicas of an installation sign with: never the keys, only their fingerprints, so that a replica that was
//! given others is refused.

use sea_orm_migration::prelude::*;

use crate::tables::{key, table, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("key_fingerprints")
                    .col(text("ring"))
                    .col(text("kid"))
                    .col(text("fingerprint"))
                    .primary_key(&mut key(&["ring", "kid"]))
                    .to_owned(),
            )
            .await
    }
}
