//! Lists of proposals: those that the caller may read, newest first.

use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, ExprTrait as _, QueryFilter, QueryOrder, QuerySelect,
};
use vestry_policies::{Action, PrincipalKind, ProposalState, Scope, Target};

use super::row::ProposalRow;
use crate::clock::Micros;
use crate::identity::Caller;
use crate::store::actions::find as find_skill;
use crate::store::entity::{proposal, user};
use crate::store::error::{StoreError, StoreResult};
use crate::store::pool::Transaction;
use crate::store::proposals::scope_of_row;
use crate::store::queries::{PageOf, PageRequest};
use crate::store::rows::{ScopeKey, item_of, proposal_state_code, tenant_key};
use crate::store::view::{Fetch, Query, View};

/// Lists proposals.
#[derive(Debug, Clone)]
pub struct ListProposals {
    /// Only those in this state.
    pub state: Option<ProposalState>,
    /// Only those for this scope.
    pub scope: Option<Scope>,
    /// Only those of the caller's own, and of whoever acts for it.
    pub mine: bool,
    /// The page.
    pub page: PageRequest,
}

impl Query for ListProposals {
    type Answer = PageOf<ProposalRow>;
    const ACTION: Action = Action::ReadProposal;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for ListProposals {
    async fn fetch(self, view: &View<'_>) -> StoreResult<PageOf<ProposalRow>> {
        let mut filter = Condition::all().add(readable(view.db, view.caller).await?);
        if let Some(scope) = &self.scope {
            if !view.caller.scopes().contains(scope) {
                return Err(StoreError::NotFound(scope.to_string()));
            }
            filter = filter.add(at(scope));
        }
        if self.mine {
            filter = filter.add(by(view.caller));
        }
        if let Some(state) = self.state {
            filter = filter.add(in_state(state, view.now));
        }
        if let Some(place) = &self.page.after {
            filter = filter.add(after(place)?);
        }
        let rows = proposal::Entity::find()
            .filter(filter)
            .order_by_desc(proposal::Column::CreatedAt)
            .order_by_desc(proposal::Column::Tenant)
            .order_by_desc(proposal::Column::Number)
            .limit(self.page.fetch())
            .all(view.db)
            .await?;
        let page = PageOf::of(rows, &self.page, |row| {
            vec![
                row.created_at.to_string(),
                row.tenant.clone(),
                row.number.to_string(),
            ]
        });
        let mut items = Vec::with_capacity(page.items.len());
        for row in page.items {
            items.push(listed(view, &row).await?);
        }
        Ok(PageOf {
            items,
            next: page.next,
        })
    }
}

/// Other proposals for the target of one, that the caller may read and that wait.
pub(super) async fn beside(
    view: &View<'_>,
    row: &proposal::Model,
) -> StoreResult<Vec<ProposalRow>> {
    /// More than these are no help to anyone.
    const MOST: u64 = 50;
    let filter = Condition::all()
        .add(readable(view.db, view.caller).await?)
        .add(at(&scope_of_row(row)?))
        .add(proposal::Column::Name.eq(row.name.as_str()))
        .add(proposal::Column::Kind.eq(row.kind))
        .add(proposal::Column::Number.ne(row.number))
        .add(proposal::Column::State.eq(proposal_state_code(ProposalState::Open)))
        .add(proposal::Column::ExpiresAt.gt(view.now.0));
    let rows = proposal::Entity::find()
        .filter(filter)
        .order_by_desc(proposal::Column::CreatedAt)
        .order_by_desc(proposal::Column::Number)
        .limit(MOST)
        .all(view.db)
        .await?;
    let mut found = Vec::with_capacity(rows.len());
    for row in rows {
        found.push(listed(view, &row).await?);
    }
    Ok(found)
}

async fn listed(view: &View<'_>, row: &proposal::Model) -> StoreResult<ProposalRow> {
    let current = find_skill(view.db, &scope_of_row(row)?, &item_of(row.kind, &row.name)?).await?;
    ProposalRow::of(row, current.as_ref(), view.now)
}

/// The same that `decide` says of one, for many at once; a test holds the two to each other.
async fn readable(db: &Transaction, caller: &Caller) -> StoreResult<Condition> {
    use proposal::Column;
    let mut any = Condition::any();
    let own_actor = caller.tenant().zip(caller.actor());
    if let Some((tenant, actor)) = own_actor {
        let scope = Scope::Actor {
            tenant: Some(tenant.clone()),
            actor: actor.clone(),
        };
        any = any.add(at(&scope));
        // By an agent that acted for this actor.
        any = any.add(
            Condition::all()
                .add(in_reach(caller))
                .add(Column::AuthorTenant.eq(tenant.as_str()))
                .add(Column::ActsFor.eq(actor.as_str())),
        );
        if caller.kind() == PrincipalKind::Agent {
            // By this actor itself.
            any = any.add(
                Condition::all()
                    .add(in_reach(caller))
                    .add(Column::AuthorTenant.eq(tenant.as_str()))
                    .add(Column::Author.eq(format!("human:{actor}"))),
            );
        }
    }
    if let Some(username) = caller.username() {
        any = any.add(
            Condition::all()
                .add(in_reach(caller))
                .add(Column::Author.eq(format!("human:{username}"))),
        );
        if let Some(tenant) = caller.tenant() {
            any = any.add(at(&Scope::Tenant(tenant.clone())));
        }
        let is_admin = user::Entity::find_by_id(username.folded())
            .one(db)
            .await?
            .is_some_and(|row| row.global_admin);
        if is_admin {
            any = any.add(at(&Scope::Global));
        }
    }
    // A condition of nothing is true of everything.
    any = any.add(Expr::cust("1 = 0"));
    Ok(any)
}

/// Those that the caller proposed, or that an agent of its actor did.
fn by(caller: &Caller) -> Condition {
    use proposal::Column;
    let mut any = Condition::any();
    if let Some(actor) = caller.actor() {
        any = any
            .add(Column::ActsFor.eq(actor.as_str()))
            .add(Column::Author.eq(format!("human:{actor}")));
    } else if let Some(username) = caller.username() {
        any = any.add(Column::Author.eq(format!("human:{username}")));
    }
    Condition::all()
        .add(Column::AuthorTenant.eq(tenant_key(caller.tenant())))
        // A condition of nothing is true of everything.
        .add(any.add(Expr::cust("1 = 0")))
}

/// Those whose scope can be one of the caller's: at its tenant itself, and at global. Whatever is for another actor's scope
/// is that actor's to know of.
fn in_reach(caller: &Caller) -> Condition {
    use proposal::Column;
    let mut any = Condition::any().add(at(&Scope::Global));
    if let Some(tenant) = caller.tenant() {
        any = any.add(
            Condition::all()
                .add(Column::Tenant.eq(tenant_key(Some(tenant))))
                .add(Column::ScopeKind.eq(ScopeKey::of(&Scope::Tenant(tenant.clone())).kind)),
        );
    }
    any
}

fn at(scope: &Scope) -> Condition {
    use proposal::Column;
    let key = ScopeKey::of(scope);
    Condition::all()
        .add(Column::Tenant.eq(key.tenant))
        .add(Column::ScopeKind.eq(key.kind))
        .add(Column::ScopeId.eq(key.id))
}

/// The same as `state_of`, in the database.
fn in_state(state: ProposalState, now: Micros) -> Condition {
    use proposal::Column;
    let recorded = |state| Column::State.eq(proposal_state_code(state));
    let waits = || Condition::all().add(recorded(ProposalState::Open));
    match state {
        ProposalState::Open => waits()
            .add(Column::ExpiresAt.gt(now.0))
            .add(base_is_current()),
        ProposalState::Stale => waits()
            .add(Column::ExpiresAt.gt(now.0))
            .add(base_is_current().not()),
        ProposalState::Expired => Condition::any()
            .add(recorded(ProposalState::Expired))
            .add(waits().add(Column::ExpiresAt.lte(now.0))),
        ProposalState::Published | ProposalState::Rejected | ProposalState::Withdrawn => {
            Condition::all().add(recorded(state))
        }
    }
}

/// Whether the skill is where it was: its last revision, and whether it is living and not recalled.
fn base_is_current() -> SimpleExpr {
    Expr::cust(format!(
        "coalesce((SELECT s.last_revision = proposals.base_revision \
           AND (NOT s.archived AND s.recall = 0) = (proposals.base_digest IS NOT NULL) FROM skills AS s \
         WHERE s.tenant = proposals.tenant AND s.scope_kind = proposals.scope_kind \
           AND s.scope_id = proposals.scope_id AND s.kind = proposals.kind AND s.name = proposals.name), \
         proposals.base_revision = {NOTHING})"
    ))
}

/// The revision of a skill that there never was.
const NOTHING: i64 = 0;

/// What comes after a place in the list.
fn after(place: &[String]) -> StoreResult<Condition> {
    use proposal::Column;
    let damaged = || StoreError::Internal("a cursor has the wrong position".to_owned());
    let [created_at, tenant, number] = place else {
        return Err(damaged());
    };
    let created_at: i64 = created_at.parse().map_err(|_| damaged())?;
    let number: i64 = number.parse().map_err(|_| damaged())?;
    Ok(Condition::any()
        .add(Column::CreatedAt.lt(created_at))
        .add(
            Condition::all()
                .add(Column::CreatedAt.eq(created_at))
                .add(Column::Tenant.lt(tenant.as_str())),
        )
        .add(
            Condition::all()
                .add(Column::CreatedAt.eq(created_at))
                .add(Column::Tenant.eq(tenant.as_str()))
                .add(Column::Number.lt(number)),
        ))
}
