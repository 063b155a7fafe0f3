//! The catalog without a cap: what listings show.

use std::sync::Arc;

use vestry_policies::resolve::{Cap, Entry, overlay};

use crate::identity::Caller;
use crate::store::Store;
use crate::store::error::StoreResult;

impl Store {
    /// Everything that the caller's scopes resolve to, in catalog order, as of no earlier than this call.
    pub(in crate::store) async fn resolved(
        &self,
        caller: &Caller,
        role: Option<&str>,
    ) -> StoreResult<Vec<Entry>> {
        let role = role
            .filter(|role| self.inner.live.attaches(caller.scopes(), role))
            .map(Arc::<str>::from);
        let own = match caller.scopes().first() {
            Some(scope) if !scope.is_shared() => Some(self.scope(scope).await?),
            _ => None,
        };
        let wide = self
            .wide(caller.tenant(), usize::from(own.is_some()), role.as_ref())
            .await?;
        let narrow = own.as_ref().map(|scope| wide.unsealed(scope));
        Ok(overlay(
            narrow.as_deref(),
            &wide.view,
            Cap::UNLIMITED,
            role.as_deref(),
        )
        .entries)
    }
}
