//! Writing the files of a revision.

use std::collections::HashSet;

use sea_orm::{
    ActiveModelTrait as _, ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait,
    IntoActiveModel as _, QueryFilter, QuerySelect, Statement, sea_query::Expr,
};

use super::resolve::{Origin, Resolved};
use super::uploads::uploader;
use crate::content::PreparedBlob;
use crate::content::digest::ManifestFile;
use crate::store::entity::{blob, proposal_file, revision, revision_file, upload};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::tenant_key;
use crate::store::work::Work;

/// Rows of one statement: nine parameters each, of which SQLite takes 32,766.
const ROWS: usize = 128;

/// Drops a blob that neither an upload nor a revision nor a proposal names.
pub(super) const DROP_UNNAMED: &str = "DELETE FROM blobs WHERE tenant = $1 AND sha256 = $2 \
     AND NOT EXISTS (SELECT 1 FROM uploads WHERE tenant = $1 AND sha256 = $2) \
     AND NOT EXISTS (SELECT 1 FROM revision_files WHERE tenant = $1 AND sha256 = $2) \
     AND NOT EXISTS (SELECT 1 FROM proposal_files WHERE tenant = $1 AND sha256 = $2)";

/// Writes the files of a new revision; `before` is the number of the one that was current.
pub(in crate::store) async fn keep_files(
    work: &Work<'_>,
    made: &revision::Model,
    before: Option<i64>,
    files: Resolved,
) -> StoreResult<()> {
    if files.files.is_empty() {
        return Ok(());
    }
    if let (true, Some(before)) = (files.kept, before) {
        return repeat_files(work, made, before).await;
    }
    let kept = keep_bytes(work, &made.tenant, files).await?;
    let rows: Vec<revision_file::Model> = kept
        .into_iter()
        .map(|file| revision_file::Model {
            tenant: made.tenant.clone(),
            scope_kind: made.scope_kind,
            scope_id: made.scope_id.clone(),
            kind: made.kind,
            name: made.name.clone(),
            number: made.number,
            path: file.path,
            size: i64::try_from(file.size).unwrap_or(i64::MAX),
            sha256: file.digest.to_string(),
        })
        .collect();
    for some in rows.chunks(ROWS) {
        let rows = some
            .iter()
            .map(|row| row.clone().into_active_model().reset_all());
        revision_file::Entity::insert_many(rows)
            .exec_without_returning(work.tx)
            .await?;
    }
    Ok(())
}

/// Writes the files of a proposal, instead of those that it had.
pub(in crate::store) async fn keep_proposed_files(
    work: &Work<'_>,
    tenant: &str,
    number: i64,
    files: Resolved,
) -> StoreResult<()> {
    proposal_file::Entity::delete_many()
        .filter(proposal_file::Column::Tenant.eq(tenant))
        .filter(proposal_file::Column::Number.eq(number))
        .exec(work.tx)
        .await?;
    let kept = keep_bytes(work, tenant, files).await?;
    let rows: Vec<proposal_file::Model> = kept
        .into_iter()
        .map(|file| proposal_file::Model {
            tenant: tenant.to_owned(),
            number,
            path: file.path,
            size: i64::try_from(file.size).unwrap_or(i64::MAX),
            sha256: file.digest.to_string(),
        })
        .collect();
    for some in rows.chunks(ROWS) {
        let rows = some
            .iter()
            .map(|row| row.clone().into_active_model().reset_all());
        proposal_file::Entity::insert_many(rows)
            .exec_without_returning(work.tx)
            .await?;
    }
    Ok(())
}

/// Drops the bytes of files that a proposal had, where nothing names them any more.
pub(in crate::store) async fn drop_unnamed(
    work: &Work<'_>,
    tenant: &str,
    before: &[ManifestFile],
) -> StoreResult<()> {
    for file in before {
        let statement = Statement::from_sql_and_values(
            work.tx.get_database_backend(),
            DROP_UNNAMED,
            [tenant.into(), file.digest.to_string().into()],
        );
        work.tx.execute_raw(statement).await?;
    }
    Ok(())
}

/// Sees to it that the tenant of the target has the bytes of all files.
async fn keep_bytes(
    work: &Work<'_>,
    tenant: &str,
    files: Resolved,
) -> StoreResult<Vec<ManifestFile>> {
    let mut kept = Vec::with_capacity(files.files.len());
    let mut written = HashSet::new();
    let mut named = Vec::new();
    for (file, origin) in files.files {
        match origin {
            // What the skill has already may have been uploaded again.
            Origin::Current | Origin::Upload => named.push(file.digest.to_string()),
            Origin::Request(bytes) => {
                if written.insert(file.digest) {
                    keep_blob(work, tenant, bytes).await?;
                }
            }
        }
        kept.push(file);
    }
    use_uploads(work, tenant, &named).await?;
    Ok(kept)
}

/// Gives a new revision the files of an earlier one of the same skill.
pub(in crate::store) async fn repeat_files(
    work: &Work<'_>,
    made: &revision::Model,
    earlier: i64,
) -> StoreResult<()> {
    if made.files == 0 {
        return Ok(());
    }
    let statement = Statement::from_sql_and_values(
        work.tx.get_database_backend(),
        "INSERT INTO revision_files (tenant, scope_kind, scope_id, kind, name, number, path, size, sha256) \
         SELECT tenant, scope_kind, scope_id, kind, name, $6, path, size, sha256 FROM revision_files \
         WHERE tenant = $1 AND scope_kind = $2 AND scope_id = $3 AND kind = $4 AND name = $5 AND number = $7",
        [
            made.tenant.clone().into(),
            made.scope_kind.into(),
            made.scope_id.clone().into(),
            made.kind.into(),
            made.name.clone().into(),
            made.number.into(),
            earlier.into(),
        ],
    );
    let written = work.tx.execute_raw(statement).await?.rows_affected();
    if i64::try_from(written).ok() == Some(made.files) {
        Ok(())
    } else {
        Err(StoreError::Corrupt)
    }
}

/// Keeps bytes, once per digest.
pub(in crate::store) async fn keep_blob(
    work: &Work<'_>,
    tenant: &str,
    PreparedBlob {
        digest,
        bytes,
        finding,
    }: PreparedBlob,
) -> StoreResult<()> {
    let sha256 = digest.to_string();
    // Asked first, so that bytes which are there are not handed to the database again.
    let is_there: Option<i64> = blob::Entity::find_by_id((tenant.to_owned(), sha256.clone()))
        .select_only()
        .column(blob::Column::Size)
        .into_tuple()
        .one(work.tx)
        .await?;
    if is_there.is_some() {
        return Ok(());
    }
    blob::Entity::insert(blob::ActiveModel {
        tenant: Set(tenant.to_owned()),
        sha256: Set(sha256),
        size: Set(i64::try_from(bytes.len()).unwrap_or(i64::MAX)),
        created_at: Set(work.now.0),
        finding: Set(finding),
        bytes: Set(bytes),
    })
    .exec_without_returning(work.tx)
    .await?;
    Ok(())
}

/// Marks uploads as published; where the skill is another tenant's than the uploader's (a global one), the bytes are
/// kept there too.
async fn use_uploads(work: &Work<'_>, tenant: &str, named: &[String]) -> StoreResult<()> {
    if named.is_empty() {
        return Ok(());
    }
    let own = tenant_key(work.caller.tenant());
    upload::Entity::update_many()
        .col_expr(upload::Column::Used, Expr::value(true))
        .filter(upload::Column::Tenant.eq(own.as_str()))
        .filter(upload::Column::Principal.eq(uploader(work.caller)))
        .filter(upload::Column::Sha256.is_in(named))
        .exec(work.tx)
        .await?;
    if own == tenant {
        return Ok(());
    }
    for sha256 in named {
        let statement = Statement::from_sql_and_values(
            work.tx.get_database_backend(),
            "INSERT INTO blobs (tenant, sha256, size, created_at, finding, bytes) \
             SELECT $1, sha256, size, $4, finding, bytes FROM blobs WHERE tenant = $2 AND sha256 = $3 \
             ON CONFLICT (tenant, sha256) DO NOTHING",
            [
                tenant.into(),
                own.as_str().into(),
                sha256.as_str().into(),
                work.now.0.into(),
            ],
        );
        work.tx.execute_raw(statement).await?;
    }
    Ok(())
}
