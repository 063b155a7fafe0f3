//! Functions that do in one round trip what would take several. They run as whoever calls them, under the policies.

/// The class of the advisory lock on everything, with the key 0: shared by writes in a tenant, exclusive for writes at global.
/// Transaction-scoped, `pg_advisory_xact_lock(class, key)`.
pub const GLOBAL_LOCK_CLASS: i32 = 0x5645_5301;
/// The class of the advisory locks on tenants, with the key `hashtext(tenant)`. Two tenants of one key wait for each other.
pub const TENANT_LOCK_CLASS: i32 = 0x5645_5302;
/// The class of the lock that whoever migrates holds, with the key 0.
pub(super) const MIGRATION_LOCK_CLASS: i32 = 0x5645_5303;

pub(super) fn statements() -> [String; 4] {
    [
        // A user's key is asked for by its id alone, and a tenant by the name that its rows carry.
        "CREATE INDEX user_keys_by_id ON @.user_keys (id)".to_owned(),
        "CREATE INDEX tenants_by_tenant ON @.tenants (tenant)".to_owned(),
        begin(),
        CURRENT.to_owned(),
    ]
}

/// `vestry_begin(tenants, lock)`: names the tenants whose rows the transaction sees and writes, and locks. Keys of several
/// tenants are taken in ascending order, so that no two wait for each other.
fn begin() -> String {
    format!(
        "CREATE FUNCTION @.vestry_begin(tenants text, lock text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE one_key integer;
BEGIN
  PERFORM set_config('vestry.tenants', $1, true);
  IF $2 IS NULL OR $2 = '' THEN
    RETURN;
  END IF;
  IF $2 = '*' OR $2 = '~' THEN
    PERFORM pg_advisory_xact_lock({GLOBAL_LOCK_CLASS}, 0);
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock_shared({GLOBAL_LOCK_CLASS}, 0);
  IF strpos($2, ',') = 0 THEN
    PERFORM pg_advisory_xact_lock({TENANT_LOCK_CLASS}, hashtext($2));
    RETURN;
  END IF;
  FOR one_key IN SELECT DISTINCT hashtext(one) FROM unnest(string_to_array($2, ',')) AS one ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock({TENANT_LOCK_CLASS}, one_key);
  END LOOP;
END $$"
    )
}

/// `vestry_current(…)`: what a request has to know that another server may have changed since, found by keys.
///
/// The ends of the audit chains of the tenant and of global come first. Every change of what is asked for here has its record
/// in one of the two, in the same transaction; so where they are the ones that the caller knows already (`known_…`), nothing
/// else has changed either: `unchanged` is true, and nothing else is looked up. All the rest is one statement, so that it is of
/// one moment, which is never before that of the two ends.
const CURRENT: &str = "CREATE FUNCTION @.vestry_current(
  tenants text, tenant text, actor text, service text, session_id text, user_key text,
  known_tenant_head bigint DEFAULT NULL, known_global_head bigint DEFAULT NULL,
  OUT own_version bigint, OUT tenant_version bigint, OUT global_version bigint,
  OUT actor_epoch bigint, OUT actor_ended boolean, OUT service_epoch bigint, OUT service_revoked boolean,
  OUT session_revoked boolean, OUT session_expires bigint, OUT key_revoked boolean,
  OUT max_cap bigint, OUT schema_number bigint, OUT tenant_head bigint, OUT global_head bigint, OUT unchanged boolean
) LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('vestry.tenants', $1, true);
  SELECT coalesce(max(h.seq) FILTER (WHERE h.tenant = $2), 0), coalesce(max(h.seq) FILTER (WHERE h.tenant = '~'), 0)
  INTO tenant_head, global_head
  FROM @.audit_heads AS h WHERE h.tenant IN ($2, '~');
  unchanged := coalesce($7 = tenant_head AND $8 = global_head, false);
  IF unchanged THEN
    RETURN;
  END IF;
  SELECT
    coalesce((SELECT v.version FROM @.scope_versions AS v WHERE v.tenant = $2 AND v.scope_kind = 2 AND v.scope_id = $3), 0),
    coalesce((SELECT v.version FROM @.scope_versions AS v WHERE v.tenant = $2 AND v.scope_kind = 1 AND v.scope_id = ''), 0),
    coalesce((SELECT v.version FROM @.scope_versions AS v WHERE v.tenant = '~' AND v.scope_kind = 0 AND v.scope_id = ''), 0),
    a.epoch, a.ended, s.epoch, CASE WHEN s.id IS NOT NULL THEN s.revoked_at IS NOT NULL END,
    e.revoked_at IS NOT NULL, e.expires_at,
    $6 <> '' AND NOT EXISTS (SELECT 1 FROM @.user_keys AS k WHERE k.id = $6 AND k.revoked_at IS NULL),
    (SELECT t.max_cap FROM @.tenants AS t WHERE t.tenant = $2),
    (SELECT max(c.number) FROM @.context_schemas AS c)
  INTO
    own_version, tenant_version, global_version,
    actor_epoch, actor_ended, service_epoch, service_revoked,
    session_revoked, session_expires, key_revoked,
    max_cap, schema_number
  FROM (SELECT) AS one
  LEFT JOIN @.actor_epochs AS a ON a.tenant = $2 AND a.actor = $3
  LEFT JOIN @.services AS s ON s.tenant = $2 AND s.id = $4
  LEFT JOIN @.sessions AS e ON e.id = $5;
END $$";
