//! The one way to read: [`Store::view`] gives what a caller may see as [`Seen`].
//!
//! `Seen` is made only here, after `decide` has allowed the read. A function that takes a `Seen` can therefore not be
//! handed something that was read without asking. This compiles:
//!
//! ```
//! fn show(seen: vestry::store::Seen<String>) -> String {
//!     seen.into_inner()
//! }
//! ```
//!
//! This does not, because nobody else can make one:
//!
//! ```compile_fail,E0423
//! fn show(text: String) -> vestry::store::Seen<String> {
//!     vestry::store::Seen(text)
//! }
//! ```

use vestry_policies::{Action, Facts, Rule, Scope, Status, Target, Verdict, decide};

use super::authorize::{principal, target_text};
use super::body::{Body, BodyPermit};
use super::entity::{revision, skill};
use super::error::{StoreError, StoreResult};
use super::facts::{self, Known};
use super::rows::status_of;
use super::tenant_set::TenantSet;
use super::work::Evidence;
use super::{Inner, Store};
use crate::clock::Micros;
use crate::identity::Caller;
use crate::store::pool::Transaction;

/// Something to read.
pub trait Query: Sized + Send {
    /// What it gives.
    type Answer: Send;
    /// Which action of the policy it is.
    const ACTION: Action;
    /// What it is about.
    fn target(&self) -> Target;
}

/// How a query is answered; private to the store.
pub(super) trait Fetch: Query {
    /// Reads the rows that the decision needs besides the caller's, and keeps them for the answer.
    fn examine(&mut self, db: &Transaction) -> impl Future<Output = StoreResult<Evidence>> + Send {
        let _ = db;
        std::future::ready(Ok(Evidence::default()))
    }

    fn fetch(self, view: &View<'_>) -> impl Future<Output = StoreResult<Self::Answer>> + Send;
}

/// What a caller was allowed to see.
#[derive(Debug)]
pub struct Seen<T>(T);

impl<T> Seen<T> {
    /// What was seen.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// What a query has at hand: one snapshot of the database, and who reads.
pub(super) struct View<'a> {
    pub(super) db: &'a Transaction,
    pub(super) store: &'a Store,
    pub(super) inner: &'a Inner,
    pub(super) caller: &'a Caller,
    pub(super) known: &'a Known,
    pub(super) now: Micros,
}

/// Whether a reading is of any use without the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bodies {
    /// The metadata are read, with the body if the caller may read it.
    WhereAllowed,
    /// The body is what is asked for.
    Required,
}

impl View<'_> {
    /// What the rules say of an action of the caller, by what the same snapshot says. Nothing of it is recorded: nothing
    /// was asked for but what they say.
    pub(super) async fn verdict(
        &self,
        action: Action,
        target: &Target,
        status: Option<Status>,
    ) -> StoreResult<Verdict> {
        let known = facts::read(self.db, self.caller, target).await?;
        let evidence = Evidence {
            status,
            ..Evidence::default()
        };
        let facts = facts_of(self.caller, &known, self.now, evidence);
        Ok(decide(action, target, &facts))
    }

    /// Whether the caller may do this.
    pub(super) async fn may(&self, action: Action, target: &Target) -> StoreResult<bool> {
        Ok(self.verdict(action, target, None).await?.is_allowed())
    }

    /// Whether the caller may read the body of a skill with this status at this scope (design §2.4), or the rule that
    /// keeps it from that.
    pub(super) fn may_read_body(&self, scope: &Scope, status: Status) -> Result<BodyPermit, Rule> {
        let target = Target::Scope(scope.clone());
        let facts = facts_of(self.caller, self.known, self.now, Evidence::of(status));
        BodyPermit::of(decide(Action::ReadBody, &target, &facts))
    }

    /// The permit where the body is all that is asked for: without it there is nothing to answer.
    pub(super) fn read_body(&self, scope: &Scope, status: Status) -> StoreResult<BodyPermit> {
        self.may_read_body(scope, status).map_err(|rule| {
            let target = target_text(&Target::Scope(scope.clone()));
            self.inner
                .journal
                .refusal(self.caller, Action::ReadBody, target, rule);
            StoreError::Refused(rule)
        })
    }

    /// The permit where the caller may read the body. Where it asked for the body and nothing else, a refusal is the
    /// answer, and is recorded.
    pub(super) fn permit(
        &self,
        scope: &Scope,
        status: Status,
        wanted: Bodies,
    ) -> StoreResult<Option<BodyPermit>> {
        match wanted {
            Bodies::WhereAllowed => Ok(self.may_read_body(scope, status).ok()),
            Bodies::Required => self.read_body(scope, status).map(Some),
        }
    }

    /// The body of a revision, where the caller may read it.
    pub(super) async fn body_of(
        &self,
        scope: &Scope,
        row: &revision::Model,
        wanted: Bodies,
    ) -> StoreResult<Option<Body>> {
        // Whether the skill is archived has no say in this: what was recalled stays recalled.
        let status = status_of(false, false, row.recall);
        match self.permit(scope, status, wanted)? {
            Some(_permit) => {
                let content = self.inner.content_of(self.db, row).await?;
                Ok(Some(content.body.clone()))
            }
            None => Ok(None),
        }
    }
}

impl Store {
    /// Reads what the caller may see.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when the caller may not know of the target, [`StoreError::Refused`] when it may know but
    /// not read.
    #[expect(private_bounds, reason = "only the store says how a query is answered")]
    pub async fn view<Q: Fetch>(
        &self,
        caller: &Caller,
        mut query: Q,
    ) -> StoreResult<Seen<Q::Answer>> {
        let target = query.target();
        if let Target::Scope(scope) = &target
            && !caller.scopes().contains(scope)
        {
            // Decided before any lookup: the same whether or not the scope exists.
            self.inner
                .journal
                .refusal(caller, Q::ACTION, target_text(&target), Rule::NotInScope);
            return Err(StoreError::NotFound(scope.to_string()));
        }
        // The reading connections refuse to write by themselves.
        let tenants = TenantSet::of_call(caller, &target);
        let db = self.inner.reader.begin(&tenants).await?;
        let known = facts::read(&db, caller, &target).await?;
        let now = self.inner.clock.now();
        let evidence = query.examine(&db).await?;
        let facts = facts_of(caller, &known, now, evidence);
        let answer = match decide(Q::ACTION, &target, &facts) {
            Verdict::Allow(_) if !known.tenant_exists => {
                Err(StoreError::NotFound(target_text(&target)))
            }
            Verdict::Allow(_) => {
                let view = View {
                    db: &db,
                    store: self,
                    inner: &self.inner,
                    caller,
                    known: &known,
                    now,
                };
                query.fetch(&view).await.map(Seen)
            }
            Verdict::Review(rule) | Verdict::Deny(rule) => {
                self.inner
                    .journal
                    .refusal(caller, Q::ACTION, target_text(&target), rule);
                Err(match rule {
                    Rule::NotInScope | Rule::NotYourProposal => {
                        StoreError::NotFound(target_text(&target))
                    }
                    rule => StoreError::Refused(rule),
                })
            }
        };
        db.rollback().await?;
        answer
    }
}

/// Whether an author may read the bodies of a skill's current revision.
pub(super) fn may_read_current(
    caller: &Caller,
    known: Option<&Known>,
    now: Micros,
    scope: &Scope,
    current: Option<&skill::Model>,
) -> bool {
    let (Some(known), Some(row)) = (known, current) else {
        return false;
    };
    // Whether it is archived has no say in this: what was recalled stays recalled.
    let status = status_of(false, false, row.recall);
    let facts = facts_of(caller, known, now, Evidence::of(status));
    decide(Action::ReadBody, &Target::Scope(scope.clone()), &facts).is_allowed()
}

/// What a decision looks at, put together.
pub(super) fn facts_of(caller: &Caller, known: &Known, now: Micros, evidence: Evidence) -> Facts {
    Facts {
        principal: principal(caller),
        standing: known.standing,
        elevation: known.elevation.clone(),
        now: now.0,
        settings: known.settings.clone(),
        status: evidence.status,
        name: evidence.name,
        worst_finding: evidence.worst_finding,
        proposal: evidence.proposal,
        room: evidence.room,
    }
}
