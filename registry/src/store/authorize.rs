//! The one way to write: [`Store::authorize`] gives a [`Granted`] action, and only that writes.
//!
//! `Granted` owns the open transaction, the action with its target, and the verdict. Its fields are
//! private, it cannot be cloned, and performing takes it by value. So a forgotten check, a swapped
//! target, a write done twice and a write without its audit record do not compile.
//!
//! A grant cannot be made by hand. This compiles, and gives nothing away:
//!
//! ```
//! fn perform_later(granted: vestry::store::Granted<vestry::store::actions::CreateTenant>) {
//!     drop(granted);
//! }
//! ```
//!
//! This does not, because the fields are private:
//!
//! ```compile_fail,E0451
//! fn forge(
//!     granted: vestry::store::Granted<vestry::store::actions::CreateTenant>,
//!     action: vestry::store::actions::CreateTenant,
//! ) -> vestry::store::Granted<vestry::store::actions::CreateTenant> {
//!     vestry::store::Granted { action, ..granted }
//! }
//! ```
//!
//! A grant is spent by performing it. This compiles:
//!
//! ```
//! async fn once(granted: vestry::store::Granted<vestry::store::actions::CreateTenant>) {
//!     let _ = granted.perform().await;
//! }
//! ```
//!
//! This does not, because the second line spends it again:
//!
//! ```compile_fail,E0382
//! async fn twice(granted: vestry::store::Granted<vestry::store::actions::CreateTenant>) {
//!     let _ = granted.perform().await;
//!     let _ = granted.perform().await;
//! }
//! ```
//!
//! A grant for one action performs that action only. This compiles:
//!
//! ```
//! type Wanted = vestry::store::Granted<vestry::store::actions::CreateTenant>;
//! fn same(granted: vestry::store::Granted<vestry::store::actions::CreateTenant>) -> Wanted {
//!     granted
//! }
//! ```
//!
//! This does not:
//!
//! ```compile_fail,E0308
//! type Wanted = vestry::store::Granted<vestry::store::actions::CreateTenant>;
//! fn other(granted: vestry::store::Granted<vestry::store::actions::CreateUser>) -> Wanted {
//!     granted
//! }
//! ```

use std::sync::Arc;

use sea_orm::QueryTrait;
use serde::Serialize;
use serde::de::DeserializeOwned;
use vestry_policies::{Action, Principal, Rule, Target, Verdict, decide};

use super::audit::{self, Draft, Head};
use super::batch::Batch;
use super::error::{StoreError, StoreResult};
use super::facts;
use super::idempotency::{self, IdempotentRequest};
use super::rows::tenant_key;
use super::staleness::{self, Staleness};
use super::turn::WriterTurn;
use super::version::{self, Version};
use super::view::facts_of;
use super::work::{Perform, Work};
use super::writing::{Writing, commit};
use super::{Inner, Store};
use crate::clock::Micros;
use crate::identity::Caller;
use crate::store::pool::Transaction;

/// An action that changes something, prepared: parsed, checked and hashed before anything is locked.
pub trait Governed: Sized + Send + 'static {
    /// What it gives when it is done; also what a repetition with the same idempotency key gives.
    type Outcome: Serialize + DeserializeOwned + Send + Sync + 'static;
    /// Which action of the policy it is.
    const ACTION: Action;
    /// Whether being in the target's scope is decided before any lookup (design §2.3, rule 1).
    const SCOPE_FIRST: bool = true;
    /// Whether the action becomes a proposal where the rules say that it is reviewed; otherwise it is refused there.
    const BECOMES_PROPOSAL: bool = false;
    /// Whether what the caller may not know of is answered as if it did not exist.
    const HIDDEN: bool = false;
    /// What it is about.
    fn target(&self) -> Target;
}

/// What a request says about itself beside its action.
#[derive(Debug, Clone, Default)]
pub struct RequestFacts {
    /// The request's id, for the audit record.
    pub request_id: Option<String>,
    /// The idempotency key, if one was sent.
    pub idempotency: Option<IdempotentRequest>,
}

/// A granted action: see the [module](self).
#[must_use = "a granted action does nothing until it is performed"]
pub struct Granted<A: Governed> {
    action: A,
    tx: Transaction,
    writer: WriterTurn,
    inner: Arc<Inner>,
    caller: Caller,
    rule: Rule,
    /// Whether it becomes a proposal instead.
    review: bool,
    now: Micros,
    /// In a box, as the head is.
    request: Box<RequestFacts>,
    /// The end of the target's chain, as the facts have it. In a box, because a grant is handed on.
    head: Box<Head>,
}

impl<A: Governed> std::fmt::Debug for Granted<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Granted")
            .field("action", &A::ACTION)
            .field("rule", &self.rule)
            .finish_non_exhaustive()
    }
}

/// What authorizing gives.
#[derive(Debug)]
#[must_use]
pub enum Authorized<A: Governed> {
    /// The action may be performed.
    Granted(Granted<A>),
    /// It was performed before, under the same idempotency key; this is what it gave.
    Repeated(A::Outcome),
}

#[expect(
    private_bounds,
    reason = "only the store says how an action is performed"
)]
impl<A: Perform> Granted<A> {
    /// Does the work, records it and commits, all in the grant's own transaction.
    ///
    /// # Errors
    /// A [`StoreError`] when the work cannot be done; then nothing has changed.
    pub async fn perform(self) -> StoreResult<A::Outcome> {
        Ok(self.perform_noted().await?.0)
    }

    /// As [`Self::perform`], with the version that the chain has with it; none where nothing was written.
    async fn perform_noted(self) -> StoreResult<(A::Outcome, Option<Version>)> {
        let Self {
            action,
            tx,
            writer,
            inner,
            caller,
            rule,
            review,
            now,
            request,
            head,
        } = self;
        let target = action.target();
        let mut work = Work {
            tx: &tx,
            caller: &caller,
            now,
            inner: &inner,
            batch: Batch::default(),
            effects: Vec::new(),
            audit: Draft {
                principal: caller.principal_text().to_owned(),
                acts_for: caller.acts_for().map(ToString::to_string),
                action: A::ACTION.as_str().to_owned(),
                target: target_text(&target),
                rule: Some(rule.as_str().to_owned()),
                request_id: request.request_id.clone(),
                ..Draft::default()
            },
            chain: tenant_key(target_tenant(&target)),
            unchanged: false,
        };
        let outcome = if review {
            work.audit.action = Action::ProposeSkill.as_str().to_owned();
            action.propose(&mut work, rule).await?
        } else {
            action.perform(&mut work).await?
        };
        let Work {
            mut batch,
            mut effects,
            audit,
            chain,
            unchanged,
            ..
        } = work;
        if let Some(idempotent) = &request.idempotency {
            idempotency::remember(
                &tx,
                &caller,
                idempotent,
                &outcome,
                now,
                inner.identity.rings(),
            )
            .await?;
        }
        if unchanged && request.idempotency.is_none() {
            tx.rollback().await?;
            return Ok((outcome, None));
        }
        let mut version = None;
        if !unchanged {
            // The writer is held since the facts were read, so that the head is still the same.
            let head = if head.tenant == chain {
                *head
            } else {
                Head::read(&tx, &chain).await?
            };
            version = Version::told_to(&caller, &chain, head.seq.saturating_add(1));
            batch.push(audit::records_after(head, now, vec![audit])?.build(inner.backend));
        }
        effects.extend(batch.write(&tx).await?);
        if inner.staleness.as_ref().is_some_and(Staleness::is_allowed) {
            staleness::tell(&tx, &chain).await?;
        }
        commit(tx).await?;
        // Before the writer is let go and before anyone is told: see `live`.
        inner.apply(effects);
        drop(writer);
        inner.wakes.grown(&chain);
        Ok((outcome, version))
    }
}

impl Store {
    /// Decides whether `caller` may do `action`, with facts read from rows inside the transaction that will do it.
    ///
    /// # Errors
    /// [`StoreError::Refused`] with the rule, or whatever keeps the decision from being made.
    #[expect(
        private_bounds,
        reason = "only the store says how an action is performed"
    )]
    pub async fn authorize<A: Perform>(
        &self,
        caller: &Caller,
        mut action: A,
        request: RequestFacts,
    ) -> StoreResult<Authorized<A>> {
        let target = action.target();
        if A::SCOPE_FIRST
            && let Target::Scope(scope) = &target
            && !caller.scopes().contains(scope)
        {
            return Err(self.refuse::<A>(caller, &target, Rule::NotInScope));
        }
        let writing = Writing::of_call(caller, &target);
        let (writer, tx) = self.begin_writing(&writing).await?;
        let now = self.inner.clock.now();
        let known = facts::read_with(&tx, caller, &target, action.seeks()).await?;
        let evidence = action.examine(&tx, &known).await?;
        let facts = facts_of(caller, &known, now, evidence);
        let (rule, review) = match decide(A::ACTION, &target, &facts) {
            Verdict::Allow(rule) => (rule, false),
            Verdict::Review(rule) if A::BECOMES_PROPOSAL => (rule, true),
            Verdict::Review(rule) | Verdict::Deny(rule) => {
                // Room is what a decision asks for last, and a repetition takes none: it gets the answer that it got.
                let repeated = match &request.idempotency {
                    Some(idempotent) if rule == Rule::QuotaExceeded => {
                        idempotency::recall(
                            &tx,
                            caller,
                            idempotent,
                            now,
                            self.inner.identity.rings(),
                        )
                        .await?
                    }
                    _ => None,
                };
                tx.rollback().await?;
                drop(writer);
                if let Some(outcome) = repeated {
                    return Ok(Authorized::Repeated(outcome));
                }
                return Err(self.refuse::<A>(caller, &target, rule));
            }
        };
        // Only now: whoever may not act on a tenant does not learn whether it exists.
        if !known.tenant_exists {
            return Err(StoreError::NotFound("This tenant".to_owned()));
        }
        if let Some(idempotent) = &request.idempotency
            && let Some(outcome) =
                idempotency::recall(&tx, caller, idempotent, now, self.inner.identity.rings())
                    .await?
        {
            tx.rollback().await?;
            return Ok(Authorized::Repeated(outcome));
        }
        Ok(Authorized::Granted(Granted {
            action,
            tx,
            writer,
            inner: Arc::clone(&self.inner),
            caller: caller.clone(),
            rule,
            review,
            now,
            request: Box::new(request),
            head: Box::new(known.head),
        }))
    }

    /// Authorizes and performs, in a task of its own: a client that leaves cancels nothing.
    ///
    /// # Errors
    /// As [`Store::authorize`] and [`Granted::perform`].
    #[expect(
        private_bounds,
        reason = "only the store says how an action is performed"
    )]
    pub async fn act<A: Perform>(
        &self,
        caller: &Caller,
        action: A,
        request: RequestFacts,
    ) -> StoreResult<A::Outcome> {
        let store = self.clone();
        let caller = caller.clone();
        let task = tokio::spawn(async move {
            match store.authorize(&caller, action, request).await? {
                Authorized::Granted(granted) => granted.perform_noted().await,
                Authorized::Repeated(outcome) => Ok((outcome, None)),
            }
        });
        match task.await {
            Ok(done) => {
                let (outcome, version) = done?;
                if let Some(version) = version {
                    // In the task of the request, which tells it.
                    version::note(version);
                }
                Ok(outcome)
            }
            Err(error) => Err(StoreError::Internal(format!(
                "a writing task ended early: {error}"
            ))),
        }
    }

    fn refuse<A: Governed>(&self, caller: &Caller, target: &Target, rule: Rule) -> StoreError {
        self.inner
            .journal
            .refusal(caller, A::ACTION, target_text(target), rule);
        match rule {
            Rule::NotInScope | Rule::NotYourProposal if A::HIDDEN => {
                StoreError::NotFound(target_text(target))
            }
            rule => StoreError::Refused(rule),
        }
    }
}

/// The principal that `decide` sees of a caller.
pub(super) fn principal(caller: &Caller) -> Principal {
    caller.principal()
}

/// A target as the audit log writes it.
pub(super) fn target_text(target: &Target) -> String {
    match target {
        Target::Server => "server".to_owned(),
        Target::Tenant(tenant) => format!("tenant:{tenant}"),
        Target::Scope(scope) => scope.to_string(),
    }
}

fn target_tenant(target: &Target) -> Option<&vestry_policies::TenantId> {
    match target {
        Target::Server => None,
        Target::Tenant(tenant) => Some(tenant),
        Target::Scope(scope) => scope.tenant(),
    }
}
