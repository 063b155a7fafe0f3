//! Uploading the bytes of a file ahead of the publication that names them.

use sea_orm::{ActiveModelTrait as _, ActiveValue::Set, EntityTrait, IntoActiveModel as _};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, Scope, Target};

use crate::content::PreparedBlob;
use crate::identity::Caller;
use crate::store::authorize::Governed;
use crate::store::blobs::{check_room, keep_blob, uploader};
use crate::store::entity::upload;
use crate::store::error::StoreResult;
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::rows::tenant_key;
use crate::store::work::{Evidence, Perform, Work};

/// Uploads bytes. Whoever may write the narrowest of its scopes may.
#[derive(Debug, Clone)]
pub struct UploadBlob {
    scope: Scope,
    blob: PreparedBlob,
}

/// What was uploaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uploaded {
    /// The digest that a publication names.
    pub digest: String,
    /// The size in bytes.
    pub size: u64,
    /// Whether the caller had not uploaded it before. Whether others had is not said.
    pub created: bool,
}

/// The scope that an upload is decided about: the narrowest of the caller's.
pub(in crate::store) fn upload_scope(caller: &Caller) -> Scope {
    caller.scopes().first().cloned().unwrap_or(Scope::Global)
}

impl UploadBlob {
    /// Prepares an upload.
    #[must_use]
    pub fn new(caller: &Caller, blob: PreparedBlob) -> Self {
        Self {
            scope: upload_scope(caller),
            blob,
        }
    }
}

impl Governed for UploadBlob {
    type Outcome = Uploaded;
    const ACTION: Action = Action::UploadBlob;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Perform for UploadBlob {
    async fn examine(&mut self, _: &Transaction, _: &Known) -> StoreResult<Evidence> {
        Ok(Evidence::default())
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Uploaded> {
        let tenant = tenant_key(work.caller.tenant());
        let principal = uploader(work.caller);
        let size = self.blob.size();
        let digest = self.blob.digest().to_string();
        work.audit.target = format!("blob {digest}");
        let key = (tenant.clone(), principal.clone(), digest.clone());
        let before = upload::Entity::find_by_id(key).one(work.tx).await?;
        let created = before.is_none();
        match before {
            Some(row) => {
                let mut row = row.into_active_model();
                row.uploaded_at = Set(work.now.0);
                row.update(work.tx).await?;
            }
            None => {
                let limit = work.inner.limits.waiting_upload_bytes;
                check_room(work.tx, work.caller, size, limit).await?;
                let row = upload::Model {
                    tenant: tenant.clone(),
                    principal,
                    sha256: digest.clone(),
                    size: i64::try_from(size).unwrap_or(i64::MAX),
                    uploaded_at: work.now.0,
                    used: false,
                };
                upload::Entity::insert(row.into_active_model().reset_all())
                    .exec_without_returning(work.tx)
                    .await?;
            }
        }
        keep_blob(work, &tenant, self.blob).await?;
        Ok(Uploaded {
            digest,
            size,
            created,
        })
    }
}
