//! Which actors a tenant knows, and what they keep: read by indexes, and no more than the budget allows.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, Statement, Value};
use vestry_policies::{ActorId, TenantId};

use super::{ACTORS, ROWS, Where};
use crate::store::dialect;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{KIND_SKILL, MODE_AMBIENT, MODE_TRIGGERED, RECALL_NONE, tenant_of};

/// The skills that one statement gives.
const PAGE: usize = 20_000;

/// What may still be looked at for a question.
#[derive(Debug)]
pub(super) struct Budget {
    actors: usize,
    rows: usize,
    is_exceeded: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            actors: ACTORS,
            rows: ROWS,
            is_exceeded: false,
        }
    }
}

impl Budget {
    /// Whether nothing more can be looked at. What is left out then is noted.
    pub(super) fn is_spent(&mut self) -> bool {
        let is_spent = self.actors == 0 || self.rows == 0;
        self.is_exceeded |= is_spent;
        is_spent
    }

    /// Whether something had to be left out.
    pub(super) fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }
}

/// The tenants that may know an actor, in order.
pub(super) async fn tenants<C: ConnectionTrait>(
    db: &C,
    budget: &mut Budget,
) -> StoreResult<Vec<TenantId>> {
    const SQL: &str = "SELECT json_group_array(tenant) AS found FROM (SELECT tenant FROM tenants AS t \
         WHERE EXISTS (SELECT 1 FROM members WHERE tenant = t.tenant) \
         OR EXISTS (SELECT 1 FROM scope_sizes WHERE tenant = t.tenant AND scope_kind = 2) \
         OR EXISTS (SELECT 1 FROM turns WHERE tenant = t.tenant) ORDER BY tenant_key LIMIT $1) AS listed";
    let mut found = texts(db, SQL, vec![limit(ACTORS + 1)]).await?;
    budget.is_exceeded |= found.len() > ACTORS;
    found.truncate(ACTORS);
    found
        .iter()
        .map(|text| {
            tenant_of(text)?
                .ok_or_else(|| StoreError::Internal("global is listed as a tenant".to_owned()))
        })
        .collect()
}

/// The actors that a tenant knows, in order: its members, those with skills, and those with named turns that are kept.
/// Those whose authority has ended are left out.
///
/// The actors of turns are found by jumping from one to the next in the key of the table, because one actor may have very
/// many.
pub(super) async fn known<C: ConnectionTrait>(
    db: &C,
    tenant: &str,
    budget: &mut Budget,
) -> StoreResult<Vec<ActorId>> {
    const SQL: &str = "WITH RECURSIVE turned(actor, found) AS (\
         SELECT min(actor), 1 FROM turns WHERE tenant = $1 \
         UNION ALL SELECT (SELECT min(actor) FROM turns WHERE tenant = $1 AND actor > turned.actor), found + 1 FROM turned \
         WHERE turned.actor IS NOT NULL AND found < $2), \
         known(actor) AS (\
         SELECT * FROM (SELECT username FROM members WHERE tenant = $1 ORDER BY username LIMIT $2) AS members \
         UNION SELECT actor FROM turned WHERE actor IS NOT NULL \
         UNION SELECT * FROM (SELECT scope_id FROM scope_sizes WHERE tenant = $1 AND scope_kind = 2 AND living > 0 \
         ORDER BY scope_id LIMIT $2) AS owners) \
         SELECT json_group_array(actor) AS found FROM (SELECT actor FROM known WHERE NOT EXISTS \
         (SELECT 1 FROM actor_epochs WHERE tenant = $1 AND actor = known.actor AND ended) ORDER BY actor LIMIT $2) AS actors";
    // Each part gives its first ones in order, so that the first ones of all are among them.
    let values = vec![tenant.into(), limit(ACTORS + 2)];
    let mut found = texts(db, SQL, values).await?;
    if found.len() > budget.actors {
        found.truncate(budget.actors);
        budget.is_exceeded = true;
    }
    budget.actors -= found.len();
    found
        .iter()
        .map(|text| {
            ActorId::parse(text).map_err(|error| {
                StoreError::Internal(format!("a stored row has an unreadable actor: {error}"))
            })
        })
        .collect()
}

/// The names of the skills that take part, in order, of each actor of a tenant that has any.
pub(super) async fn own_names<C: ConnectionTrait>(
    db: &C,
    tenant: &str,
    of: Where,
    budget: &mut Budget,
) -> StoreResult<BTreeMap<String, Vec<String>>> {
    const SQL: &str = "SELECT json_group_array(json_array(scope_id, name)) AS found FROM (SELECT scope_id, name FROM skills \
         WHERE tenant = $1 AND scope_kind = 2 AND (scope_id, kind, name) > ($2, $3, $4) AND kind = $3 AND mode = $5 \
         AND archived = FALSE AND disabled = FALSE AND recall = $6 ORDER BY scope_id, kind, name LIMIT $7) AS own";
    let mut own: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut after = (String::new(), String::new());
    loop {
        let page = PAGE.min(budget.rows);
        let values = vec![
            tenant.into(),
            after.0.as_str().into(),
            KIND_SKILL.into(),
            after.1.as_str().into(),
            match of {
                Where::Catalogs => MODE_TRIGGERED.into(),
                Where::Openings => MODE_AMBIENT.into(),
            },
            RECALL_NONE.into(),
            limit(page),
        ];
        let text = one(db, SQL, values).await?;
        let rows: Vec<(String, String)> = serde_json::from_str(&text)?;
        let is_last = rows.len() < page;
        budget.rows -= rows.len();
        if let Some(last) = rows.last() {
            after.clone_from(last);
        }
        for (actor, name) in rows {
            own.entry(actor).or_default().push(name);
        }
        if is_last {
            return Ok(own);
        }
        if budget.rows == 0 {
            budget.is_exceeded = true;
            return Ok(own);
        }
    }
}

fn limit(rows: usize) -> Value {
    i64::try_from(rows).unwrap_or(i64::MAX).into()
}

async fn texts<C: ConnectionTrait>(
    db: &C,
    sql: &str,
    values: Vec<Value>,
) -> StoreResult<Vec<String>> {
    Ok(serde_json::from_str(&one(db, sql, values).await?)?)
}

/// The one text that a statement gives as `found`. A row of its own for each would go from SQLite's thread to ours by
/// itself.
async fn one<C: ConnectionTrait>(db: &C, sql: &str, values: Vec<Value>) -> StoreResult<String> {
    let backend = db.get_database_backend();
    let statement = Statement::from_sql_and_values(backend, dialect::json(sql, backend), values);
    let row = db
        .query_one_raw(statement)
        .await?
        .ok_or_else(|| StoreError::Internal("an aggregate gave no row".to_owned()))?;
    Ok(row.try_get("", "found")?)
}
