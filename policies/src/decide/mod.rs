//! Who may do what: the one function that every layer asks.
//!
//! [`decide()`] is total: it has a verdict for every action, target and set of facts, also for those
//! that no server should bring together. Where several refusals apply, the first of this order is
//! given: the target is of the wrong kind, the scope is not the caller's, the scope is not one that
//! the action is for, only humans may, a session is needed; then what the action itself asks for.

mod administer;
mod own;
mod proposals;
mod read;
mod who;
mod write;

use crate::action::{Action, Target};
use crate::facts::Facts;
use crate::id::TenantId;
use crate::scope::Scope;
use crate::verdict::{Rule, Verdict};

pub use proposals::reads_content;
pub use write::write_verdict;

/// Decides whether the caller may do `action` to `target`.
pub fn decide(action: Action, target: &Target, facts: &Facts) -> Verdict {
    match action {
        Action::ReadIdentity => on_server(target, || Verdict::Allow(Rule::OwnSelf)),
        Action::EndSession | Action::ManageOwnKeys => on_server(target, || own::sign_in(facts)),
        Action::Elevate => on_scope(target, |scope| own::elevate(scope, facts)),
        Action::MintToken => on_tenant(target, |tenant| own::mint(tenant, facts)),
        Action::TakeCatalog | Action::LoadSkill | Action::OpenRun => {
            on_server(target, || own::turn(facts))
        }

        Action::ListSkills => on_server(target, || read::list(facts)),
        Action::UseTemplates => on_server(target, || Verdict::Allow(Rule::OwnSelf)),
        Action::ReadSkill | Action::CheckSkill => {
            on_scope(target, |scope| read::metadata(scope, facts))
        }
        Action::ReadBody => on_scope(target, |scope| read::body(scope, facts)),

        Action::UploadBlob => on_scope(target, |scope| write::upload(scope, facts)),
        Action::PublishSkill | Action::RollbackSkill => {
            on_scope(target, |scope| write::publish(scope, facts))
        }
        Action::ArchiveSkill
        | Action::DisableSkill
        | Action::EnableSkill
        | Action::QuarantineSkill
        | Action::ReleaseSkill
        | Action::RevokeSkill
        | Action::AttachSkills => on_scope(target, |scope| write_verdict(scope, facts)),
        Action::SealSkill | Action::UnsealSkill => {
            on_scope(target, |scope| write::seal(scope, facts))
        }
        Action::HideSkill | Action::ShowSkill => {
            on_scope(target, |scope| write::hide(scope, facts))
        }

        Action::ProposeSkill => on_scope(target, |scope| proposals::propose(scope, facts)),
        Action::ReadProposal => match target {
            Target::Server => proposals::list(facts),
            Target::Scope(scope) => proposals::read(scope, facts),
            Target::Tenant(_) => WRONG_TARGET,
        },
        Action::CommentProposal => on_scope(target, |scope| proposals::read(scope, facts)),
        Action::EditProposal | Action::WithdrawProposal | Action::RebaseProposal => {
            on_scope(target, |scope| proposals::change(scope, facts))
        }
        Action::DecideProposal => on_scope(target, |scope| proposals::decide(scope, facts)),

        Action::CreateUser | Action::CreateTenant | Action::ActivateSchema => {
            on_server(target, || administer::change_installation(facts))
        }
        Action::ListUsers | Action::ListTenants | Action::CheckSchema => {
            on_server(target, || administer::read_installation(facts))
        }
        Action::SetMember
        | Action::RemoveMember
        | Action::CreateService
        | Action::RevokeService
        | Action::WriteSettings => {
            on_tenant(target, |tenant| administer::change_tenant(tenant, facts))
        }
        Action::ListMembers | Action::ReadSettings => {
            on_tenant(target, |tenant| administer::read_tenant(tenant, facts))
        }
        Action::ListServices => {
            on_tenant(target, |tenant| administer::list_services(tenant, facts))
        }
        Action::ReadAudit => match target {
            Target::Server => administer::read_installation(facts),
            Target::Tenant(tenant) => administer::read_audit(tenant, facts),
            Target::Scope(_) => WRONG_TARGET,
        },
        Action::ReadRecallReport => match target {
            Target::Server => administer::read_installation(facts),
            Target::Tenant(tenant) => administer::read_audit(tenant, facts),
            Target::Scope(scope) => read::recall_report(scope, facts),
        },
        Action::ReadEvents => on_server(target, || read::events(facts)),
        Action::Explain => match target {
            Target::Server => Verdict::Allow(Rule::OwnSelf),
            Target::Tenant(tenant) => administer::read_audit(tenant, facts),
            Target::Scope(Scope::Global) => administer::read_installation(facts),
            Target::Scope(Scope::Tenant(_) | Scope::Actor { .. }) => WRONG_TARGET,
        },
    }
}

const WRONG_TARGET: Verdict = Verdict::Deny(Rule::WrongTarget);

fn on_server(target: &Target, verdict: impl FnOnce() -> Verdict) -> Verdict {
    match target {
        Target::Server => verdict(),
        Target::Tenant(_) | Target::Scope(_) => WRONG_TARGET,
    }
}

fn on_tenant(target: &Target, verdict: impl FnOnce(&TenantId) -> Verdict) -> Verdict {
    match target {
        Target::Tenant(tenant) => verdict(tenant),
        Target::Server | Target::Scope(_) => WRONG_TARGET,
    }
}

fn on_scope(target: &Target, verdict: impl FnOnce(&Scope) -> Verdict) -> Verdict {
    match target {
        Target::Scope(scope) => verdict(scope),
        Target::Server | Target::Tenant(_) => WRONG_TARGET,
    }
}
