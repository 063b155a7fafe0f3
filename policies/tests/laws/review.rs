//! Invariant 6: a published digest is an approved digest, and its approvers satisfy design §2.6.
//!
//! Two agents and three humans do whatever they like, in any order, to proposals for one skill. The histories are run by
//! the rules; a notary beside them keeps a list of what was said by whom about which content, and knows nothing else. What
//! is published must have been approved by those on the notary's list, and what they approved must be published.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::select;
use vestry_policies::review::{
    Author, Ballot, Decision, NamePattern, Obstacle, Reviewed, Step, counted, state_now, step,
};
use vestry_policies::{
    Action, Credential, Digest, DistinctHuman, Elevation, Facts, Principal, PrincipalKind,
    Proposal, ProposalState, Role, Scope, Settings, Standing, Target, Username, Verdict, decide,
};

use crate::cells::{NOW, username};
use crate::support::{actor_id, config, name, tenant, tenant_id};

/// The humans; the last begins as a member.
const HUMANS: [&str; 3] = ["ann", "bea", "tom"];
/// Whom each agent acts for.
const AGENTS: [(&str, &str); 2] = [("ann-bot", "ann"), ("tom-bot", "tom")];
/// How long a proposal waits.
const PATIENCE: i64 = 20;

#[derive(Debug, Clone, Copy)]
enum Who {
    Human(usize),
    Agent(usize),
}

/// What a decision names: what is there, or what was there before.
#[derive(Debug, Clone, Copy)]
enum Named {
    Now,
    Before,
}

#[derive(Debug, Clone)]
enum Op {
    Propose(Who),
    Edit(Who, usize),
    Decide(Who, usize, Decision, Named, Named),
    Withdraw(Who, usize),
    Rebase(Who, usize),
    /// A publication beside all proposals.
    Publish,
    /// A human becomes a publisher, or is one no more.
    Turn(usize),
    Require(u8),
    Approvers(Vec<usize>),
    Distinct(DistinctHuman),
    Wait(i64),
}

fn who() -> impl Strategy<Value = Who> {
    prop_oneof![
        3 => (0..HUMANS.len()).prop_map(Who::Human),
        2 => (0..AGENTS.len()).prop_map(Who::Agent),
    ]
}

fn op() -> impl Strategy<Value = Op> {
    let named = || prop_oneof![5 => Just(Named::Now), 1 => Just(Named::Before)];
    let which = || 0..3_usize;
    let decision = prop_oneof![6 => Just(Decision::Approve), 1 => Just(Decision::Reject)];
    prop_oneof![
        3 => who().prop_map(Op::Propose),
        2 => (who(), which()).prop_map(|(who, at)| Op::Edit(who, at)),
        8 => (who(), which(), decision, named(), named())
            .prop_map(|(who, at, decision, digest, base)| Op::Decide(who, at, decision, digest, base)),
        1 => (who(), which()).prop_map(|(who, at)| Op::Withdraw(who, at)),
        2 => (who(), which()).prop_map(|(who, at)| Op::Rebase(who, at)),
        1 => Just(Op::Publish),
        1 => (0..HUMANS.len()).prop_map(Op::Turn),
        1 => (1..=3_u8).prop_map(Op::Require),
        1 => prop::collection::vec(0..HUMANS.len(), 0..3).prop_map(Op::Approvers),
        1 => select(vec![DistinctHuman::Auto, DistinctHuman::Always]).prop_map(Op::Distinct),
        1 => (1..8_i64).prop_map(Op::Wait),
    ]
}

/// A proposal as a server would keep it.
struct Kept {
    authors: Vec<Author>,
    digest: u64,
    before: u64,
    /// The revision that it is compared with, and the one before.
    base: (u64, u64),
    version: u64,
    votes: Vec<(u64, Username, Decision)>,
    state: ProposalState,
    expires_at: i64,
}

/// What the notary writes down: what a human approved, compared with what.
#[derive(Debug, Clone, PartialEq)]
struct Said {
    proposal: usize,
    human: String,
    digest: u64,
    base: u64,
}

struct World {
    now: i64,
    settings: Settings,
    publishers: [bool; 3],
    /// The digest of the current revision, and how many contents there have been.
    current: u64,
    made: u64,
    kept: Vec<Kept>,
    notary: Vec<Said>,
    /// Who wrote each proposal, as the notary saw it: a human's name, and whether an agent acted for it.
    wrote: Vec<Vec<(String, bool)>>,
    published: usize,
}

fn digest(of: u64) -> Digest {
    let mut bytes = [0_u8; 32];
    bytes[..8].copy_from_slice(&of.to_be_bytes());
    Digest(bytes)
}

impl World {
    fn new() -> Self {
        Self {
            now: NOW,
            settings: Settings {
                review_names: Arc::from([NamePattern::All]),
                ..Settings::default()
            },
            publishers: [true, true, false],
            current: 0,
            made: 0,
            kept: Vec::new(),
            notary: Vec::new(),
            wrote: Vec::new(),
            published: 0,
        }
    }

    fn scope() -> Scope {
        tenant("acme")
    }

    fn publishers(&self) -> Vec<Username> {
        (0..HUMANS.len())
            .filter(|at| self.publishers[*at])
            .map(|at| username(HUMANS[at]))
            .collect()
    }

    fn principal(who: Who) -> Principal {
        let (kind, id, actor) = match who {
            Who::Human(at) => (PrincipalKind::Human, HUMANS[at], HUMANS[at]),
            Who::Agent(at) => (PrincipalKind::Agent, AGENTS[at].0, AGENTS[at].1),
        };
        let (acme, actor) = (tenant_id("acme"), actor_id(actor));
        Principal {
            kind,
            name: Arc::from(id),
            credential: match kind {
                PrincipalKind::Human => Credential::Session,
                _ => Credential::Minted,
            },
            scopes: Scope::of_caller(Some(&actor), Some(&acme)),
            tenant: Some(acme),
            acts_for: (kind == PrincipalKind::Agent).then_some(actor),
        }
    }

    fn allowed(&self, action: Action, who: Who, proposal: Option<Proposal>) -> bool {
        let role = match who {
            Who::Human(at) if self.publishers[at] => Some(Role::Publisher),
            Who::Human(_) => Some(Role::Member),
            Who::Agent(_) => None,
        };
        let facts = Facts {
            principal: Self::principal(who),
            standing: Standing {
                global_admin: false,
                role,
            },
            elevation: Some(Elevation {
                scope: Self::scope(),
                expires_at: i64::MAX,
            }),
            now: self.now,
            settings: self.settings.clone(),
            status: None,
            name: Some(name("refunds")),
            proposal,
            worst_finding: None,
            room: None,
        };
        matches!(
            decide(action, &Target::Scope(Self::scope()), &facts),
            Verdict::Allow(_)
        )
    }

    fn facts_of(&self, at: usize) -> Proposal {
        Proposal {
            authors: self.kept[at].authors.clone(),
            publishers: self.publishers(),
        }
    }

    fn state(&self, at: usize) -> ProposalState {
        let kept = &self.kept[at];
        state_now(
            kept.state,
            kept.base.0 == self.current,
            self.now,
            kept.expires_at,
        )
    }

    fn note_author(&mut self, at: usize, who: Who) {
        let wrote = match who {
            Who::Human(human) => (HUMANS[human].to_owned(), false),
            Who::Agent(agent) => (AGENTS[agent].1.to_owned(), true),
        };
        self.wrote[at].push(wrote);
    }

    fn run(&mut self, op: &Op) {
        match op {
            Op::Propose(who) => {
                if self.allowed(Action::ProposeSkill, *who, None) && self.kept.len() < 3 {
                    self.made += 1;
                    self.wrote.push(Vec::new());
                    self.kept.push(Kept {
                        authors: vec![Author::of(&Self::principal(*who))],
                        digest: self.made,
                        before: self.made,
                        base: (self.current, self.current),
                        version: 1,
                        votes: Vec::new(),
                        state: ProposalState::Open,
                        expires_at: self.now + PATIENCE,
                    });
                    self.note_author(self.kept.len() - 1, *who);
                }
            }
            Op::Edit(who, at) => {
                if self.reaches(Action::EditProposal, *who, *at)
                    && self.state(*at).check_open().is_ok()
                {
                    self.made += 1;
                    let kept = &mut self.kept[*at];
                    kept.before = kept.digest;
                    kept.digest = self.made;
                    kept.version += 1;
                    kept.authors.push(Author::of(&Self::principal(*who)));
                    self.note_author(*at, *who);
                }
            }
            Op::Withdraw(who, at) => {
                if self.reaches(Action::WithdrawProposal, *who, *at)
                    && self.state(*at).check_pending().is_ok()
                {
                    self.kept[*at].state = ProposalState::Withdrawn;
                }
            }
            Op::Rebase(who, at) => {
                if self.reaches(Action::RebaseProposal, *who, *at)
                    && self.state(*at) == ProposalState::Stale
                {
                    let kept = &mut self.kept[*at];
                    kept.base = (self.current, kept.base.0);
                    kept.version += 1;
                }
            }
            Op::Publish => {
                self.made += 1;
                self.current = self.made;
            }
            Op::Turn(at) => self.publishers[*at] = !self.publishers[*at],
            Op::Require(number) => self.settings.required_approvals = *number,
            Op::Approvers(who) => {
                self.settings.approvers = who.iter().map(|at| username(HUMANS[*at])).collect();
            }
            Op::Distinct(setting) => self.settings.distinct_human = *setting,
            Op::Wait(time) => self.now += time,
            Op::Decide(who, at, decision, named, base) => {
                self.decide(*who, *at, *decision, *named, *base);
            }
        }
    }

    fn reaches(&self, action: Action, who: Who, at: usize) -> bool {
        at < self.kept.len() && self.allowed(action, who, Some(self.facts_of(at)))
    }

    fn decide(&mut self, who: Who, at: usize, decision: Decision, named: Named, base: Named) {
        if !self.reaches(Action::DecideProposal, who, at) {
            return;
        }
        let Who::Human(human) = who else {
            panic!("an agent decides")
        };
        let kept = &self.kept[at];
        let me = username(HUMANS[human]);
        let pick = |named, now, before| match named {
            Named::Now => now,
            Named::Before => before,
        };
        let ballot = (
            pick(named, kept.digest, kept.before),
            pick(base, kept.base.0, kept.base.1),
        );
        let stands = kept.votes.iter().filter(|vote| vote.0 == kept.version);
        let mut approved: Vec<Username> = stands
            .clone()
            .filter(|vote| vote.2 == Decision::Approve)
            .map(|vote| vote.1.clone())
            .collect();
        if decision == Decision::Approve {
            approved.push(me.clone());
        }
        let state = self.state(at);
        let reviewed = Reviewed {
            state,
            digest: digest(kept.digest),
            base: Some(digest(kept.base.0)),
            required: usize::from(self.settings.required_approvals),
            counted: counted(&approved, &self.facts_of(at), &self.settings),
            before: stands
                .filter(|vote| vote.1 == me)
                .map(|vote| vote.2)
                .next_back(),
        };
        let sent = Ballot {
            decision,
            digest: digest(ballot.0),
            base: Some(digest(ballot.1)),
        };
        let outcome = step(&reviewed, &sent);
        let fits = ballot.0 == kept.digest && ballot.1 == kept.base.0;
        if decision == Decision::Approve && state == ProposalState::Open && fits {
            // The notary hears everyone who may be heard, and writes down what it was about.
            self.notary.push(Said {
                proposal: at,
                human: HUMANS[human].to_owned(),
                digest: ballot.0,
                base: ballot.1,
            });
        }
        let enough = self.is_approved(at);
        match outcome {
            Ok(Step::Publishes) => {
                assert!(enough, "published what was not approved");
                assert_eq!(state, ProposalState::Open, "published what does not wait");
                assert_eq!(kept.base.0, self.current, "published over something else");
                let kept = &mut self.kept[at];
                kept.state = ProposalState::Published;
                kept.votes.push((kept.version, me, decision));
                self.current = kept.digest;
                self.published += 1;
            }
            Ok(Step::Counts) => {
                assert!(!enough, "approved, and not published");
                let kept = &mut self.kept[at];
                kept.votes.push((kept.version, me, decision));
            }
            Ok(Step::Rejects) => {
                assert!(!state.is_over() && decision == Decision::Reject);
                let kept = &mut self.kept[at];
                kept.state = ProposalState::Rejected;
                kept.votes.push((kept.version, me, decision));
            }
            Ok(Step::Unchanged) => {
                let again = reviewed.before == Some(decision);
                assert!(again, "nothing changes by a new decision");
            }
            Err(Obstacle::Over(over)) => assert!(over == state && state.is_over()),
            Err(Obstacle::Stale) => assert_eq!(state, ProposalState::Stale),
            Err(Obstacle::OtherDigest) => assert_ne!(ballot.0, kept.digest),
            Err(Obstacle::OtherBase) => assert_ne!(ballot.1, kept.base.0),
        }
    }

    /// What the notary says: as many different humans as it takes have approved exactly this, compared with what is there,
    /// each of them a publisher now, on the tenant's list if it has one, and none who wrote it or had it written.
    fn is_approved(&self, at: usize) -> bool {
        let kept = &self.kept[at];
        let mut heard: Vec<&str> = self
            .notary
            .iter()
            .filter(|said| {
                said.proposal == at && said.digest == kept.digest && said.base == kept.base.0
            })
            .map(|said| said.human.as_str())
            .filter(|human| self.may_approve(human, at))
            .collect();
        heard.sort_unstable();
        heard.dedup();
        heard.len() >= usize::from(self.settings.required_approvals)
    }

    fn may_approve(&self, human: &str, at: usize) -> bool {
        let position = HUMANS.iter().position(|known| *known == human).unwrap();
        let list = &self.settings.approvers;
        let wrote = |who: &str| self.wrote[at].contains(&(who.to_owned(), false));
        let had_it_written = self.wrote[at].contains(&(human.to_owned(), true));
        let another = (0..HUMANS.len())
            .any(|other| other != position && self.publishers[other] && !wrote(HUMANS[other]));
        let aside = another || self.settings.distinct_human == DistinctHuman::Always;
        self.publishers[position]
            && (list.is_empty() || list.iter().any(|name| name.as_str() == human))
            && !wrote(human)
            && !(had_it_written && aside)
    }
}

proptest! {
    #![proptest_config(config())]

    /// Invariant 6, over whole histories.
    #[test]
    fn what_is_published_was_approved(ops in prop::collection::vec(op(), 1..60)) {
        let mut world = World::new();
        for op in &ops {
            world.run(op);
        }
    }

    /// An agent never approves, whatever else is so.
    #[test]
    fn no_agent_decides(agent in 0..AGENTS.len(), by in who(), roles in any::<[bool; 3]>()) {
        let mut world = World::new();
        world.publishers = roles;
        world.run(&Op::Propose(by));
        prop_assert!(!world.reaches(Action::DecideProposal, Who::Agent(agent), 0));
    }
}

/// The histories reach what they are about: not all of them end before anything is published.
#[test]
fn histories_publish() {
    let mut world = World::new();
    for op in [
        Op::Propose(Who::Agent(0)),
        Op::Require(2),
        Op::Turn(2),
        Op::Decide(Who::Human(0), 0, Decision::Approve, Named::Now, Named::Now),
        Op::Decide(Who::Human(1), 0, Decision::Approve, Named::Now, Named::Now),
        Op::Edit(Who::Agent(0), 0),
        Op::Decide(
            Who::Human(1),
            0,
            Decision::Approve,
            Named::Before,
            Named::Now,
        ),
        Op::Decide(Who::Human(1), 0, Decision::Approve, Named::Now, Named::Now),
    ] {
        world.run(&op);
    }
    assert_eq!(
        world.published, 0,
        "the human acted for does not count, nor what an edit voided"
    );
    world.run(&Op::Decide(
        Who::Human(2),
        0,
        Decision::Approve,
        Named::Now,
        Named::Now,
    ));
    assert_eq!(world.published, 1);
    assert_eq!(world.state(0), ProposalState::Published);
}

#[test]
fn patterns_name_what_they_say() {
    let matches =
        |pattern: &str, text: &str| NamePattern::parse(pattern).unwrap().matches(&name(text));
    assert!(matches("*", "anything"));
    assert!(matches("refunds", "refunds") && !matches("refunds", "refunds-eu"));
    assert!(matches("legal-*", "legal-terms") && matches("legal-*", "legal-terms-eu"));
    assert!(!matches("legal-*", "legal") && !matches("legal-*", "legally"));
    for text in ["", "**", "a*", "a-**", "-*", "*-a", "A", "a--*", "a-*-b"] {
        assert!(NamePattern::parse(text).is_err(), "{text}");
    }
    for text in ["*", "a", "a-b", "a-*", "a-b-*"] {
        assert_eq!(NamePattern::parse(text).unwrap().to_string(), text);
    }
}

#[test]
fn the_words_of_states_read_back() {
    for state in ProposalState::ALL {
        assert_eq!(ProposalState::parse(state.as_str()), Some(state));
    }
    for setting in [DistinctHuman::Auto, DistinctHuman::Always] {
        assert_eq!(DistinctHuman::parse(setting.as_str()), Some(setting));
    }
    assert_eq!(ProposalState::parse("Open"), None);
    assert_eq!(DistinctHuman::parse(""), None);
}
