//! What guards are tried with, for both databases.

/// What both databases have to guard. `{one}` is a byte.
pub(super) const SEED: [&str; 12] = [
    "INSERT INTO audit VALUES ('acme', 1, 1, 'p', 'a', 't', NULL, {one}, 'h1')",
    "INSERT INTO audit VALUES ('acme', 2, 1, 'p', 'a', 't', NULL, {one}, 'h2'), ('acme', 3, 1, 'p', 'a', 't', NULL, {one}, 'h3')",
    "INSERT INTO journal VALUES ('acme', 1, 0, 1, 1, {one})",
    "INSERT INTO journal VALUES ('acme', 2, 0, 9000000000000, 1, {one})",
    "INSERT INTO snapshots VALUES ('acme', 'd', {one}, 1)",
    "INSERT INTO revisions (tenant, scope_kind, scope_id, kind, name, number, digest, content, size, description, templated, \
     frontmatter, body_offset, author_kind, author, message, created_at, recall) \
     VALUES ('acme', 1, '', 0, 'n', 1, 'd', 'c', 1, '', false, '', 0, 0, 'a', '', 1, 0)",
    "INSERT INTO revision_files VALUES ('acme', 1, '', 0, 'n', 1, 'p', 1, 'kept')",
    "INSERT INTO blobs VALUES ('acme', 'kept', 1, 1, NULL, {one}), ('acme', 'proposed', 1, 1, NULL, {one}), ('acme', 'free', 1, 1, NULL, {one})",
    "INSERT INTO context_schemas VALUES (1, 1, 'd', 't', 'a', 1)",
    "INSERT INTO proposals SELECT 'acme', n, 1, '', 0, 'n', s, 1, '', 'd', 'c', 1, 0, '', false, '', 0, '', '', '', 0, NULL, 0, 'a', \
     'acme', NULL, '[]', 1, 1, 1, NULL, NULL, NULL, NULL FROM (SELECT 1 AS n, 0 AS s UNION SELECT 2, 2) AS two",
    "INSERT INTO proposal_files VALUES ('acme', 1, 'p', 1, 'proposed')",
    "INSERT INTO proposal_decisions VALUES ('acme', 1, 1, 1, 'u', true, 'd', NULL, '', 1)",
];

/// The guard, what it refuses, and how.
pub(super) const REFUSED: [(&str, &str, &str); 40] = [
    (
        "audit_is_append_only_update",
        "UPDATE audit SET at = at",
        "the audit log is append-only",
    ),
    (
        "audit_is_append_only_delete",
        "DELETE FROM audit",
        "the audit log is append-only",
    ),
    (
        "audit_goes_on",
        "INSERT INTO audit VALUES ('acme', 5, 1, 'p', 'a', 't', NULL, {one}, 'h5')",
        "the audit log is append-only",
    ),
    (
        "audit_goes_on",
        "INSERT INTO audit VALUES ('acme', 0, 1, 'p', 'a', 't', NULL, {one}, 'h0')",
        "the audit log is append-only",
    ),
    (
        "audit_goes_on",
        "INSERT INTO audit VALUES ('acme', 2, 1, 'p', 'a', 't', NULL, {one}, 'h2')",
        "the audit log is append-only",
    ),
    (
        "audit_goes_on",
        "INSERT INTO audit VALUES ('acme', 4, 1, 'p', 'a', 't', NULL, {one}, 'h4'), ('acme', 6, 1, 'p', 'a', 't', NULL, {one}, 'h6')",
        "the audit log is append-only",
    ),
    (
        "audit_goes_on",
        "INSERT INTO audit VALUES ('acme', 5, 1, 'p', 'a', 't', NULL, {one}, 'h5'), ('acme', 4, 1, 'p', 'a', 't', NULL, {one}, 'h4')",
        "the audit log is append-only",
    ),
    (
        "audit_heads_begin",
        "INSERT INTO audit_heads VALUES ('other', 1, 'h1')",
        "heads of the audit log only follow it",
    ),
    (
        "audit_heads_begin",
        "INSERT INTO audit_heads VALUES ('acme', 2, 'h2') ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, hash = excluded.hash",
        "heads of the audit log only follow it",
    ),
    (
        "audit_heads_go_on",
        "UPDATE audit_heads SET seq = 2, hash = 'h2'",
        "heads of the audit log only follow it",
    ),
    (
        "audit_heads_go_on",
        "UPDATE audit_heads SET seq = seq",
        "heads of the audit log only follow it",
    ),
    (
        "audit_heads_go_on",
        "UPDATE audit_heads SET seq = 4, hash = 'h4'",
        "heads of the audit log only follow it",
    ),
    (
        "audit_heads_go_on",
        "UPDATE audit_heads SET hash = 'x'",
        "heads of the audit log only follow it",
    ),
    (
        "audit_heads_go_on",
        "UPDATE audit_heads SET tenant = 'other'",
        "heads of the audit log only follow it",
    ),
    (
        "audit_heads_are_kept",
        "DELETE FROM audit_heads",
        "heads of the audit log only follow it",
    ),
    (
        "journal_goes_on",
        "INSERT INTO journal VALUES ('acme', 2, 0, 1, 1, {one})",
        "the journal is append-only",
    ),
    (
        "journal_goes_on",
        "INSERT INTO journal VALUES ('acme', 1, 0, 1, 1, {one}) ON CONFLICT (tenant, number) DO NOTHING",
        "the journal is append-only",
    ),
    (
        "journal_is_append_only",
        "UPDATE journal SET last_at = last_at",
        "the journal is append-only",
    ),
    (
        "journal_is_kept",
        "DELETE FROM journal",
        "the journal is kept for 90 days",
    ),
    (
        "snapshots_are_immutable",
        "UPDATE snapshots SET content = content",
        "snapshots are immutable",
    ),
    (
        "snapshots_are_immutable",
        "UPDATE snapshots SET digest = 'x'",
        "snapshots are immutable",
    ),
    (
        "snapshots_are_not_replaced",
        "INSERT INTO snapshots VALUES ('acme', 'd', {two}, 2) ON CONFLICT (tenant, digest) DO UPDATE SET offered_at = excluded.offered_at",
        "snapshots are immutable",
    ),
    (
        "revisions_are_immutable",
        "UPDATE revisions SET content = content",
        "revisions are immutable",
    ),
    (
        "revisions_are_immutable",
        "UPDATE revisions SET recall = 1, digest = 'x'",
        "revisions are immutable",
    ),
    (
        "schemas_of_revisions_are_immutable",
        "UPDATE revisions SET schema_digest = 'x'",
        "revisions are immutable",
    ),
    (
        "revisions_are_kept",
        "DELETE FROM revisions",
        "revisions are kept",
    ),
    (
        "revision_files_are_immutable",
        "UPDATE revision_files SET size = size",
        "files of revisions are immutable",
    ),
    (
        "revision_files_are_kept",
        "DELETE FROM revision_files",
        "files of revisions are kept",
    ),
    (
        "blobs_are_immutable",
        "UPDATE blobs SET size = size",
        "blobs are immutable",
    ),
    (
        "blobs_of_revisions_are_kept",
        "DELETE FROM blobs WHERE sha256 = 'kept'",
        "blobs of revisions are kept",
    ),
    (
        "blobs_of_proposals_are_kept",
        "DELETE FROM blobs WHERE sha256 = 'proposed'",
        "blobs of proposals are kept",
    ),
    (
        "context_schemas_are_immutable",
        "UPDATE context_schemas SET version = 2",
        "context schemas are immutable",
    ),
    (
        "context_schemas_are_kept",
        "DELETE FROM context_schemas",
        "context schemas are kept",
    ),
    (
        "proposals_keep_their_target",
        "UPDATE proposals SET name = name WHERE number = 1",
        "the target and the author of a proposal do not change",
    ),
    (
        "proposals_keep_their_target",
        "UPDATE proposals SET author_tenant = 'x' WHERE number = 1",
        "the target and the author of a proposal do not change",
    ),
    (
        "proposals_are_kept",
        "DELETE FROM proposals",
        "proposals are kept",
    ),
    (
        "ended_proposals_are_immutable",
        "UPDATE proposals SET message = 'x' WHERE number = 2",
        "a proposal that has ended does not change",
    ),
    (
        "proposal_decisions_are_immutable",
        "UPDATE proposal_decisions SET reason = 'x'",
        "decisions are immutable",
    ),
    (
        "proposal_decisions_are_kept",
        "DELETE FROM proposal_decisions",
        "decisions are kept",
    ),
    (
        "proposal_decisions_are_kept",
        "DELETE FROM proposal_decisions WHERE tenant = 'acme'",
        "decisions are kept",
    ),
];

/// What no guard is in the way of.
pub(super) const ALLOWED: [&str; 8] = [
    "INSERT INTO audit VALUES ('acme', 4, 1, 'p', 'a', 't', NULL, {one}, 'h4'), ('acme', 5, 1, 'p', 'a', 't', NULL, {one}, 'h5')",
    "INSERT INTO audit VALUES ('~', 1, 1, 'p', 'a', 't', NULL, {one}, 'h1')",
    "INSERT INTO journal VALUES ('acme', 3, 0, 1, 1, {one})",
    "DELETE FROM journal WHERE number = 1",
    "INSERT INTO snapshots VALUES ('acme', 'd', {one}, 2) ON CONFLICT (tenant, digest) DO UPDATE SET offered_at = excluded.offered_at",
    "UPDATE revisions SET recall = 1, recall_reason = 'r', recalled_at = 1",
    "DELETE FROM blobs WHERE sha256 = 'free'",
    "UPDATE proposals SET state = 2, message = 'x' WHERE number = 1",
];

pub(super) fn for_sqlite(sql: &str) -> String {
    sql.replace("{one}", "x'01'").replace("{two}", "x'02'")
}

pub(super) fn for_postgres(sql: &str) -> String {
    sql.replace("{one}", "'\\x01'").replace("{two}", "'\\x02'")
}
