//! What the operator does beside a running server: making the first administrator, verifying the audit log.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use sea_orm::{ActiveValue::Set, ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use vestry_migration::GLOBAL_TENANT;
use vestry_policies::Username;

use super::audit::{self, ChainReport, Draft, KnownHead};
use super::database::Database;
use super::entity::user;
use super::error::{StoreError, StoreResult};
use super::open::{DATABASE, connect_readers, connect_writer, migrate, prepare_directory};
use super::pool::Pool;
use super::reader::Reader;
use super::tenant_set::TenantSet;
use super::writing::begin_alone;
use super::{Store, postgres};
use crate::checkpoint::{CheckpointKey, Place};
use crate::clock::Clock;

/// A global administrator to be made.
pub struct NewAdmin {
    /// The username.
    pub username: Username,
    /// What people call them.
    pub display_name: String,
    /// The password as a PHC string.
    pub password_hash: String,
}

impl std::fmt::Debug for NewAdmin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewAdmin")
            .field("username", &self.username)
            .finish_non_exhaustive()
    }
}

/// Makes a global administrator, straight in the database: who can write that file needs no permission. Works beside a
/// running server.
///
/// # Errors
/// When the username is taken, or the database cannot be written.
pub async fn create_admin(
    directory: &Path,
    database: &Database,
    admin: NewAdmin,
    clock: Arc<dyn Clock>,
) -> StoreResult<()> {
    let db = match database {
        Database::Sqlite => {
            prepare_directory(directory)?;
            let db = connect_writer(directory).await?;
            migrate(&db, directory).await?;
            db
        }
        Database::Postgres(url) => {
            let db = postgres::connect_writer(url, 1).await?;
            postgres::check(&db).await?;
            db
        }
    };
    let tx = begin_alone(&db).await?;
    let now = clock.now();
    let key = admin.username.folded();
    if user::Entity::find_by_id(key.clone())
        .one(&tx)
        .await?
        .is_some()
    {
        return Err(StoreError::AlreadyExists(format!(
            "The user `{}`",
            admin.username
        )));
    }
    user::Entity::insert(user::ActiveModel {
        username_key: Set(key),
        username: Set(admin.username.to_string()),
        display_name: Set(admin.display_name),
        password: Set(admin.password_hash),
        global_admin: Set(true),
        created_at: Set(now.0),
    })
    .exec_without_returning(&tx)
    .await?;
    let draft = Draft {
        principal: "operator".to_owned(),
        action: "create-user".to_owned(),
        target: format!("user:{}", admin.username),
        detail: serde_json::Map::from_iter([("global_admin".to_owned(), true.into())]),
        ..Draft::default()
    };
    audit::append(&tx, GLOBAL_TENANT, now, vec![draft]).await?;
    tx.commit().await?;
    db.close().await?;
    Ok(())
}

/// Verifies every audit chain of a database; only reads.
///
/// # Errors
/// When the database cannot be read. A chain that does not hold is in the reports.
pub async fn verify_audit(directory: &Path, database: &Database) -> StoreResult<Vec<ChainReport>> {
    verify_audit_against(directory, database, &[]).await
}

/// As [`verify_audit`], and against what checkpoints say.
///
/// # Errors
/// As [`verify_audit`].
pub async fn verify_audit_against(
    directory: &Path,
    database: &Database,
    known: &[KnownHead],
) -> StoreResult<Vec<ChainReport>> {
    let db = connect_existing(directory, database).await?;
    // One transaction, so that a server that writes on does not show as a fault.
    let tx = db.begin(&TenantSet::Every).await?;
    let reports = audit::verify_all(&tx, known).await?;
    tx.rollback().await?;
    db.close().await;
    Ok(reports)
}

/// Writes a checkpoint of all chains of a database, beside a running server or without one. Gives its file; none when
/// nothing has changed since the last one.
///
/// # Errors
/// When the database cannot be read, a chain does not go on from its last checkpoint, or the file cannot be written.
pub async fn write_checkpoint(
    directory: &Path,
    database: &Database,
    key: CheckpointKey,
    place: Place,
    clock: Arc<dyn Clock>,
) -> StoreResult<Option<PathBuf>> {
    let db = connect_existing(directory, database).await?;
    let checkpoints = audit::Checkpoints::new(Arc::new(key), place);
    let written = checkpoints.write(&db, clock.now()).await;
    db.close().await;
    written
}

async fn connect_existing(directory: &Path, database: &Database) -> StoreResult<Reader> {
    if let Database::Postgres(url) = database {
        let reader = Reader::new(Pool::patient(postgres::connect_readers(url, 1).await?));
        postgres::check(&reader.unsaid()).await?;
        return Ok(reader);
    }
    let path = directory.join(DATABASE);
    if !path.exists() {
        return Err(StoreError::NotFound(format!(
            "The database {}",
            path.display()
        )));
    }
    Ok(Reader::new(Pool::patient(
        connect_readers(directory, 1).await?,
    )))
}

impl Store {
    /// Whether there is a global administrator.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn has_admin(&self) -> StoreResult<bool> {
        let admins = user::Entity::find()
            .filter(user::Column::GlobalAdmin.eq(true))
            .count(&self.inner.reader.statements(&TenantSet::Every).await?)
            .await?;
        Ok(admins > 0)
    }
}
