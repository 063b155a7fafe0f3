//! Claiming named turns: the first claim wins, also within a batch.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, DatabaseTransaction, EntityTrait, ExprTrait as _, IntoActiveModel,
    QueryFilter,
};

use super::TurnClaim;
use super::batch::system_draft;
use crate::clock::Micros;
use crate::store::audit::Draft;
use crate::store::entity::turn;
use crate::store::error::StoreResult;
use crate::store::housekeeping::TURN_DAYS;

const DAY: i64 = 24 * 60 * 60;
/// Rows of one INSERT; a turn has ten columns, and SQLite takes 32,766 parameters.
const ROWS_AT_ONCE: usize = 64;

/// Tenant, actor, agent, turn.
pub(super) type TurnKey = (String, String, String, String);

pub(super) fn key_of(claim: &TurnClaim) -> TurnKey {
    (
        claim.snapshot.tenant.clone(),
        claim.actor.clone(),
        claim.agent.clone(),
        claim.turn.clone(),
    )
}

/// Reads the turns that were taken before, and inserts the others; the first claim of a turn in the batch wins.
pub(super) async fn claim_turns(
    tx: &DatabaseTransaction,
    claims: &[&TurnClaim],
    now: Micros,
) -> StoreResult<(HashMap<TurnKey, turn::Model>, HashSet<TurnKey>)> {
    let mut winners = HashMap::new();
    let mut new = HashSet::new();
    if claims.is_empty() {
        return Ok((winners, new));
    }
    let oldest = now.plus_seconds(-TURN_DAYS * DAY);
    for some in claims.chunks(ROWS_AT_ONCE) {
        let keys = some.iter().map(|claim| {
            let (tenant, actor, agent, turn) = key_of(claim);
            (tenant, actor, agent, turn)
        });
        let found = turn::Entity::find()
            .filter(
                Expr::tuple([
                    Expr::col(turn::Column::Tenant),
                    Expr::col(turn::Column::Actor),
                    Expr::col(turn::Column::Agent),
                    Expr::col(turn::Column::Turn),
                ])
                .in_tuples(keys),
            )
            .all(tx)
            .await?;
        for row in found {
            let key = (
                row.tenant.clone(),
                row.actor.clone(),
                row.agent.clone(),
                row.turn.clone(),
            );
            if Micros(row.created_at) > oldest {
                winners.insert(key, row);
            } else {
                turn::Entity::delete_by_id(key).exec(tx).await?;
            }
        }
        let mut rows = Vec::new();
        for claim in some {
            let key = key_of(claim);
            if winners.contains_key(&key) {
                continue;
            }
            let row = turn::Model {
                tenant: key.0.clone(),
                actor: key.1.clone(),
                agent: key.2.clone(),
                turn: key.3.clone(),
                snapshot: claim.snapshot.digest.clone(),
                cap: claim.cap,
                role: claim.role.clone(),
                token_budget: claim.token_budget,
                session: claim.session.clone(),
                created_at: now.0,
            };
            rows.push(row.clone().into_active_model().reset_all());
            winners.insert(key.clone(), row);
            new.insert(key);
        }
        if !rows.is_empty() {
            turn::Entity::insert_many(rows)
                .exec_without_returning(tx)
                .await?;
        }
    }
    Ok((winners, new))
}

/// One audit record for all the turns of a tenant that a batch began.
pub(super) fn turns_draft(
    mut turns: Vec<&TurnKey>,
    winners: &HashMap<TurnKey, turn::Model>,
) -> Draft {
    turns.sort();
    let listed: Vec<serde_json::Value> = turns
        .into_iter()
        .filter_map(|key| winners.get(key))
        .map(|row| serde_json::json!([row.actor, row.agent, row.turn, row.snapshot]))
        .collect();
    let mut detail = serde_json::Map::new();
    detail.insert("turns".to_owned(), listed.into());
    system_draft("take-catalog", "turns".to_owned(), detail)
}
