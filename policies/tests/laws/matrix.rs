//! Invariants 1 to 4 in every cell of the matrix.

use std::collections::BTreeSet;

use vestry_policies::{
    Action, AgentOwnScope, Credential, Facts, PrincipalKind, Role, Rule, Scope, Severity, Status,
    Target, Verdict, decide, write_verdict,
};

use crate::cells::{FINDINGS, ROOMS, changes_content, whole_matrix};
use crate::naive_power::{Caller, Power, power};

pub(crate) fn strength(verdict: Verdict) -> Power {
    match verdict {
        Verdict::Allow(_) => Power::Doing,
        Verdict::Review(_) => Power::Proposing,
        Verdict::Deny(_) => Power::Nothing,
    }
}

/// Invariants 1 to 4: in every cell the verdict permits what the model permits, its rule is true, and
/// changes of content obey the three sentences that no setting, role or claim gets around.
#[test]
fn every_cell_is_the_models() {
    let (cells, rules) = whole_matrix(|action, target, facts| {
        let verdict = decide(action, target, facts);
        let cell = || format!("{} {target:?} {facts:?}: {verdict:?}", action.as_str());
        assert_eq!(
            strength(verdict),
            power(action, target, facts),
            "{}",
            cell()
        );
        assert!(is_true(verdict, target, facts), "{}", cell());
        if changes_content(action) && !matches!(verdict, Verdict::Deny(_)) {
            let Target::Scope(scope) = target else {
                panic!("only scopes have content: {}", cell())
            };
            let me = Caller(facts);
            // Invariant 2.
            assert!(me.is_human_itself() || !scope.is_shared(), "{}", cell());
            // Invariant 3.
            assert!(!scope.is_shared() || me.elevated(scope), "{}", cell());
            // Invariant 4.
            assert!(facts.principal.scopes.contains(scope), "{}", cell());
        }
        verdict.rule()
    });
    println!("{cells} cells");
    let all: BTreeSet<Rule> = Rule::ALL.iter().copied().collect();
    assert_eq!(rules, all, "every rule is followed somewhere");
}

/// What a rule says of the caller must be so.
fn is_true(verdict: Verdict, target: &Target, facts: &Facts) -> bool {
    let me = Caller(facts);
    let scope = match target {
        Target::Scope(scope) => Some(scope),
        Target::Server | Target::Tenant(_) => None,
    };
    let full = facts.room.is_some_and(|room| room.used >= room.limit);
    let session = facts.principal.credential == Credential::Session;
    let recalled = matches!(facts.status, Some(Status::Quarantined | Status::Revoked));
    match verdict {
        Verdict::Allow(rule) => match rule {
            Rule::OwnSelf => scope.is_none(),
            Rule::OwnScope => scope.is_some_and(|scope| !scope.is_shared() && me.has_scope(scope)),
            Rule::ElevatedHuman => {
                me.is_human_itself() && scope.is_some_and(|s| s.is_shared() && me.elevated(s))
            }
            Rule::InScope => scope.is_none_or(|scope| me.has_scope(scope)),
            Rule::OwnTurn => facts.principal.kind != PrincipalKind::Service,
            Rule::OwnService => facts.principal.kind == PrincipalKind::Service,
            Rule::HasRole => {
                me.is_human_itself() && (me.is_admin() || facts.standing.role.is_some())
            }
            Rule::ElevatedAdministrator => {
                me.is_human_itself() && facts.elevation.is_some() && session
            }
            Rule::OwnProposal => me.proposed_it() || me.is_its_actors_agent(),
            _ => false,
        },
        Verdict::Review(rule) => {
            let agents = rule == Rule::AgentsReviewed
                && facts.settings.agent_own_scope == AgentOwnScope::Review
                && scope.is_some_and(|scope| !scope.is_shared() && me.has_scope(scope));
            let named = rule == Rule::NameReviewed
                && !facts.settings.review_names.is_empty()
                && matches!(scope, Some(Scope::Tenant(_)));
            let severe = rule == Rule::FindingsReviewed
                && facts.settings.review_severity == Some(Severity::High)
                && facts.worst_finding == Some(Severity::High)
                && matches!(scope, Some(Scope::Tenant(_)));
            agents || named || severe
        }
        Verdict::Deny(rule) => match rule {
            Rule::NotInScope => {
                scope.is_none_or(|scope| !me.has_scope(scope))
                    || (scope.is_none() && facts.principal.scopes.is_empty())
            }
            Rule::HumansOnly => !me.is_human_itself(),
            Rule::NeedsElevation => scope.is_none_or(|scope| !me.elevated(scope)),
            Rule::NeedsRole => true,
            Rule::NeedsSession => !session,
            Rule::NeedsOffer => !me.is_human_itself() && scope.is_some_and(Scope::is_shared),
            Rule::NeedsActor => facts.principal.kind == PrincipalKind::Service,
            Rule::ServicesOnly => true,
            Rule::Recalled => recalled,
            Rule::SharedScopesOnly => scope.is_some_and(|scope| me.has_scope(scope)),
            Rule::AgentsDenied => facts.settings.agent_own_scope == AgentOwnScope::Deny,
            Rule::QuotaExceeded => full,
            Rule::NotYourProposal => {
                !(me.is_human_itself() && (me.is_admin() || me.proposed_it()))
                    && !me.is_its_actors_agent()
            }
            Rule::NotTheProposer => !me.proposed_it(),
            Rule::NotAnApprover => !facts.settings.approvers.is_empty(),
            Rule::NeedsOtherHuman => facts.proposal.is_some() && me.is_human_itself(),
            Rule::WrongTarget => true,
            _ => false,
        },
    }
}

/// Design §2.3: the write verdict's conditions, in the order of the text; the first that holds decides.
#[test]
fn writes_are_decided_in_the_order_of_the_design() {
    let (_, verdicts) = whole_matrix(|action, target, facts| {
        let (Action::PublishSkill, Target::Scope(scope)) = (action, target) else {
            return None;
        };
        let me = Caller(facts);
        let own = matches!(scope, Scope::Actor { .. });
        let program = !me.is_human_itself();
        let setting = facts.settings.agent_own_scope;
        let named = matches!(scope, Scope::Tenant(_)) && !facts.settings.review_names.is_empty();
        let severe = matches!(scope, Scope::Tenant(_))
            && facts.settings.review_severity.is_some()
            && facts.worst_finding == FINDINGS[2];
        let full = facts.room == ROOMS[2];
        let has_role = match scope {
            Scope::Tenant(tenant) => me.is(Role::Publisher, tenant),
            Scope::Actor { .. } | Scope::Global => me.is_admin(),
        };
        let in_order = [
            (!me.has_scope(scope), Verdict::Deny(Rule::NotInScope)),
            (
                own && program && setting == AgentOwnScope::Deny,
                Verdict::Deny(Rule::AgentsDenied),
            ),
            (own && full, Verdict::Deny(Rule::QuotaExceeded)),
            (
                own && program && setting == AgentOwnScope::Review,
                Verdict::Review(Rule::AgentsReviewed),
            ),
            (own, Verdict::Allow(Rule::OwnScope)),
            (program, Verdict::Deny(Rule::HumansOnly)),
            (!me.elevated(scope), Verdict::Deny(Rule::NeedsElevation)),
            (!has_role, Verdict::Deny(Rule::NeedsRole)),
            (full, Verdict::Deny(Rule::QuotaExceeded)),
            (named, Verdict::Review(Rule::NameReviewed)),
            (severe, Verdict::Review(Rule::FindingsReviewed)),
            (true, Verdict::Allow(Rule::ElevatedHuman)),
        ];
        let expected = in_order
            .iter()
            .find(|(holds, _)| *holds)
            .map(|(_, verdict)| *verdict);
        // Other writes than publications are not reviewed by their name, nor by what is found.
        let write = match expected {
            Some(Verdict::Review(Rule::NameReviewed | Rule::FindingsReviewed)) => {
                Some(Verdict::Allow(Rule::ElevatedHuman))
            }
            other => other,
        };
        assert_eq!(
            Some(write_verdict(scope, facts)),
            write,
            "{scope:?} {facts:?}"
        );
        assert_eq!(
            Some(decide(action, target, facts)),
            expected,
            "one rule, written once"
        );
        Some(strength(decide(action, target, facts)))
    });
    assert_eq!(
        verdicts.len(),
        4,
        "all three powers, and what is no publication"
    );
}
