//! Reads what a decision looks at, from rows, in one statement.

use std::sync::LazyLock;

use sea_orm::{ConnectionTrait, FromQueryResult, IdenStatic as _, Iterable as _, Statement};
use vestry_policies::{Elevation, PrincipalKind, Scope, Settings, Standing, Target};

use super::actions::SkillKey;
use super::audit::Head;
use super::entity::skill;
use super::error::{StoreError, StoreResult};
use super::rows::{
    agent_own_scope_of, approvers_of, distinct_human_of, review_names_of, review_severity_of,
    role_of, tenant_key, tenant_of,
};
use crate::identity::Caller;

/// A skill whose row a decision looks at, read in the same statement as everything else.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    pub(super) key: SkillKey,
    /// Content that is about to become its.
    pub(super) digest: String,
}

/// What was found of it.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Its row.
    pub(super) row: Option<skill::Model>,
    /// How many revisions of the scope with the digest are recalled.
    pub(super) recalled: u64,
    /// How many skills the scope has that are not archived; counted only when the skill is not one of them.
    pub(super) living: Option<u64>,
    /// What the wider scopes have under its name.
    pub(super) wider: Wider,
}

/// What the wider scopes of a skill have under its name, in the database: see [`super::upstream`].
#[derive(Debug, Clone, Default)]
pub(super) struct Wider {
    /// At the tenant.
    pub(super) tenant: Option<String>,
    /// At global.
    pub(super) global: Option<String>,
    /// Whether the tenant hides the global skills of this name that are not sealed.
    pub(super) hides: bool,
}

/// What the rows say about a caller and the tenant of a target.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) standing: Standing,
    pub(super) elevation: Option<Elevation>,
    pub(super) settings: Settings,
    /// Whether the target's tenant exists; true for global.
    pub(super) tenant_exists: bool,
    pub(super) quotas: Quotas,
    /// The end of the chain of the target's tenant.
    pub(super) head: Head,
    /// What was sought; none when nothing was.
    pub(super) found: Option<Found>,
}

/// How much a tenant may keep.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quotas {
    pub(super) skills_per_actor: u64,
    pub(super) skills_per_tenant: u64,
    pub(super) revisions_per_skill: u64,
    pub(super) open_proposals: u64,
    /// How many days a proposal waits for decisions.
    pub(super) proposal_days: i64,
}

#[derive(Debug, FromQueryResult)]
struct Row {
    global_admin: Option<bool>,
    role: Option<i16>,
    actor_epoch: Option<i64>,
    actor_ended: Option<bool>,
    session_expires: Option<i64>,
    session_revoked: Option<i64>,
    key_revoked: Option<i64>,
    service_epoch: Option<i64>,
    service_revoked: Option<i64>,
    elevation_expires: Option<i64>,
    elevation_tenant: Option<String>,
    agent_own_scope: Option<i16>,
    skills_per_actor: Option<i64>,
    skills_per_tenant: Option<i64>,
    revisions_per_skill: Option<i64>,
    required_approvals: Option<i64>,
    approvers: Option<String>,
    distinct_human: Option<i16>,
    review_names: Option<String>,
    review_severity: Option<i16>,
    proposal_days: Option<i64>,
    max_open_proposals: Option<i64>,
    head_seq: Option<i64>,
    head_hash: Option<String>,
}

// `$n` works on SQLite and on PostgreSQL; scalar subqueries give NULL for a missing row, never no row.
const SQL: &str = "SELECT \
 (SELECT global_admin FROM users WHERE username_key = $1) AS global_admin, \
 (SELECT role FROM members WHERE tenant = $2 AND username = $3) AS role, \
 (SELECT epoch FROM actor_epochs WHERE tenant = $4 AND actor = $5) AS actor_epoch, \
 (SELECT ended FROM actor_epochs WHERE tenant = $4 AND actor = $5) AS actor_ended, \
 (SELECT expires_at FROM sessions WHERE id = $6) AS session_expires, \
 (SELECT revoked_at FROM sessions WHERE id = $6) AS session_revoked, \
 (SELECT revoked_at FROM user_keys WHERE tenant = $4 AND username = $3 AND id = $7) AS key_revoked, \
 (SELECT epoch FROM services WHERE tenant = $4 AND id = $8) AS service_epoch, \
 (SELECT revoked_at FROM services WHERE tenant = $4 AND id = $8) AS service_revoked, \
 (SELECT expires_at FROM elevations WHERE id = $9 AND session = $6 AND username = $3 \
   AND revoked_at IS NULL) AS elevation_expires, \
 (SELECT scope_tenant FROM elevations WHERE id = $9) AS elevation_tenant, \
 (SELECT agent_own_scope FROM tenants WHERE tenant = $2) AS agent_own_scope, \
 (SELECT skills_per_actor FROM tenants WHERE tenant = $2) AS skills_per_actor, \
 (SELECT skills_per_tenant FROM tenants WHERE tenant = $2) AS skills_per_tenant, \
 (SELECT revisions_per_skill FROM tenants WHERE tenant = $2) AS revisions_per_skill, \
 (SELECT required_approvals FROM tenants WHERE tenant = $2) AS required_approvals, \
 (SELECT approvers FROM tenants WHERE tenant = $2) AS approvers, \
 (SELECT distinct_human FROM tenants WHERE tenant = $2) AS distinct_human, \
 (SELECT review_names FROM tenants WHERE tenant = $2) AS review_names, \
 (SELECT review_severity FROM tenants WHERE tenant = $2) AS review_severity, \
 (SELECT proposal_days FROM tenants WHERE tenant = $2) AS proposal_days, \
 (SELECT max_open_proposals FROM tenants WHERE tenant = $2) AS max_open_proposals, \
 (SELECT seq FROM audit_heads WHERE tenant = $2) AS head_seq, \
 (SELECT hash FROM audit_heads WHERE tenant = $2) AS head_hash";

// The sums keep the database from searching by the scope, which has as many revisions as it has seen; by the digest there
// are few.
const SOUGHT: &str = ", {SKILL}, \
 (SELECT count(*) FROM revisions WHERE tenant = $10 AND digest = $15 AND recall <> 0 \
   AND scope_kind + 0 = $11 AND scope_id || '' = $12) AS recalled, \
 CASE WHEN s.name IS NULL OR s.archived THEN coalesce((SELECT living FROM scope_sizes WHERE tenant = $10 \
   AND scope_kind = $11 AND scope_id = $12), 0) END AS living, \
 (SELECT {STATE} FROM skills WHERE tenant = $10 AND scope_kind = 1 AND scope_id = '' AND kind = $13 AND name = $14 \
   AND $11 > 1) AS at_tenant, \
 (SELECT {STATE} FROM skills WHERE tenant = '~' AND scope_kind = 0 AND scope_id = '' AND kind = $13 AND name = $14 \
   AND $11 > 0) AS at_global, \
 EXISTS (SELECT 1 FROM hidden_skills WHERE tenant = $10 AND name = $14 AND $11 > 0) AS hides \
 FROM (SELECT 1) AS one LEFT JOIN skills AS s ON s.tenant = $10 AND s.scope_kind = $11 AND s.scope_id = $12 \
   AND s.kind = $13 AND s.name = $14";

static SQL_AND_SOUGHT: LazyLock<String> = LazyLock::new(|| {
    // By name, and not all that there are: PostgreSQL refuses a prepared statement whose columns have become others, and a newer
    // version may add one while this one serves.
    let columns: Vec<String> = skill::Column::iter()
        .map(|column| format!("s.{}", column.as_str()))
        .collect();
    format!("{SQL}{SOUGHT}")
        .replace("{STATE}", super::upstream::STATE)
        .replace("{SKILL}", &columns.join(", "))
});

/// Reads the facts about `caller` and the tenant of `target`.
///
/// # Errors
/// [`StoreError::AuthorityEnded`] when the rows say that the caller's authority has ended.
pub(super) async fn read<C: ConnectionTrait>(
    db: &C,
    caller: &Caller,
    target: &Target,
) -> StoreResult<Known> {
    read_with(db, caller, target, None).await
}

/// Reads the same, and a skill with it.
///
/// # Errors
/// As [`read`].
pub(super) async fn read_with<C: ConnectionTrait>(
    db: &C,
    caller: &Caller,
    target: &Target,
    sought: Option<Sought>,
) -> StoreResult<Known> {
    let username = caller.username();
    let target_tenant = match target {
        Target::Server => None,
        Target::Tenant(tenant) => Some(tenant),
        Target::Scope(scope) => scope.tenant(),
    };
    let text = |value: Option<&str>| sea_orm::Value::from(value.unwrap_or_default().to_owned());
    let mut values: Vec<sea_orm::Value> = vec![
        username
            .map(|name| name.folded())
            .unwrap_or_default()
            .into(),
        tenant_key(target_tenant).into(),
        text(username.map(vestry_policies::Username::as_str)),
        tenant_key(caller.tenant()).into(),
        text(caller.actor().map(vestry_policies::ActorId::as_str)),
        text(caller.session_id()),
        text(caller.key_id()),
        text(caller.service_id()),
        text(caller.elevation().map(|elevation| &*elevation.id)),
    ];
    let seeks = sought.is_some();
    if let Some(Sought { key, digest }) = sought {
        let (tenant, scope_kind, scope_id, kind, name) = key;
        values.extend([
            tenant.into(),
            scope_kind.into(),
            scope_id.into(),
            kind.into(),
            name.into(),
            digest.into(),
        ]);
    }
    let sql: &str = if seeks { &SQL_AND_SOUGHT } else { SQL };
    let statement = Statement::from_sql_and_values(db.get_database_backend(), sql, values);
    let result = db
        .query_one_raw(statement)
        .await?
        .ok_or_else(|| StoreError::Internal("the facts of a caller gave no row".to_owned()))?;
    let row = Row::from_query_result(&result, "")?;
    let found = if seeks {
        let count = |column: &str| -> StoreResult<Option<u64>> {
            let count: Option<i64> = result.try_get("", column)?;
            Ok(count.map(|count| u64::try_from(count).unwrap_or(u64::MAX)))
        };
        Some(Found {
            row: skill::Model::from_query_result_optional(&result, "")?,
            recalled: count("recalled")?.unwrap_or(0),
            living: count("living")?,
            wider: Wider {
                tenant: result.try_get("", "at_tenant")?,
                global: result.try_get("", "at_global")?,
                hides: result.try_get("", "hides")?,
            },
        })
    } else {
        None
    };
    if !authority_stands(caller, &row) {
        return Err(StoreError::AuthorityEnded);
    }
    let settings = settings_of(&row)?;
    let elevation = match (row.elevation_expires, row.elevation_tenant) {
        (Some(expires_at), Some(tenant)) => Some(Elevation {
            scope: tenant_of(&tenant)?.map_or(Scope::Global, Scope::Tenant),
            expires_at,
        }),
        _ => None,
    };
    let quota = |column: Option<i64>, default: u64| {
        column.map_or(default, |value| u64::try_from(value).unwrap_or(0))
    };
    Ok(Known {
        standing: Standing {
            global_admin: row.global_admin.unwrap_or(false),
            role: row.role.map(role_of).transpose()?,
        },
        elevation,
        settings,
        found,
        head: Head::of(&tenant_key(target_tenant), row.head_seq.zip(row.head_hash)),
        tenant_exists: target_tenant.is_none() || row.agent_own_scope.is_some(),
        quotas: Quotas {
            skills_per_actor: quota(row.skills_per_actor, super::settings::SKILLS_PER_ACTOR),
            skills_per_tenant: quota(row.skills_per_tenant, super::settings::SKILLS_PER_TENANT),
            revisions_per_skill: quota(
                row.revisions_per_skill,
                super::settings::REVISIONS_PER_SKILL,
            ),
            open_proposals: quota(row.max_open_proposals, super::settings::MAX_OPEN_PROPOSALS),
            proposal_days: row.proposal_days.unwrap_or(super::settings::PROPOSAL_DAYS),
        },
    })
}

/// What a tenant has set; the defaults where there is no tenant.
fn settings_of(row: &Row) -> StoreResult<Settings> {
    let defaults = Settings::default();
    let (Some(own_scope), Some(required), Some(distinct)) = (
        row.agent_own_scope,
        row.required_approvals,
        row.distinct_human,
    ) else {
        return Ok(defaults);
    };
    Ok(Settings {
        agent_own_scope: agent_own_scope_of(own_scope)?,
        required_approvals: u8::try_from(required).unwrap_or(u8::MAX),
        approvers: approvers_of(row.approvers.as_deref().unwrap_or("[]"))?.into(),
        distinct_human: distinct_human_of(distinct)?,
        review_names: review_names_of(row.review_names.as_deref().unwrap_or("[]"))?.into(),
        review_severity: review_severity_of(row.review_severity.unwrap_or(0))?,
    })
}

/// Whether the authority that the caller's token was issued under still stands, by the rows.
fn authority_stands(caller: &Caller, row: &Row) -> bool {
    let actor_stands = caller.actor().is_none()
        || (!row.actor_ended.unwrap_or(false)
            && row.actor_epoch.unwrap_or(0) == i64::from(caller.actor_epoch().unwrap_or(0)));
    let principal_stands = match caller.kind() {
        PrincipalKind::Human => {
            row.global_admin.is_some()
                && (caller.session_id().is_none()
                    || (row.session_expires.is_some() && row.session_revoked.is_none()))
                && row.key_revoked.is_none()
        }
        PrincipalKind::Agent | PrincipalKind::Service => {
            row.service_epoch == caller.service_epoch().map(i64::from)
                && row.service_revoked.is_none()
        }
    };
    actor_stands && principal_stands
}
