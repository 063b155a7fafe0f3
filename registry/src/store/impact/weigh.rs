//! Resolving for each actor before and after a change. It takes a processor, and no connection.

use vestry_policies::resolve::{Side, Subject, Tally, WideView, effect};

use super::{Impact, ImpactQuestion, OfTenant, Over, Wide};
use crate::store::Store;
use crate::store::error::StoreResult;

impl Store {
    /// Weighs what was gathered.
    ///
    /// # Errors
    /// When the work could not be done.
    pub async fn weigh(&self, question: Option<ImpactQuestion>) -> StoreResult<Option<Impact>> {
        match question {
            Some(question) => self.compare(move || question.weigh()).await.map(Some),
            None => Ok(None),
        }
    }
}

impl ImpactQuestion {
    fn weigh(self) -> Impact {
        let mut tally = Tally::default();
        let mut actors = 0_u64;
        for tenant in &self.tenants {
            actors += self.weigh_tenant(tenant, &mut tally);
            tally.end_of_tenant();
        }
        if self.over == Over::Installation {
            // Those of tenants are the tenants' own.
            tally.fallen.retain(|(fallen, _)| {
                fallen
                    .scope
                    .as_ref()
                    .is_some_and(|scope| scope.tenant().is_none())
            });
        }
        Impact {
            over: self.over,
            of: self.of,
            role: self.role,
            actors,
            at_least: self.at_least,
            tally,
        }
    }

    fn weigh_tenant(&self, tenant: &OfTenant, tally: &mut Tally) -> u64 {
        let before = tenant.before.merge(self.role.as_deref());
        let after = tenant.after.merge(self.role.as_deref());
        let subject = Subject {
            name: &self.name,
            scope: &self.scope,
            has_other_content: self.has_other_content,
        };
        let of = |own_before: &[&str], own_after: &[&str]| {
            let before = Side {
                own: own_before,
                wide: &before,
            };
            let after = Side {
                own: own_after,
                wide: &after,
            };
            effect(&subject, before, after, tenant.cap)
        };
        for (actor, own) in &tenant.with_own {
            let names: Vec<&str> = own.before.iter().map(String::as_str).collect();
            let effect = match &own.after {
                None => of(&names, &names),
                Some(after) => of(
                    &names,
                    &after.iter().map(String::as_str).collect::<Vec<_>>(),
                ),
            };
            tally.add(&effect, std::slice::from_ref(actor), 1);
        }
        let others = tenant.without.len() as u64;
        if others > 0 {
            tally.add(&of(&[], &[]), &tenant.without, others);
        }
        others + tenant.with_own.len() as u64
    }
}

impl Wide {
    /// The rank of the actor's own scope is 0, so the first of these has 1.
    fn merge(&self, role: Option<&str>) -> WideView {
        WideView::merge(&self.lists, 1, &self.hidden, role)
    }
}
