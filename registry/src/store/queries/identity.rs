//! Who the caller is.

use vestry_policies::{Action, Target};

use crate::store::error::StoreResult;
use crate::store::view::{Fetch, Query, View};

/// Reads who the caller is.
#[derive(Debug, Clone, Copy)]
pub struct ReadIdentity;

/// What the rows say of the caller beside its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its role in its tenant.
    pub role: Option<&'static str>,
    /// Whether it administers the installation.
    pub global_admin: bool,
    /// The scope and end of its elevation, when it is in force.
    pub elevation: Option<(String, i64)>,
}

impl Query for ReadIdentity {
    type Answer = Identity;
    const ACTION: Action = Action::ReadIdentity;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for ReadIdentity {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Identity> {
        let own = view
            .caller
            .tenant()
            .map_or(Target::Server, |tenant| Target::Tenant(tenant.clone()));
        let known = crate::store::facts::read(view.db, view.caller, &own).await?;
        let now = view.inner.clock.now().0;
        Ok(Identity {
            role: known.standing.role.map(vestry_policies::Role::as_str),
            global_admin: known.standing.global_admin,
            elevation: known
                .elevation
                .filter(|elevation| elevation.expires_at > now)
                .map(|elevation| (elevation.scope.to_string(), elevation.expires_at)),
        })
    }
}
