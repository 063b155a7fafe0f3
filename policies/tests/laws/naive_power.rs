//! Design §§2.3 to 2.5 read aloud: for each action, whom the tables name. No order, no rules' names.

use vestry_policies::{
    Action, AgentOwnScope, Credential, DistinctHuman, Facts, PrincipalKind, Role, Scope, Severity,
    Status, Target, TenantId,
};

/// How much a verdict permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Power {
    Nothing,
    Proposing,
    Doing,
}

/// Everything about the caller that the tables speak of.
pub(crate) struct Caller<'a>(pub(crate) &'a Facts);

impl Caller<'_> {
    pub(crate) fn is_human_itself(&self) -> bool {
        let p = &self.0.principal;
        matches!(
            (p.kind, &p.acts_for, p.credential),
            (
                PrincipalKind::Human,
                None,
                Credential::Session | Credential::ApiKey
            )
        )
    }

    pub(crate) fn has_scope(&self, scope: &Scope) -> bool {
        let p = &self.0.principal;
        let listed = p.scopes.iter().any(|own| own == scope);
        let of_a_tenant = match scope {
            Scope::Actor { tenant, .. } => tenant.is_some(),
            Scope::Tenant(_) => true,
            Scope::Global => false,
        };
        let human_who_left =
            p.kind == PrincipalKind::Human && of_a_tenant && self.0.standing.role.is_none();
        listed && !human_who_left
    }

    pub(crate) fn elevated(&self, scope: &Scope) -> bool {
        match &self.0.elevation {
            Some(elevation) => {
                elevation.scope == *scope
                    && elevation.expires_at > self.0.now
                    && self.0.principal.credential == Credential::Session
            }
            None => false,
        }
    }

    pub(crate) fn is(&self, role: Role, tenant: &TenantId) -> bool {
        self.0.principal.tenant == Some(tenant.clone()) && self.0.standing.role == Some(role)
    }

    pub(crate) fn is_admin(&self) -> bool {
        self.0.standing.global_admin
    }

    fn has_room(&self) -> bool {
        match self.0.room {
            Some(room) => room.used < room.limit,
            None => true,
        }
    }

    /// §2.3.
    pub(crate) fn writes(&self, scope: &Scope) -> Power {
        let allowed = match scope {
            Scope::Actor { .. } if self.is_human_itself() => Power::Doing,
            Scope::Actor { .. } => match self.0.settings.agent_own_scope {
                AgentOwnScope::Allow => Power::Doing,
                AgentOwnScope::Review => Power::Proposing,
                AgentOwnScope::Deny => Power::Nothing,
            },
            Scope::Tenant(tenant) => self.publishes(self.is(Role::Publisher, tenant), scope),
            Scope::Global => self.publishes(self.is_admin(), scope),
        };
        if self.has_scope(scope) && self.has_room() {
            allowed
        } else {
            Power::Nothing
        }
    }

    fn publishes(&self, role: bool, scope: &Scope) -> Power {
        granted(role && self.is_human_itself() && self.elevated(scope))
    }

    /// §2.3 for publications: what a tenant has reviewed by its name, or for what was found in it, becomes a proposal.
    fn publishes_at(&self, scope: &Scope) -> Power {
        let is_named = matches!(scope, Scope::Tenant(_))
            && self.0.settings.review_names.iter().any(|pattern| {
                let pattern = pattern.to_string();
                let name = self.0.name.as_ref().map_or("", |name| name.as_str());
                pattern == "*"
                    || pattern == name
                    || (pattern.ends_with("-*") && name.starts_with(pattern.trim_end_matches('*')))
            });
        let ranks = ["low", "medium", "high", "critical"];
        let rank = |severity: Option<Severity>| {
            severity.and_then(|severity| ranks.iter().position(|rank| *rank == severity.as_str()))
        };
        let found = rank(self.0.worst_finding);
        let is_severe = matches!(scope, Scope::Tenant(_))
            && rank(self.0.settings.review_severity).is_some_and(|least| found >= Some(least));
        match self.writes(scope) {
            Power::Doing if is_named || is_severe => Power::Proposing,
            other => other,
        }
    }

    /// The proposer, or the human whom it acted for.
    pub(crate) fn proposed_it(&self) -> bool {
        let p = &self.0.principal;
        let Some(proposer) = self
            .0
            .proposal
            .as_ref()
            .map(|proposal| &proposal.authors[0])
        else {
            return false;
        };
        let its_actor = Scope::Actor {
            tenant: proposer.tenant.clone(),
            actor: match &proposer.acts_for {
                Some(actor) => actor.clone(),
                None => {
                    return p.kind == PrincipalKind::Human
                        && p.name.to_lowercase() == proposer.name.to_lowercase();
                }
            },
        };
        let acts_there = p.scopes.contains(&its_actor);
        match p.kind {
            PrincipalKind::Human => acts_there,
            PrincipalKind::Agent => acts_there && p.name == proposer.name,
            PrincipalKind::Service => false,
        }
    }

    /// An agent of the actor that the proposer is, or acted for.
    pub(crate) fn is_its_actors_agent(&self) -> bool {
        let p = &self.0.principal;
        let Some(proposer) = self
            .0
            .proposal
            .as_ref()
            .map(|proposal| &proposal.authors[0])
        else {
            return false;
        };
        let actor = match &proposer.acts_for {
            Some(actor) => actor.clone(),
            None => crate::support::actor_id(&proposer.name),
        };
        let its_actor = Scope::Actor {
            tenant: proposer.tenant.clone(),
            actor,
        };
        p.kind == PrincipalKind::Agent && proposer.tenant.is_some() && p.scopes.contains(&its_actor)
    }

    /// Who reads a proposal: humans those of their tenant, administrators those for global, whoever proposed its own, the
    /// actor those for its scope; agents those of their actor; services none.
    fn reads_proposal(&self, scope: &Scope) -> bool {
        if self.0.proposal.is_none() || !self.has_scope(scope) {
            return false;
        }
        let human = self.is_human_itself()
            && match scope {
                Scope::Actor { .. } | Scope::Tenant(_) => true,
                Scope::Global => self.is_admin() || self.proposed_it(),
            };
        let agent = self.0.principal.kind == PrincipalKind::Agent
            && (matches!(scope, Scope::Actor { .. }) || self.is_its_actors_agent());
        human || agent
    }

    /// §2.6: as publishing, by a human who neither wrote it nor, where there is another publisher, had it written.
    fn decides(&self, scope: &Scope) -> Power {
        let Some(proposal) = &self.0.proposal else {
            return Power::Nothing;
        };
        if !self.reads_proposal(scope) || !self.is_human_itself() {
            return Power::Nothing;
        }
        if matches!(scope, Scope::Actor { .. }) {
            return self.writes(scope);
        }
        let me = self.0.principal.name.to_lowercase();
        let settings = &self.0.settings;
        let approver = settings.approvers.is_empty()
            || settings.approvers.iter().any(|name| name.folded() == me);
        let wrote = |who: &str| {
            proposal
                .authors
                .iter()
                .any(|author| author.acts_for.is_none() && author.name.to_lowercase() == who)
        };
        let had_it_written = proposal.authors.iter().any(|author| {
            author
                .acts_for
                .as_ref()
                .is_some_and(|actor| actor.as_str().to_lowercase() == me)
        });
        let others = proposal
            .publishers
            .iter()
            .filter(|other| other.folded() != me && !wrote(&other.folded()))
            .count();
        let aside = settings.distinct_human == DistinctHuman::Always || others > 0;
        if approver && !wrote(&me) && !(had_it_written && aside) {
            self.writes(scope)
        } else {
            Power::Nothing
        }
    }

    /// §2.4.
    fn reads_body(&self, scope: &Scope) -> bool {
        let recalled = matches!(self.0.status, Some(Status::Quarantined | Status::Revoked));
        let oversees = match scope {
            Scope::Actor { .. } => true,
            Scope::Tenant(t) => self.is(Role::Publisher, t) || self.is(Role::Auditor, t),
            Scope::Global => self.is_admin(),
        };
        let own = matches!(scope, Scope::Actor { .. });
        let human = self.is_human_itself() && (!recalled || oversees);
        let program = !self.is_human_itself() && own && !recalled;
        self.has_scope(scope) && (human || program)
    }
}

fn granted(yes: bool) -> Power {
    if yes { Power::Doing } else { Power::Nothing }
}

/// What the design gives the caller.
pub(crate) fn power(action: Action, target: &Target, facts: &Facts) -> Power {
    let me = Caller(facts);
    let session = me.is_human_itself() && facts.principal.credential == Credential::Session;
    match (action.as_str(), target) {
        ("read-identity", Target::Server) => Power::Doing,
        ("end-session" | "manage-own-keys", Target::Server) => granted(session),
        ("elevate", Target::Scope(Scope::Global)) => granted(session && me.is_admin()),
        ("elevate", Target::Scope(Scope::Tenant(t))) => {
            let publisher = me.is(Role::Publisher, t) && me.has_scope(&Scope::Tenant(t.clone()));
            granted(session && (publisher || me.is_admin()))
        }
        ("mint-token", Target::Tenant(t)) => {
            let p = &facts.principal;
            granted(
                (p.kind, p.credential) == (PrincipalKind::Service, Credential::ApiKey)
                    && p.acts_for.is_none()
                    && p.tenant == Some(t.clone()),
            )
        }
        ("take-catalog" | "load-skill" | "open-run", Target::Server) => {
            granted(facts.principal.kind != PrincipalKind::Service)
        }
        ("list-skills", Target::Server) => granted(!facts.principal.scopes.is_empty()),
        ("read-skill" | "check-skill", Target::Scope(scope)) => granted(me.has_scope(scope)),
        ("read-body", Target::Scope(scope)) => granted(me.reads_body(scope)),
        (
            "archive-skill" | "disable-skill" | "enable-skill" | "quarantine-skill"
            | "release-skill" | "revoke-skill" | "attach-skills",
            Target::Scope(scope),
        ) => me.writes(scope),
        (
            "seal-skill" | "unseal-skill",
            Target::Scope(scope @ (Scope::Tenant(_) | Scope::Global)),
        ) => me.writes(scope),
        ("hide-skill" | "show-skill", Target::Scope(scope @ Scope::Tenant(_))) => me.writes(scope),
        ("publish-skill" | "rollback-skill", Target::Scope(scope)) => me.publishes_at(scope),
        // Whoever may propose what it would publish may send its files.
        ("upload-blob", Target::Scope(scope)) => match me.writes(scope) {
            Power::Proposing => Power::Doing,
            other => other,
        },
        ("propose-skill", Target::Scope(scope @ (Scope::Tenant(_) | Scope::Global))) => granted(
            me.has_scope(scope)
                && (me.is_human_itself() || facts.principal.kind == PrincipalKind::Agent),
        ),
        ("read-proposal", Target::Server) => granted(
            !facts.principal.scopes.is_empty()
                && (me.is_human_itself() || facts.principal.kind == PrincipalKind::Agent),
        ),
        ("read-proposal" | "comment-proposal", Target::Scope(scope)) => {
            granted(me.reads_proposal(scope))
        }
        ("edit-proposal" | "withdraw-proposal" | "rebase-proposal", Target::Scope(scope)) => {
            granted(me.reads_proposal(scope) && me.proposed_it())
        }
        ("decide-proposal", Target::Scope(scope)) => me.decides(scope),
        ("create-user" | "create-tenant" | "activate-schema", Target::Server) => {
            granted(me.is_human_itself() && me.is_admin() && me.elevated(&Scope::Global))
        }
        (
            "list-users" | "list-tenants" | "read-audit" | "read-recall-report" | "check-schema",
            Target::Server,
        ) => granted(me.is_human_itself() && me.is_admin()),
        (
            "set-member" | "remove-member" | "create-service" | "revoke-service" | "write-settings",
            Target::Tenant(t),
        ) => {
            let here = me.elevated(&Scope::Tenant(t.clone()));
            let admin = me.is_admin() && (here || me.elevated(&Scope::Global));
            granted(me.is_human_itself() && (admin || (me.is(Role::Publisher, t) && here)))
        }
        ("list-members" | "read-settings", Target::Tenant(t)) => {
            let member = [Role::Member, Role::Publisher, Role::Auditor]
                .iter()
                .any(|role| me.is(*role, t));
            granted(me.is_human_itself() && (member || me.is_admin()))
        }
        ("list-services", Target::Tenant(t)) => {
            granted(me.is_human_itself() && (me.is(Role::Publisher, t) || me.is_admin()))
        }
        ("read-recall-report", Target::Scope(scope)) => {
            let may = match scope {
                Scope::Actor { .. } => true,
                Scope::Tenant(t) => me.is(Role::Publisher, t) || me.is(Role::Auditor, t),
                Scope::Global => false,
            };
            granted(me.has_scope(scope) && me.is_human_itself() && may)
        }
        ("read-events", Target::Server) => {
            let p = &facts.principal;
            granted(p.kind != PrincipalKind::Service && !p.scopes.is_empty())
        }
        ("explain" | "use-templates", Target::Server) => Power::Doing,
        ("explain", Target::Scope(Scope::Global)) => granted(me.is_human_itself() && me.is_admin()),
        ("read-audit" | "read-recall-report" | "explain", Target::Tenant(t)) => {
            granted(me.is_human_itself() && (me.is(Role::Publisher, t) || me.is(Role::Auditor, t)))
        }
        _ => Power::Nothing,
    }
}
