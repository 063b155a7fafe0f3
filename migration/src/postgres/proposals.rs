//! What a reviewer approves is what is there: proposals keep their target, decisions stay, and so do the bytes of files.

/// The triggers of SQLite by their names, with their messages.
pub(super) const STATEMENTS: [&str; 7] = [
    "CREATE TRIGGER proposals_keep_their_target BEFORE UPDATE OF tenant, number, scope_kind, scope_id, kind, name, \
     author_kind, author, author_tenant, acts_for, created_at ON @.proposals FOR EACH ROW \
     EXECUTE FUNCTION @.vestry_refuse('the target and the author of a proposal do not change')",
    "CREATE TRIGGER proposals_are_kept BEFORE DELETE ON @.proposals \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('proposals are kept')",
    "CREATE TRIGGER ended_proposals_are_immutable BEFORE UPDATE ON @.proposals \
     FOR EACH ROW WHEN (OLD.state > 1) \
     EXECUTE FUNCTION @.vestry_refuse('a proposal that has ended does not change')",
    "CREATE TRIGGER proposal_decisions_are_immutable BEFORE UPDATE ON @.proposal_decisions \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('decisions are immutable')",
    "CREATE TRIGGER proposal_decisions_are_kept BEFORE DELETE ON @.proposal_decisions \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('decisions are kept')",
    "CREATE FUNCTION @.vestry_blobs_of_proposals_are_kept() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       IF EXISTS (SELECT 1 FROM @.proposal_files WHERE tenant = OLD.tenant AND sha256 = OLD.sha256) \
       THEN RAISE EXCEPTION 'blobs of proposals are kept' USING ERRCODE = 'P0001'; END IF; \
       RETURN OLD; \
     END $$",
    "CREATE TRIGGER blobs_of_proposals_are_kept BEFORE DELETE ON @.blobs \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_blobs_of_proposals_are_kept()",
];
