//! How a proposal is named: `p-12` in the caller's own tenant, `g-…` at global.
//!
//! Numbers count per tenant. At global they are random, because those whom a proposal there concerns are of many tenants,
//! and none of them shall read from its own number how many the others have made.

use vestry_migration::GLOBAL_TENANT;
use vestry_policies::{ItemName, Scope};

use crate::identity::Caller;
use crate::store::rows::tenant_key;

/// The id of a proposal, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalId {
    global: bool,
    number: i64,
}

impl ProposalId {
    /// Reads an id; none for a text that is the id of no proposal.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, number) = text.split_once('-')?;
        let global = match kind {
            "p" => false,
            "g" => true,
            _ => return None,
        };
        // One proposal has one id.
        let canonical = !number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
        let number = number.parse().ok().filter(|_| canonical)?;
        Some(Self { global, number })
    }

    /// The key of the proposal that a caller means.
    pub(in crate::store) fn key(&self, caller: &Caller) -> (String, i64) {
        let tenant = if self.global {
            GLOBAL_TENANT.to_owned()
        } else {
            tenant_key(caller.tenant())
        };
        (tenant, self.number)
    }

    /// Whether it can name anything for a caller: one without a tenant has no proposals in its own.
    pub(in crate::store) fn is_reachable(&self, caller: &Caller) -> bool {
        self.global || caller.tenant().is_some()
    }
}

/// The id of a proposal with this key.
pub(in crate::store) fn id_text(tenant: &str, number: i64) -> String {
    if tenant == GLOBAL_TENANT {
        format!("g-{number}")
    } else {
        format!("p-{number}")
    }
}

/// Where a proposal is: its key and its target, which never change. Whether the caller may know of it is decided by
/// whatever is done with it, as if it had not been looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    pub(in crate::store) tenant: String,
    pub(in crate::store) number: i64,
    pub(in crate::store) scope: Scope,
    pub(in crate::store) name: ItemName,
}

impl Located {
    /// The scope that it is for.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The name of the skill that it is for: content is checked under it before anything is locked.
    #[must_use]
    pub fn name(&self) -> &ItemName {
        &self.name
    }
}
