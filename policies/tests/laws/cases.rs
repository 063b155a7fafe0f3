//! The worlds of `policies/cases`, asked of the pure function.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use std::sync::Arc;

use vestry_policies::review::NamePattern;
use vestry_policies::{
    Action, AgentOwnScope, Credential, DistinctHuman, Elevation, Facts, Principal, PrincipalKind,
    Proposal, Role, Room, Rule, Scope, Settings, Severity, Standing, Status, Target, TenantId,
    Verdict, decide,
};

use crate::case_format::{
    Distinct, HumanRow, KEEPER, MAKER, RequestRow, ServiceRow, Setting, Shown, SkillRow, State,
    TenantRow, With, World, per_actor, per_tenant,
};
use crate::cells::{NOW, agent, human, username};
use crate::support::{actor_id, name, tenant, tenant_id};

impl World {
    fn principal(&self, request: &RequestRow) -> Principal {
        let (kind, id) = request.r#as.split_once(':').expect("a kind and an id");
        let make = |kind, credential, tenant: Option<TenantId>, actor: Option<&str>, agent| {
            let actor = actor.map(actor_id);
            Principal {
                kind,
                name: Arc::from(id),
                credential,
                scopes: Scope::of_caller(actor.as_ref(), tenant.as_ref()),
                tenant,
                acts_for: actor.filter(|_| agent),
            }
        };
        match kind {
            "human" => {
                let human = self.human(id);
                let home = request.r#in.as_deref();
                if let Some(home) = home {
                    let known = human.roles.contains_key(home)
                        || human.removed_from.iter().any(|t| t == home);
                    assert!(known, "{id} never was in {home}");
                }
                let credential = match request.with {
                    With::Session => Credential::Session,
                    With::Key => Credential::ApiKey,
                };
                make(
                    PrincipalKind::Human,
                    credential,
                    home.map(tenant_id),
                    Some(id),
                    false,
                )
            }
            "service" => {
                let home = Some(tenant_id(&self.service(id).tenant));
                make(
                    PrincipalKind::Service,
                    Credential::ApiKey,
                    home,
                    None,
                    false,
                )
            }
            "agent" => {
                let agent = self
                    .agent
                    .iter()
                    .find(|agent| agent.id == id)
                    .expect("an agent");
                let home = Some(tenant_id(&self.service(&agent.service).tenant));
                make(
                    PrincipalKind::Agent,
                    Credential::Minted,
                    home,
                    Some(&agent.actor),
                    true,
                )
            }
            other => panic!("no kind of principal: {other}"),
        }
    }

    fn human(&self, id: &str) -> &HumanRow {
        self.human
            .iter()
            .find(|human| human.id == id)
            .expect("a human")
    }

    fn service(&self, id: &str) -> &ServiceRow {
        self.service
            .iter()
            .find(|service| service.id == id)
            .expect("a service")
    }

    fn standing(&self, request: &RequestRow, at: Option<&TenantId>) -> Standing {
        let Some(id) = request.r#as.strip_prefix("human:") else {
            return Standing::default();
        };
        let human = self.human(id);
        let role = at.and_then(|tenant| human.roles.get(tenant.as_str()));
        Standing {
            global_admin: human.admin,
            role: role.map(|role| Role::parse(role).expect("a role")),
        }
    }

    fn tenant(&self, id: Option<&TenantId>) -> Option<&TenantRow> {
        let id = id?;
        self.tenant.iter().find(|row| row.id == id.as_str())
    }

    fn skills_at<'a>(&'a self, scope: &'a Scope) -> impl Iterator<Item = &'a SkillRow> {
        self.skill.iter().filter(move |row| {
            let home = row.tenant.as_deref().map(tenant_id);
            Scope::parse(&row.scope, home.as_ref()).expect("a scope") == *scope
        })
    }

    fn room(&self, action: Action, scope: &Scope, status: Option<State>) -> Option<Room> {
        let creates = matches!(status, None | Some(State::Archived));
        if action != Action::PublishSkill || !creates {
            return None;
        }
        let tenant = self.tenant(scope.tenant());
        let limit = match scope {
            Scope::Actor { .. } => tenant.map_or_else(per_actor, |row| row.skills_per_actor),
            Scope::Tenant(_) => tenant.map_or_else(per_tenant, |row| row.skills_per_tenant),
            Scope::Global => u64::MAX,
        };
        let live = self
            .skills_at(scope)
            .filter(|row| !matches!(row.status, State::Archived));
        Some(Room {
            used: u64::try_from(live.count()).expect("a small number"),
            limit,
        })
    }

    fn settings(&self, at: Option<&TenantId>) -> Settings {
        let Some(row) = self.tenant(at) else {
            return Settings::default();
        };
        Settings {
            agent_own_scope: match row.agent_own_scope {
                Setting::Allow => AgentOwnScope::Allow,
                Setting::Review => AgentOwnScope::Review,
                Setting::Deny => AgentOwnScope::Deny,
            },
            approvers: row.approvers.iter().map(|text| username(text)).collect(),
            distinct_human: match row.distinct_human {
                Distinct::Auto => DistinctHuman::Auto,
                Distinct::Always => DistinctHuman::Always,
            },
            review_names: row
                .review_names
                .iter()
                .map(|text| NamePattern::parse(text).expect("a pattern"))
                .collect(),
            review_severity: row
                .review_severity
                .as_deref()
                .map(|word| Severity::parse(word).expect("a severity")),
            ..Settings::default()
        }
    }

    fn proposal(&self, id: &str) -> Proposal {
        let row = self
            .proposal
            .iter()
            .find(|row| row.id == id)
            .expect("a proposal");
        // What it is called makes no difference to the rules; over HTTP it is proposed under this name.
        let _ = name(&row.name);
        let (kind, by) = row.by.split_once(':').expect("a kind and an id");
        let author = match kind {
            "human" => human(by, row.r#in.as_deref()),
            _ => {
                let row = self
                    .agent
                    .iter()
                    .find(|row| row.id == by)
                    .expect("an agent");
                agent(by, &row.actor, &self.service(&row.service).tenant)
            }
        };
        let publishes = |human: &&HumanRow| match row.scope.strip_prefix("tenant:") {
            Some(tenant) => human
                .roles
                .get(tenant)
                .is_some_and(|role| role == "publisher"),
            None => human.admin,
        };
        let always = if row.scope == "global" { KEEPER } else { MAKER };
        let publishers = self.human.iter().filter(publishes);
        Proposal {
            authors: vec![author],
            publishers: publishers
                .map(|human| human.id.as_str())
                .chain([always])
                .map(username)
                .collect(),
        }
    }

    fn run(&self, request: &RequestRow) -> (Action, Verdict) {
        let principal = self.principal(request);
        let action = Action::parse(&request.action).expect("an action");
        let target = match request.target.strip_prefix("admin:") {
            Some(id) => Target::Tenant(tenant_id(id)),
            None if request.target == "server" => Target::Server,
            None => Target::Scope(
                Scope::parse(&request.target, principal.tenant.as_ref()).expect("a scope"),
            ),
        };
        let (at, scope) = match &target {
            Target::Server => (None, None),
            Target::Tenant(id) => (Some(id), None),
            Target::Scope(scope) => (scope.tenant(), Some(scope)),
        };
        let found = scope.and_then(|scope| {
            let mut rows = self.skills_at(scope);
            rows.find(|row| Some(&row.name) == request.skill.as_ref())
        });
        let status = found.map(|row| row.status);
        let facts = Facts {
            standing: self.standing(request, at),
            elevation: elevation(request, &target),
            now: NOW,
            settings: self.settings(at),
            status: status.map(|status| match status {
                State::Active => Status::Active,
                State::Disabled => Status::Disabled,
                State::Quarantined => Status::Quarantined,
                State::Revoked => Status::Revoked,
                State::Archived => Status::Archived,
            }),
            name: request.skill.as_deref().map(name),
            worst_finding: request
                .found
                .as_deref()
                .map(|word| Severity::parse(word).expect("a severity")),
            proposal: request.proposal.as_deref().map(|id| self.proposal(id)),
            room: scope.and_then(|scope| self.room(action, scope, status)),
            principal,
        };
        (action, decide(action, &target, &facts))
    }
}

fn elevation(request: &RequestRow, target: &Target) -> Option<Elevation> {
    let exact = match target {
        Target::Server => Scope::Global,
        Target::Tenant(id) => Scope::Tenant(id.clone()),
        Target::Scope(scope) => scope.clone(),
    };
    let other = match exact {
        Scope::Global => tenant(request.r#in.as_deref().unwrap_or("other")),
        Scope::Actor { .. } | Scope::Tenant(_) => Scope::Global,
    };
    let (scope, expires_at) = match request.elevation {
        Shown::None => return None,
        Shown::Exact => (exact, NOW + 1),
        Shown::Other => (other, NOW + 1),
        Shown::Expired => (exact, NOW),
    };
    let session = request.r#as.starts_with("human:") && matches!(request.with, With::Session);
    assert!(
        session,
        "only a human's session shows an elevation: {}",
        request.name
    );
    Some(Elevation { scope, expires_at })
}

fn worlds() -> Vec<(String, World)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let files = fs::read_dir(folder).expect("the folder of the cases");
    let paths = files.map(|file| file.expect("a file").path());
    paths
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a readable file");
            let world =
                toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path.display().to_string(), world)
        })
        .collect()
}

#[test]
fn every_request_gets_its_verdict() {
    let (mut failures, mut rules, mut actions, mut count) =
        (Vec::new(), BTreeSet::new(), BTreeSet::new(), 0);
    let worlds = worlds();
    for (file, world) in &worlds {
        assert!(!world.about.is_empty(), "{file} says what it is about");
        let mut names = BTreeSet::new();
        for request in &world.request {
            assert!(
                names.insert(&request.name),
                "{file}: {} is there twice",
                request.name
            );
            let rule = Rule::parse(&request.rule)
                .unwrap_or_else(|| panic!("{file}: no rule {}", request.rule));
            let expected = match request.verdict.as_str() {
                "allow" => Verdict::Allow(rule),
                "review" => Verdict::Review(rule),
                "deny" => Verdict::Deny(rule),
                other => panic!("{file}: no verdict {other}"),
            };
            let (action, verdict) = world.run(request);
            if verdict != expected {
                failures.push(format!(
                    "{file}: {}: {verdict:?}, not {expected:?}",
                    request.name
                ));
            }
            rules.insert(rule);
            actions.insert(action);
            count += 1;
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        worlds.len() >= 5 && count >= 60,
        "{} worlds, {count} requests",
        worlds.len()
    );
    assert!(
        Rule::ALL.iter().all(|rule| rules.contains(rule)),
        "every rule has a case"
    );
    assert!(
        Action::ALL.iter().all(|action| actions.contains(action)),
        "every action has a case"
    );
}

#[test]
fn the_words_of_actions_and_rules_read_back() {
    for action in Action::ALL {
        assert_eq!(Action::parse(action.as_str()), Some(*action));
    }
    for rule in Rule::ALL {
        assert_eq!(Rule::parse(rule.as_str()), Some(*rule));
    }
    for role in ["member", "publisher", "auditor"] {
        assert_eq!(Role::parse(role).map(Role::as_str), Some(role));
    }
    assert_eq!(
        (
            Action::parse("Elevate"),
            Rule::parse(""),
            Role::parse("admin")
        ),
        (None, None, None)
    );
}
