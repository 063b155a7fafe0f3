//! Taking the catalog of a turn.

use std::sync::Arc;

use vestry_policies::resolve::{Cap, MAX_CAP};
use vestry_policies::{Action, ActorId, Facts, Rule, Settings, Standing, Target, Verdict, decide};

use super::Weigh;
use super::prepared::{PreparedCatalog, PreparedKey};
use crate::clock::Micros;
use crate::identity::Caller;
use crate::identity::OfferFacts;
use crate::identity::TurnName;
use crate::store::Store;
use crate::store::authorize::principal;
use crate::store::error::{StoreError, StoreResult};
use crate::store::journal::{Line, SnapshotToKeep, TurnClaim};
use crate::store::rows::tenant_key;
use crate::store::turns::{TurnKey, outlived, turn_key};

/// A request for the catalog of a turn. The cap has been checked against [`Store::max_cap`].
#[derive(Debug, Clone, Default)]
pub struct CatalogRequest {
    /// The turn's name; the server names it when there is none.
    pub turn: Option<TurnName>,
    /// The most entries; the default when there is none.
    pub cap: Option<Cap>,
    /// The agent's role.
    pub role: Option<Arc<str>>,
    /// The most tokens of the block, estimated.
    pub token_budget: Option<usize>,
    /// The conversation; recorded only.
    pub session: Option<String>,
    /// The `etag` that the caller has.
    pub have: Option<String>,
}

/// A catalog offered to one turn.
#[derive(Debug, Clone)]
pub struct Offered {
    /// The turn.
    pub turn: TurnName,
    /// The catalog.
    pub catalog: Arc<PreparedCatalog>,
    /// The signed offer.
    pub offer: String,
    /// When the offer ends.
    pub expires_at: Micros,
    /// Whether the caller has this catalog already.
    pub unchanged: bool,
}

/// A turn that was taken, and with what.
#[derive(Debug, Clone)]
pub(super) struct KnownTurn {
    terms: Terms,
    catalog: Arc<PreparedCatalog>,
    created_at: Micros,
}

impl Weigh for KnownTurn {
    /// Its catalog included: nothing else may keep that.
    fn weight(&self) -> u64 {
        self.catalog.weight() + 512
    }
}

/// What a turn may not be asked for differently.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Terms {
    /// The cap; negative when the request left it to the server, whose choice may be another one next time.
    cap: i64,
    role: String,
    token_budget: Option<i64>,
}

impl Terms {
    /// Whether a request on these terms asks for what was taken on `taken`.
    fn agree_with(&self, taken: &Self) -> bool {
        let both_left_out = self.cap < 0 && taken.cap < 0;
        (both_left_out || self.cap.abs() == taken.cap.abs())
            && self.role == taken.role
            && self.token_budget == taken.token_budget
    }
}

impl Store {
    /// The largest cap that a caller may ask for.
    #[must_use]
    pub fn max_cap(&self, caller: &Caller) -> usize {
        caller
            .tenant()
            .and_then(|tenant| self.inner.live.settings(tenant.as_str()))
            .map_or(MAX_CAP, |settings| settings.max_cap.clamp(1, MAX_CAP))
    }

    /// Offers a turn its catalog. A named turn keeps what it was offered first.
    ///
    /// # Errors
    /// [`StoreError::TurnConflict`] when the turn was taken with another cap, role or budget.
    pub async fn take_catalog(
        &self,
        caller: &Caller,
        request: CatalogRequest,
    ) -> StoreResult<Offered> {
        self.decide_own(caller, Action::TakeCatalog)?;
        let CatalogRequest {
            turn,
            cap,
            role,
            token_budget,
            session,
            have,
        } = request;
        let is_cap_asked = cap.is_some();
        let key = self.key(caller, role.clone(), cap, token_budget);
        let (turn, catalog) = match turn {
            Some(turn) => {
                let cap = i64::try_from(key.cap.get()).unwrap_or(i64::MAX);
                let terms = Terms {
                    cap: if is_cap_asked { cap } else { -cap },
                    role: role.as_deref().unwrap_or_default().to_owned(),
                    token_budget: key
                        .token_budget
                        .map(|budget| i64::try_from(budget).unwrap_or(i64::MAX)),
                };
                // In a box, so that the future of an unnamed turn is not larger for it.
                let catalog =
                    Box::pin(self.named_turn(caller, &turn, terms, key, session.clone())).await?;
                (turn, catalog)
            }
            None => {
                let turn = TurnName::parse(&self.inner.entropy.id("t-")?)
                    .map_err(|error| StoreError::Internal(error.to_string()))?;
                (turn, self.prepare(caller, key).await?)
            }
        };
        let now = self.inner.clock.now();
        let jti = self.inner.identity.new_jti()?;
        let ttl_seconds = self.inner.limits.offer_ttl_seconds;
        let facts = OfferFacts {
            turn: &turn,
            issued_at: now,
            ttl_seconds,
            jti,
        };
        let offer = catalog.offer.sign(caller, &facts);
        let offer_id = jti.to_string();
        let line = Line::Offer {
            at: now.0,
            principal: caller.principal_text(),
            acts_for: caller.acts_for().map(ActorId::as_str),
            turn: turn.as_str(),
            snapshot: catalog.etag(),
            offer: &offer_id,
            session: session.as_deref(),
        };
        let snapshot = || snapshot_to_keep(caller, &catalog);
        self.inner
            .journal
            .write(caller, &line, Some((&catalog.kept, &snapshot)))
            .await?;
        Ok(Offered {
            unchanged: have.is_some_and(|etag| etag == catalog.etag()),
            turn,
            offer,
            expires_at: Micros(now.seconds().saturating_mul(crate::clock::SECOND))
                .plus_seconds(ttl_seconds),
            catalog,
        })
    }

    /// The catalog that a turn of this role would get now, if it asked for no more than that.
    pub(in crate::store) async fn default_catalog(
        &self,
        caller: &Caller,
        role: Option<&Arc<str>>,
    ) -> StoreResult<Arc<PreparedCatalog>> {
        let key = self.key(caller, role.cloned(), None, None);
        self.prepare(caller, key).await
    }

    /// What a catalog depends on.
    pub(super) fn key(
        &self,
        caller: &Caller,
        role: Option<Arc<str>>,
        cap: Option<Cap>,
        token_budget: Option<usize>,
    ) -> PreparedKey {
        PreparedKey {
            // Roles are words that callers choose: one catalog serves all those that nothing is attached to.
            role: role.filter(|role| self.inner.live.attaches(caller.scopes(), role)),
            scopes: caller.shared_scopes(),
            cap: cap.unwrap_or_else(|| Cap::default_within(self.max_cap(caller))),
            token_budget,
        }
    }

    async fn named_turn(
        &self,
        caller: &Caller,
        turn: &TurnName,
        terms: Terms,
        key: PreparedKey,
        session: Option<String>,
    ) -> StoreResult<Arc<PreparedCatalog>> {
        let turn_key = turn_key(caller, turn);
        let oldest = outlived(self.inner.clock.now());
        let known = self.inner.catalogs.turns.get(&turn_key);
        let known = known.filter(|known| known.created_at > oldest);
        let known = match known {
            Some(known) => known,
            None => {
                self.claim_turn(caller, turn_key, &terms, key, session)
                    .await?
            }
        };
        if terms.agree_with(&known.terms) {
            Ok(known.catalog)
        } else {
            Err(StoreError::TurnConflict)
        }
    }

    /// Claims the turn; gives what the first to claim it was offered.
    async fn claim_turn(
        &self,
        caller: &Caller,
        turn_key: TurnKey,
        terms: &Terms,
        key: PreparedKey,
        session: Option<String>,
    ) -> StoreResult<KnownTurn> {
        let candidate = self.prepare(caller, key).await?;
        let (_, actor, agent, turn) = turn_key.clone();
        let winner = self
            .inner
            .journal
            .claim(TurnClaim {
                actor,
                agent,
                turn,
                cap: terms.cap,
                role: terms.role.clone(),
                token_budget: terms.token_budget,
                session,
                snapshot: snapshot_to_keep(caller, &candidate),
            })
            .await?;
        let catalog = if winner.snapshot == candidate.etag() {
            candidate
        } else {
            self.stored_catalog(caller.tenant(), &winner.snapshot)
                .await?
        };
        let known = KnownTurn {
            terms: Terms {
                cap: winner.cap,
                role: winner.role,
                token_budget: winner.token_budget,
            },
            catalog,
            created_at: Micros(winner.created_at),
        };
        self.inner.catalogs.turns.insert(turn_key, known.clone());
        Ok(known)
    }

    /// Decides an action whose facts are all in the credential: no row can change the answer. Gives the rule that allows it.
    pub(in crate::store) fn decide_own(
        &self,
        caller: &Caller,
        action: Action,
    ) -> StoreResult<Rule> {
        let facts = Facts {
            principal: principal(caller),
            standing: Standing::default(),
            elevation: None,
            now: self.inner.clock.now().0,
            settings: Settings::default(),
            status: None,
            name: None,
            worst_finding: None,
            proposal: None,
            room: None,
        };
        match decide(action, &Target::Server, &facts) {
            Verdict::Allow(rule) => Ok(rule),
            Verdict::Review(rule) | Verdict::Deny(rule) => {
                self.inner
                    .journal
                    .refusal(caller, action, "server".to_owned(), rule);
                Err(StoreError::Refused(rule))
            }
        }
    }
}

fn snapshot_to_keep(caller: &Caller, catalog: &PreparedCatalog) -> SnapshotToKeep {
    SnapshotToKeep {
        tenant: tenant_key(caller.tenant()),
        digest: catalog.etag().to_owned(),
        content: Arc::clone(catalog.content()),
    }
}
