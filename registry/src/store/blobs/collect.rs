//! Dropping uploads that nobody can name any more, and their bytes where no revision has them. In small steps, so that
//! publications go on in between; each step decides inside its own transaction, so that a publication wins or finds the
//! bytes gone, and never half.

use std::sync::atomic::{AtomicBool, Ordering};

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Statement,
};

use super::UPLOAD_SECONDS;
use super::keep::DROP_UNNAMED;
use crate::store::Store;
use crate::store::entity::upload;
use crate::store::error::StoreResult;
use crate::store::tenant_set::TenantSet;
use crate::store::writing::Writing;

/// The most uploads of one step.
const STEP: u64 = 16;

/// Whether uploads are being collected.
#[derive(Debug, Default)]
pub(in crate::store) struct Collecting(AtomicBool);

#[derive(Debug, FromQueryResult)]
struct Ended {
    tenant: String,
    principal: String,
    sha256: String,
}

impl Store {
    /// Collects uploads in a task of its own, unless one is at it already.
    pub(in crate::store) fn collect_uploads(&self) {
        if self.inner.collecting.0.swap(true, Ordering::AcqRel) {
            return;
        }
        let store = self.clone();
        tokio::spawn(async move {
            loop {
                match store.collect_some().await {
                    Ok(0) => break,
                    Ok(dropped) => tracing::debug!(dropped, "uploads were dropped"),
                    Err(error) => {
                        tracing::warn!(error = %error, "uploads could not be dropped; the next hour tries again");
                        break;
                    }
                }
                tokio::task::yield_now().await;
            }
            store.inner.collecting.0.store(false, Ordering::Release);
        });
    }

    /// One step; how many uploads it dropped.
    async fn collect_some(&self) -> StoreResult<usize> {
        let end = self.inner.clock.now().plus_seconds(-UPLOAD_SECONDS).0;
        let ended = upload::Entity::find()
            .select_only()
            .columns([
                upload::Column::Tenant,
                upload::Column::Principal,
                upload::Column::Sha256,
            ])
            .filter(upload::Column::UploadedAt.lte(end))
            .order_by_asc(upload::Column::UploadedAt)
            .limit(STEP)
            .into_model::<Ended>()
            .all(&self.inner.reader.statements(&TenantSet::Every).await?)
            .await?;
        if ended.is_empty() {
            return Ok(0);
        }
        let (writer, tx) = self.begin_writing(&Writing::everywhere()).await?;
        for Ended {
            tenant,
            principal,
            sha256,
        } in &ended
        {
            // Asked again: it may have been sent anew since.
            upload::Entity::delete_by_id((tenant.clone(), principal.clone(), sha256.clone()))
                .filter(upload::Column::UploadedAt.lte(end))
                .exec(&tx)
                .await?;
            tx.execute_raw(Statement::from_sql_and_values(
                tx.get_database_backend(),
                DROP_UNNAMED,
                [tenant.as_str().into(), sha256.as_str().into()],
            ))
            .await?;
        }
        tx.commit().await?;
        drop(writer);
        Ok(ended.len())
    }
}
