//! Claiming named turns: the first claim wins, also within a batch.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbBackend, EntityTrait, ExprTrait as _, QueryFilter,
    Statement, Value,
};

use super::TurnClaim;
use super::written::system_draft;
use crate::clock::Micros;
use crate::store::audit::Draft;
use crate::store::entity::turn;
use crate::store::error::{StoreError, StoreResult};
use crate::store::pool::Transaction;
use crate::store::turns::{TurnKey, outlived};

/// Rows of one INSERT; a turn has ten columns, and SQLite takes 32,766 parameters.
const ROWS_AT_ONCE: usize = 64;
const COLUMNS: usize = 10;

pub(super) fn key_of(claim: &TurnClaim) -> TurnKey {
    (
        claim.snapshot.tenant.clone(),
        claim.actor.clone(),
        claim.agent.clone(),
        claim.turn.clone(),
    )
}

/// What is known of the turns of a batch before they are inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Nothing: most turns are new, so they are inserted as if all were.
    Unknown,
    /// Some were taken before: which, is asked first.
    SomeTaken,
}

/// The turns of a batch: what each of them was offered first, and which of them are new.
#[derive(Debug, Default)]
pub(super) struct Claimed {
    pub(super) winners: HashMap<TurnKey, turn::Model>,
    pub(super) new: HashSet<TurnKey>,
}

/// Inserts the turns that nobody has taken, and reads the others; the first claim of a turn in the batch wins.
///
/// Nothing, when all were thought to be new and some were not: then the transaction has to be given up, and done again
/// with [`Before::SomeTaken`].
pub(super) async fn claim_turns(
    tx: &Transaction,
    claims: &[&TurnClaim],
    now: Micros,
    before: Before,
) -> StoreResult<Option<Claimed>> {
    let mut candidates = Vec::with_capacity(claims.len());
    let mut winners = HashMap::with_capacity(claims.len());
    for claim in claims {
        if let Entry::Vacant(entry) = winners.entry(key_of(claim)) {
            candidates.push(entry.key().clone());
            entry.insert(row_of(claim, now));
        }
    }
    if before == Before::SomeTaken {
        let mut taken_keys = HashSet::new();
        for keys in candidates.chunks(ROWS_AT_ONCE) {
            for row in taken(tx, keys.to_vec(), now).await? {
                let key = (
                    row.tenant.clone(),
                    row.actor.clone(),
                    row.agent.clone(),
                    row.turn.clone(),
                );
                taken_keys.insert(key.clone());
                winners.insert(key, row);
            }
        }
        candidates.retain(|key| !taken_keys.contains(key));
    }
    for keys in candidates.chunks(ROWS_AT_ONCE) {
        if insert(tx, keys, &winners, now).await? != keys.len() as u64 {
            return match before {
                Before::Unknown => Ok(None),
                Before::SomeTaken => Err(StoreError::Internal(
                    "a turn was taken while the writer was held".to_owned(),
                )),
            };
        }
    }
    Ok(Some(Claimed {
        winners,
        new: candidates.into_iter().collect(),
    }))
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

/// Inserts rows, in place of those that have outlived their time; gives how many were inserted.
///
/// One statement, written by hand: there is one text for each number of rows, which the connection keeps prepared. A query
/// builder would spend more time on it than the database. It returns no rows, each of which would go from SQLite's thread to
/// this one.
async fn insert(
    tx: &Transaction,
    keys: &[TurnKey],
    rows: &HashMap<TurnKey, turn::Model>,
    now: Micros,
) -> StoreResult<u64> {
    let backend = tx.get_database_backend();
    let mut sql = String::with_capacity(600 + keys.len() * 48);
    sql.push_str(
        "INSERT INTO turns \
         (tenant, actor, agent, turn, snapshot, cap, role, token_budget, session, created_at) VALUES ",
    );
    let mut values: Vec<Value> = Vec::with_capacity(keys.len() * COLUMNS + 1);
    for (at, row) in keys.iter().filter_map(|key| rows.get(key)).enumerate() {
        sql.push_str(if at == 0 { "(" } else { ",(" });
        for column in 0..COLUMNS {
            if column > 0 {
                sql.push(',');
            }
            push_parameter(&mut sql, backend, at * COLUMNS + column + 1);
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
    values.push(outlived(now).0.into());
    sql.push_str(
        " ON CONFLICT (tenant, actor, agent, turn) DO UPDATE SET snapshot = excluded.snapshot, \
         cap = excluded.cap, role = excluded.role, token_budget = excluded.token_budget, \
         session = excluded.session, created_at = excluded.created_at \
         WHERE turns.created_at <= ",
    );
    push_parameter(&mut sql, backend, values.len());
    let statement = Statement::from_sql_and_values(backend, sql, values);
    Ok(tx.execute_raw(statement).await?.rows_affected())
}

/// Adds the parameter of this number, counted from one. SQLite's have no numbers: the driver asks for the name of each
/// that has one, and SQLite looks through all of them for it.
fn push_parameter(sql: &mut String, backend: DbBackend, number: usize) {
    if backend == DbBackend::Sqlite {
        sql.push('?');
    } else {
        sql.push('$');
        sql.push_str(&number.to_string());
    }
}

/// The rows of turns that were taken before, and hold.
async fn taken(tx: &Transaction, keys: Vec<TurnKey>, now: Micros) -> StoreResult<Vec<turn::Model>> {
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
        .filter(turn::Column::CreatedAt.gt(outlived(now).0))
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
