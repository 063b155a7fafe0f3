//! Who may do what, and what of it is recorded.

use super::super::cast::{Actor, CAST, ROOT};
use super::super::ops::Role;
use super::{Expected, Ground, Model, Spot};

impl Model {
    /// Whether the authority that a token was made under still stands.
    pub(in crate::laws::machine) fn stands(&self, who: &Actor, ground: Ground) -> bool {
        let Some(tenant) = who.tenant else {
            return true;
        };
        let actor =
            !who.is_tom() || (self.toms[tenant].is_some() && self.epochs[tenant] == ground.epoch);
        let service = who.agent.is_none() || self.services[tenant] == ground.service;
        actor && service
    }

    /// The write verdict of design §2.3: the rule that refuses, if one does.
    pub(in crate::laws::machine) fn refused(
        &self,
        who: &Actor,
        ground: Ground,
        spot: Spot,
        shared_only: bool,
    ) -> Option<&'static str> {
        if !who.spots().contains(&spot) {
            return Some("not-in-scope");
        }
        if !spot.is_shared() {
            return shared_only.then_some("shared-scopes-only");
        }
        if who.agent.is_some() {
            return Some("humans-only");
        }
        let for_this = match (who.tenant, spot) {
            (None, Spot::Global) => true,
            (Some(tenant), Spot::Tenant(target)) => tenant == target,
            _ => false,
        };
        if !ground.elevated || !for_this {
            return Some("needs-elevation");
        }
        let is_publisher = match who.tenant {
            Some(tenant) if who.is_tom() => self.toms[tenant] == Some(Role::Publisher),
            _ => true,
        };
        (!is_publisher).then_some("needs-role")
    }

    pub(in crate::laws::machine) fn record(
        &mut self,
        chain: usize,
        who: &Actor,
        action: &str,
        target: String,
    ) {
        self.audit[chain].push((who.principal(), action.to_owned(), target));
    }

    pub(in crate::laws::machine) fn refuse(
        &mut self,
        who: &Actor,
        action: &str,
        target: String,
        rule: &str,
    ) -> Expected {
        let chain = who.tenant.unwrap_or(2);
        let key = (who.principal(), action.to_owned(), target, rule.to_owned());
        *self.refusals[chain].entry(key).or_default() += 1;
        let rule = [
            "not-in-scope",
            "shared-scopes-only",
            "humans-only",
            "needs-elevation",
            "needs-role",
            "needs-offer",
            "recalled",
        ]
        .into_iter()
        .find(|known| *known == rule)
        .unwrap();
        Expected::Refused(rule)
    }

    /// One who may write a scope.
    pub(in crate::laws::machine) fn writer_of(spot: Spot) -> usize {
        match spot {
            Spot::Global => ROOT,
            Spot::Tenant(tenant) => 1 + tenant,
            Spot::Actor(..) => CAST
                .iter()
                .position(|who| who.spots().contains(&spot))
                .unwrap(),
        }
    }

    /// One who may read the history of a scope.
    pub(in crate::laws::machine) fn reader_of(spot: Spot) -> Option<usize> {
        CAST.iter()
            .position(|who| !who.is_tom() && who.spots().contains(&spot))
            .or_else(|| CAST.iter().position(|who| who.spots().contains(&spot)))
    }
}
