//! Loading a file of an offered skill: the boundary is that of [`load`](super::load), and the file is one of those that the
//! pinned digest names.

use vestry_policies::{Action, ActorId};

use super::pinned::Pinned;
use crate::identity::Caller;
use crate::store::Store;
use crate::store::blobs::{BundledFile, grant, grant_of_source};
use crate::store::body::BodyPermit;
use crate::store::error::StoreResult;
use crate::store::journal::Line;
use crate::store::rows::tenant_key;

/// A request to load a file of an offered skill.
#[derive(Debug, Clone)]
pub struct LoadFileRequest {
    /// The signed offer.
    pub offer: String,
    /// The name of the skill, whatever text it is.
    pub name: String,
    /// The path, whatever text it is.
    pub path: String,
}

impl Store {
    /// Loads a file of a skill that was offered.
    ///
    /// # Errors
    /// As [`Store::load`], and [`StoreError::NoSuchFile`](crate::store::StoreError::NoSuchFile) for a path that the offered
    /// skill does not have.
    pub async fn load_file(
        &self,
        caller: &Caller,
        request: LoadFileRequest,
    ) -> StoreResult<BundledFile> {
        self.decide_own(caller, Action::LoadSkill)?;
        let verified = self.verify_offer(caller, &request.offer)?;
        let offer = verified.offer();
        let Pinned {
            pin,
            scope,
            content,
            source,
        } = self.pinned(caller, offer, &request.name).await?;
        let tenant = tenant_key(scope.tenant());
        let permit = BodyPermit::of_offer(offer);
        let granted = match source {
            Some(skill) => grant_of_source(permit, tenant, &skill, &request.path)?,
            None => grant(permit, tenant, &content, &request.path)?,
        };
        let file = self.open_file(granted).await?;
        // Reading takes time, and waiting for room takes more.
        self.refuse_withdrawn(caller, offer, pin, &scope)?;
        let (offer_id, scope_text) = (offer.jti().to_string(), scope.to_string());
        let (digest, file_digest) = (pin.digest.to_string(), file.digest().to_string());
        let line = Line::LoadFile {
            at: self.inner.clock.now().0,
            principal: caller.principal_text(),
            acts_for: caller.acts_for().map(ActorId::as_str),
            offer: &offer_id,
            turn: offer.turn().as_str(),
            name: pin.name.as_str(),
            scope: &scope_text,
            revision: pin.revision,
            digest: &digest,
            path: &request.path,
            file: &file_digest,
        };
        self.inner.journal.write(caller, &line, None).await?;
        Ok(file)
    }
}
