//! Going through what the turns of one tenant left, so much at a time.

use std::collections::{BTreeSet, HashMap};

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, ExprTrait as _, QueryFilter, QueryOrder, QuerySelect};

use super::event::{Happened, Reported, ReportedSkill, StoredLine};
use super::wanted::Content;
use crate::store::entity::{journal, snapshot, turn};
use crate::store::error::{StoreError, StoreResult};
use crate::store::pool::Transaction;

/// How many snapshots are read at once; one is a few KiB.
const SNAPSHOTS: usize = 200;

/// How much may still be looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    turns: usize,
    bytes: usize,
}

impl Default for Budget {
    /// What a page looks at: some tenths of a second.
    fn default() -> Self {
        Self {
            turns: 2_000,
            bytes: 4 << 20,
        }
    }
}

/// What is looked at next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// The turns that were named, after this actor, agent and turn.
    Turns(Option<(String, String, String)>),
    /// The journal, from this line of this row on.
    Journal { number: i64, line: usize },
}

impl Place {
    pub(super) const BEGINNING: Self = Self::Turns(None);

    /// As a cursor holds it.
    pub(super) fn write(&self) -> Vec<String> {
        match self {
            Self::Turns(None) => vec!["turns".to_owned()],
            Self::Turns(Some((actor, agent, turn))) => {
                vec![
                    "turns".to_owned(),
                    actor.clone(),
                    agent.clone(),
                    turn.clone(),
                ]
            }
            Self::Journal { number, line } => {
                vec!["journal".to_owned(), number.to_string(), line.to_string()]
            }
        }
    }

    pub(super) fn read(position: &[String]) -> StoreResult<Self> {
        let wrong = || StoreError::Internal("a cursor has the wrong position".to_owned());
        match position {
            [kind] if kind == "turns" => Ok(Self::Turns(None)),
            [kind, actor, agent, turn] if kind == "turns" => Ok(Self::Turns(Some((
                actor.clone(),
                agent.clone(),
                turn.clone(),
            )))),
            [kind, number, line] if kind == "journal" => Ok(Self::Journal {
                number: number.parse().map_err(|_| wrong())?,
                line: line.parse().map_err(|_| wrong())?,
            }),
            _ => Err(wrong()),
        }
    }
}

/// Takes what is found; false ends the page.
pub(super) type Sink<'a> = dyn FnMut(Reported) -> bool + Send + 'a;

/// The turns of one tenant.
pub(super) struct Scan<'a> {
    db: &'a Transaction,
    tenant: &'a str,
    content: &'a Content,
    /// What snapshots offer of the content.
    offered: HashMap<String, Vec<ReportedSkill>>,
}

impl<'a> Scan<'a> {
    pub(super) fn new(db: &'a Transaction, tenant: &'a str, content: &'a Content) -> Self {
        Self {
            db,
            tenant,
            content,
            offered: HashMap::new(),
        }
    }

    /// Goes on from a place until the budget is used up or the sink has enough. Gives where to go on; nothing at the end.
    pub(super) async fn run(
        &mut self,
        from: Place,
        budget: &mut Budget,
        sink: &mut Sink<'_>,
    ) -> StoreResult<Option<Place>> {
        let (number, line) = match from {
            Place::Journal { number, line } => (number, line),
            Place::Turns(after) => match self.turns(after, budget, sink).await? {
                Some(after) => return Ok(Some(Place::Turns(Some(after)))),
                None => (i64::MIN, 0),
            },
        };
        self.journal(number, line, budget, sink).await
    }

    async fn turns(
        &mut self,
        mut after: Option<(String, String, String)>,
        budget: &mut Budget,
        sink: &mut Sink<'_>,
    ) -> StoreResult<Option<(String, String, String)>> {
        while budget.turns > 0 {
            let page = budget.turns.min(SNAPSHOTS);
            let mut find = turn::Entity::find()
                .filter(turn::Column::Tenant.eq(self.tenant))
                .order_by_asc(turn::Column::Actor)
                .order_by_asc(turn::Column::Agent)
                .order_by_asc(turn::Column::Turn)
                .limit(page as u64);
            if let Some(actor) = &self.content.actor {
                find = find.filter(turn::Column::Actor.eq(actor.as_str()));
            }
            if let Some((actor, agent, turn)) = &after {
                let columns = [turn::Column::Actor, turn::Column::Agent, turn::Column::Turn];
                let values = [actor, agent, turn].map(|text| Expr::val(text.as_str()));
                find = find.filter(Expr::tuple(columns.map(Expr::col)).gt(Expr::tuple(values)));
            }
            let rows = find.all(self.db).await?;
            let is_last = rows.len() < page;
            self.read_snapshots(rows.iter().map(|row| row.snapshot.clone()).collect())
                .await?;
            for row in rows {
                budget.turns = budget.turns.saturating_sub(1);
                let place = (row.actor.clone(), row.agent.clone(), row.turn.clone());
                let skills = self.offered.get(&row.snapshot).cloned().unwrap_or_default();
                if !skills.is_empty()
                    && row.created_at >= self.content.since
                    && !sink(taken(row, skills))
                {
                    return Ok(Some(place));
                }
                after = Some(place);
            }
            if is_last {
                return Ok(None);
            }
        }
        Ok(after)
    }

    async fn journal(
        &mut self,
        mut number: i64,
        mut line: usize,
        budget: &mut Budget,
        sink: &mut Sink<'_>,
    ) -> StoreResult<Option<Place>> {
        while budget.bytes > 0 {
            // One at a time: a row can be as large as a page may look at.
            let row = journal::Entity::find()
                .filter(journal::Column::Tenant.eq(self.tenant))
                .filter(journal::Column::Number.gte(number))
                .filter(journal::Column::LastAt.gte(self.content.since))
                .order_by_asc(journal::Column::Number)
                .one(self.db)
                .await?;
            let Some(row) = row else {
                return Ok(None);
            };
            if row.number != number {
                line = 0;
            }
            budget.bytes = budget.bytes.saturating_sub(row.content.len().max(1));
            let lines = read_lines(&row)?;
            let snapshots = lines.iter().skip(line).filter_map(|line| match line {
                StoredLine::Offer { snapshot, .. } => Some(snapshot.clone()),
                _ => None,
            });
            self.read_snapshots(snapshots.collect()).await?;
            for (at, stored) in lines.into_iter().enumerate().skip(line) {
                if let Some(event) = self.event(stored)
                    && !sink(event)
                {
                    return Ok(Some(Place::Journal {
                        number: row.number,
                        line: at + 1,
                    }));
                }
            }
            number = row.number + 1;
            line = 0;
        }
        Ok(Some(Place::Journal { number, line }))
    }

    fn event(&self, line: StoredLine) -> Option<Reported> {
        match line {
            StoredLine::Offer {
                who,
                snapshot,
                session,
            } => {
                let skills = self.offered.get(&snapshot)?;
                (!skills.is_empty()).then(|| who.did(Happened::Offered, session, skills.clone()))
            }
            StoredLine::Load {
                who,
                what,
                tool_call,
                already_loaded,
            } => {
                let skill = self.content.of_load(what)?;
                let happened = Happened::Loaded {
                    tool_call,
                    already_loaded,
                };
                Some(who.did(happened, None, vec![skill]))
            }
            StoredLine::LoadFile { who, what, path } => {
                let skill = self.content.of_load(what)?;
                Some(who.did(Happened::LoadedFile { path }, None, vec![skill]))
            }
            StoredLine::Open { who, what, session } => {
                let skill = self.content.of_load(what)?;
                Some(who.did(Happened::Opened, session, vec![skill]))
            }
            StoredLine::Other => None,
        }
    }

    /// Reads what these snapshots offer of the content, where it is not known yet.
    async fn read_snapshots(&mut self, digests: BTreeSet<String>) -> StoreResult<()> {
        let unknown: Vec<String> = digests
            .into_iter()
            .filter(|digest| !self.offered.contains_key(digest))
            .collect();
        for digests in unknown.chunks(SNAPSHOTS) {
            let rows = snapshot::Entity::find()
                .filter(snapshot::Column::Tenant.eq(self.tenant))
                .filter(snapshot::Column::Digest.is_in(digests))
                .all(self.db)
                .await?;
            if rows.len() < digests.len() {
                tracing::error!(
                    missing = digests.len() - rows.len(),
                    "snapshots of offers are missing, and a recall report is short of them; run `vestry audit verify`"
                );
            }
            for row in rows {
                let skills = self.content.of_snapshot(&row.content).unwrap_or_else(|_| {
                    tracing::error!(
                        snapshot = row.digest,
                        "a snapshot is unreadable, and a recall report is short of it; run `vestry audit verify`"
                    );
                    Vec::new()
                });
                self.offered.insert(row.digest, skills);
            }
        }
        Ok(())
    }
}

fn read_lines(row: &journal::Model) -> StoreResult<Vec<StoredLine>> {
    row.content
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).map_err(StoreError::from))
        .collect()
}

fn taken(row: turn::Model, skills: Vec<ReportedSkill>) -> Reported {
    let (principal, acts_for) = if !row.agent.is_empty() {
        (format!("agent:{}", row.agent), Some(row.actor))
    } else if row.actor.starts_with("human:") {
        // Whoever has no tenant has no actor's id either.
        (row.actor, None)
    } else {
        (format!("human:{}", row.actor), None)
    };
    Reported {
        happened: Happened::Taken,
        at: row.created_at,
        principal,
        acts_for,
        turn: row.turn,
        offer: None,
        session: row.session,
        skills,
    }
}
