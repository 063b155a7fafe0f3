//! The database, the replicas, and the steps that they take.

use stateright::{Model, Property};

use crate::properties;

/// How many replicas there are.
pub(crate) const REPLICAS: usize = 3;

/// A guard that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A publication does not count the version of its scope up.
    PublishCountsNothing,
    /// A revocation does not.
    RevokeCountsNothing,
    /// Versions are drawn when a write begins, and not counted under its lock: one that was drawn earlier may commit later.
    VersionsAreDrawn,
    /// A write is acknowledged before it is committed.
    AcknowledgedEarly,
    /// A catalog does not ask the database for the versions.
    CatalogsDoNotAsk,
    /// A load does not.
    LoadsDoNotAsk,
    /// What a slower request saw replaces what a faster one saw later.
    MemoryGoesBack,
    /// What was read into the cache is kept as of the version that is known when it is kept.
    KeptAsNewer,
    /// A load gives the current revision, and not the one that was offered.
    CurrentIsLoaded,
}

impl Fault {
    /// Each of them, and what does not hold then.
    pub(crate) const ALL: [(Self, &'static str); 9] = [
        (Self::PublishCountsNothing, properties::FRESH),
        (Self::RevokeCountsNothing, properties::REVOKED),
        (Self::VersionsAreDrawn, properties::FRESH),
        (Self::AcknowledgedEarly, properties::FRESH),
        (Self::CatalogsDoNotAsk, properties::FRESH),
        (Self::LoadsDoNotAsk, properties::REVOKED),
        (Self::MemoryGoesBack, properties::FRESH),
        (Self::KeptAsNewer, properties::FRESH),
        (Self::CurrentIsLoaded, properties::PINNED),
    ];
}

/// What a write does to the one skill of the one scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum What {
    Publish(u8),
    Revoke(u8),
}

/// The writes; each happens once.
pub(crate) const WRITES: [What; 2] = [What::Publish(2), What::Revoke(OFFERED)];

/// The revision that was offered before everything here.
pub(crate) const OFFERED: u8 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum WriteStep {
    Waiting,
    /// In a transaction; with the version that was drawn, where versions are drawn.
    Begun(u8),
    Committed,
    Acknowledged,
    /// Acknowledged, and not committed yet: only by a fault.
    Promised(u8),
}

/// What a snapshot of the database shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Rows {
    pub(crate) version: u8,
    pub(crate) revision: u8,
    /// The revisions that are revoked, a bit each.
    pub(crate) revoked: u8,
    /// The writes that it has, a bit each. Nobody in the system sees this.
    pub(crate) has: u8,
}

/// What a replica has in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Replica {
    /// The version that it knows of.
    live: u8,
    /// The scope, as of a version.
    cache: Rows,
    /// The recalls, as of a version.
    recalls: Rows,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    New,
    Asking,
    /// The database told this version.
    Told(u8),
    Checking,
    Filling,
    /// This was read, and is not in memory yet.
    Read(Rows),
    Done(Outcome),
}

/// What came of a request, as far as anything is asked about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Outcome {
    /// A catalog without a write that was acknowledged before it.
    Stale,
    /// A catalog with all of those; whether it has every write there is.
    Fresh {
        has_all: bool,
    },
    /// The body that was offered; whether something was published before.
    Loaded {
        later: bool,
    },
    /// A body although its revocation was acknowledged before.
    LoadedRevoked,
    /// Another body than the one that was offered.
    LoadedOther,
    Refused,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Catalog,
    Load,
}

/// A request, and what had been acknowledged when it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Request {
    kind: Kind,
    pub(crate) step: Step,
    replica: usize,
    /// The writes that were acknowledged before, a bit each.
    knows: u8,
}

/// Two catalogs and a load.
const KINDS: [Kind; 3] = [Kind::Catalog, Kind::Catalog, Kind::Load];

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct System {
    rows: Rows,
    drawn: u8,
    writes: [WriteStep; WRITES.len()],
    replicas: [Replica; REPLICAS],
    pub(crate) requests: [Request; KINDS.len()],
    /// How many replicas a request has come to. They are all alike: the first that one comes to is the first.
    used: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    /// The next step of a write.
    Write(usize),
    /// A request arrives at a replica.
    Begin(usize, usize),
    /// The next step of a request.
    Go(usize),
}

/// The model.
pub(crate) struct Replicas {
    pub(crate) fault: Option<Fault>,
}

impl Replicas {
    fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    fn write(&self, system: &mut System, at: usize) -> Option<()> {
        let is_locked = system
            .writes
            .iter()
            .any(|step| matches!(step, WriteStep::Begun(_) | WriteStep::Promised(_)));
        system.writes[at] = match system.writes[at] {
            WriteStep::Waiting if is_locked && !self.has(Fault::VersionsAreDrawn) => return None,
            WriteStep::Waiting => {
                system.drawn += 1;
                WriteStep::Begun(system.drawn)
            }
            WriteStep::Begun(drawn) if self.has(Fault::AcknowledgedEarly) => {
                WriteStep::Promised(drawn)
            }
            WriteStep::Begun(drawn) | WriteStep::Promised(drawn) => {
                self.commit(&mut system.rows, at, drawn);
                if matches!(system.writes[at], WriteStep::Promised(_)) {
                    WriteStep::Acknowledged
                } else {
                    WriteStep::Committed
                }
            }
            WriteStep::Committed => WriteStep::Acknowledged,
            WriteStep::Acknowledged => return None,
        };
        Some(())
    }

    fn commit(&self, rows: &mut Rows, at: usize, drawn: u8) {
        let counts = match WRITES[at] {
            What::Publish(revision) => {
                rows.revision = revision;
                !self.has(Fault::PublishCountsNothing)
            }
            What::Revoke(revision) => {
                rows.revoked |= 1 << revision;
                !self.has(Fault::RevokeCountsNothing)
            }
        };
        rows.has |= 1 << at;
        if self.has(Fault::VersionsAreDrawn) {
            rows.version = rows.version.max(drawn);
        } else if counts {
            rows.version += 1;
        }
    }

    fn go(&self, system: &mut System, at: usize) -> Option<()> {
        let Request {
            kind,
            step,
            replica,
            ..
        } = system.requests[at];
        let memory = &mut system.replicas[replica];
        let rows = system.rows;
        let asks = match kind {
            Kind::Catalog => !self.has(Fault::CatalogsDoNotAsk),
            Kind::Load => !self.has(Fault::LoadsDoNotAsk),
        };
        system.requests[at].step = match step {
            Step::New | Step::Done(_) => return None,
            Step::Asking if asks => Step::Told(rows.version),
            Step::Asking => Step::Checking,
            Step::Told(version) => {
                if version > memory.live || self.has(Fault::MemoryGoesBack) {
                    memory.live = version;
                }
                Step::Checking
            }
            Step::Checking => self.check(system.requests[at], memory, rows),
            Step::Filling => Step::Read(rows),
            Step::Read(mut read) => {
                if self.has(Fault::KeptAsNewer) {
                    read.version = memory.live;
                }
                match kind {
                    Kind::Catalog => memory.cache = read,
                    // Recalls that are older than those in memory are not taken in.
                    Kind::Load if read.version < memory.recalls.version => {}
                    Kind::Load => {
                        memory.recalls = read;
                        memory.live = memory.live.max(read.version);
                    }
                }
                Step::Checking
            }
        };
        let request = &mut system.requests[at];
        if matches!(request.step, Step::Done(_)) {
            // Nothing depends on these any more.
            request.knows = 0;
            request.replica = 0;
        }
        Some(())
    }

    fn check(&self, request: Request, memory: &Replica, rows: Rows) -> Step {
        let knows = |what: What| {
            let at = WRITES.iter().position(|write| *write == what);
            at.is_some_and(|at| request.knows & (1 << at) != 0)
        };
        match request.kind {
            Kind::Catalog if memory.cache.version >= memory.live => {
                let has = memory.cache.has;
                Step::Done(if has & request.knows == request.knows {
                    let has_all = has.count_ones() as usize == WRITES.len();
                    Outcome::Fresh { has_all }
                } else {
                    Outcome::Stale
                })
            }
            Kind::Load if memory.recalls.version >= memory.live => {
                let loaded = if self.has(Fault::CurrentIsLoaded) {
                    rows.revision
                } else {
                    OFFERED
                };
                Step::Done(if memory.recalls.revoked & (1 << OFFERED) != 0 {
                    Outcome::Refused
                } else if loaded != OFFERED {
                    Outcome::LoadedOther
                } else if knows(What::Revoke(OFFERED)) {
                    Outcome::LoadedRevoked
                } else {
                    Outcome::Loaded {
                        later: knows(What::Publish(2)),
                    }
                })
            }
            Kind::Catalog | Kind::Load => Step::Filling,
        }
    }
}

impl Model for Replicas {
    type State = System;
    type Action = Action;

    fn init_states(&self) -> Vec<System> {
        let rows = Rows {
            version: 0,
            revision: OFFERED,
            revoked: 0,
            has: 0,
        };
        let replica = Replica {
            live: 0,
            cache: rows,
            recalls: rows,
        };
        vec![System {
            rows,
            drawn: 0,
            writes: [WriteStep::Waiting; WRITES.len()],
            replicas: [replica; REPLICAS],
            requests: KINDS.map(|kind| Request {
                kind,
                step: Step::New,
                replica: 0,
                knows: 0,
            }),
            used: 0,
        }]
    }

    fn actions(&self, system: &System, actions: &mut Vec<Action>) {
        actions.extend((0..WRITES.len()).map(Action::Write));
        for (at, request) in system.requests.iter().enumerate() {
            if request.step == Step::New {
                let replicas = REPLICAS.min(system.used + 1);
                actions.extend((0..replicas).map(|replica| Action::Begin(at, replica)));
            } else {
                actions.push(Action::Go(at));
            }
        }
    }

    fn next_state(&self, last: &System, action: Action) -> Option<System> {
        let mut system = last.clone();
        match action {
            Action::Write(at) => self.write(&mut system, at)?,
            Action::Begin(at, replica) => {
                let acknowledged = |step: &WriteStep| {
                    matches!(step, WriteStep::Acknowledged | WriteStep::Promised(_))
                };
                let knows = system
                    .writes
                    .iter()
                    .enumerate()
                    .filter(|(_, step)| acknowledged(step))
                    .fold(0, |knows, (write, _)| knows | 1 << write);
                let request = &mut system.requests[at];
                request.step = Step::Asking;
                request.replica = replica;
                request.knows = knows;
                system.used = system.used.max(replica + 1);
            }
            Action::Go(at) => self.go(&mut system, at)?,
        }
        Some(system)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }
}
