//! Claiming named turns: the first claim wins, also within a batch.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::Expr;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, EntityTrait, ExprTrait as _, QueryFilter, Statement,
    Value,
};

use super::TurnClaim;
use super::batch::system_draft;
use crate::clock::Micros;
use crate::store::audit::Draft;
use crate::store::entity::turn;
use crate::store::error::{StoreError, StoreResult};
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

/// Inserts the turns that nobody has taken, and reads the others; the first claim of a turn in the batch wins.
pub(super) async fn claim_turns(
    tx: &DatabaseTransaction,
    claims: &[&TurnClaim],
    now: Micros,
) -> StoreResult<(HashMap<TurnKey, turn::Model>, HashSet<TurnKey>)> {
    let mut candidates = Vec::with_capacity(claims.len());
    let mut winners = HashMap::with_capacity(claims.len());
    for claim in claims {
        let key = key_of(claim);
        if !winners.contains_key(&key) {
            winners.insert(key.clone(), row_of(claim, now));
            candidates.push(key);
        }
    }
    let mut new = HashSet::with_capacity(candidates.len());
    for keys in candidates.chunks(ROWS_AT_ONCE) {
        let before = new.len();
        insert(tx, keys, &winners, now, &mut new).await?;
        if new.len() - before == keys.len() {
            continue;
        }
        let lost = keys
            .iter()
            .filter(|key| !new.contains(*key))
            .cloned()
            .collect();
        for row in taken(tx, lost).await? {
            let key = (
                row.tenant.clone(),
                row.actor.clone(),
                row.agent.clone(),
                row.turn.clone(),
            );
            winners.insert(key, row);
        }
    }
    Ok((winners, new))
}

fn row_of(claim: &TurnClaim, now: Micros) -> turn::Model {
    turn::Model {
        tenant: claim.snapshot.tenant.clone(),
        actor: claim.actor.clone(),
        agent: claim.agent.clone(),
        turn: claim.turn.clone(),
        snapshot: claim.snapshot.digest.clone(),
        cap: claim.cap,
        role: claim.role.clone(),
        token_budget: claim.token_budget,
        session: claim.session.clone(),
        created_at: now.0,
    }
}

/// Inserts rows, in place of those that have outlived their time; adds the keys of those that were inserted to `new`.
///
/// One statement, written by hand: there is one text for each number of rows, which the connection keeps prepared. A query
/// builder would spend more time on it than the database.
async fn insert(
    tx: &DatabaseTransaction,
    keys: &[TurnKey],
    rows: &HashMap<TurnKey, turn::Model>,
    now: Micros,
    new: &mut HashSet<TurnKey>,
) -> StoreResult<()> {
    let mut sql = String::with_capacity(600 + keys.len() * 48);
    sql.push_str(
        "INSERT INTO turns \
         (tenant, actor, agent, turn, snapshot, cap, role, token_budget, session, created_at) VALUES ",
    );
    let mut values: Vec<Value> = Vec::with_capacity(keys.len() * 10 + 1);
    let mut number = 0;
    for (at, row) in keys.iter().filter_map(|key| rows.get(key)).enumerate() {
        sql.push_str(if at == 0 { "(" } else { ",(" });
        for column in 0..10 {
            number += 1;
            sql.push_str(if column == 0 { "$" } else { ",$" });
            sql.push_str(&number.to_string());
        }
        sql.push(')');
        values.extend([
            row.tenant.as_str().into(),
            row.actor.as_str().into(),
            row.agent.as_str().into(),
            row.turn.as_str().into(),
            row.snapshot.as_str().into(),
            row.cap.into(),
            row.role.as_str().into(),
            row.token_budget.into(),
            row.session.clone().into(),
            row.created_at.into(),
        ]);
    }
    values.push(now.plus_seconds(-TURN_DAYS * DAY).0.into());
    sql.push_str(
        " ON CONFLICT (tenant, actor, agent, turn) DO UPDATE SET snapshot = excluded.snapshot, \
         cap = excluded.cap, role = excluded.role, token_budget = excluded.token_budget, \
         session = excluded.session, created_at = excluded.created_at \
         WHERE turns.created_at <= $",
    );
    sql.push_str(&(number + 1).to_string());
    sql.push_str(" RETURNING tenant, actor, agent, turn");
    let statement = Statement::from_sql_and_values(tx.get_database_backend(), sql, values);
    for row in tx.query_all_raw(statement).await? {
        let column = |at: usize| -> StoreResult<String> {
            row.try_get_by_index(at)
                .map_err(|error| StoreError::Internal(format!("a turn gave no key: {error:?}")))
        };
        new.insert((column(0)?, column(1)?, column(2)?, column(3)?));
    }
    Ok(())
}

/// The rows of turns that were taken before.
async fn taken(tx: &DatabaseTransaction, keys: Vec<TurnKey>) -> StoreResult<Vec<turn::Model>> {
    Ok(turn::Entity::find()
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
        .await?)
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
