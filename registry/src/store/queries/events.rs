//! What changed since a position, as far as the caller may know it.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use vestry_policies::{Action, Facts, Target};

use crate::store::entity::{audit, audit_head};
use crate::store::error::StoreResult;
use crate::store::events::{
    Event, EventCursor, EventKind, EventPosition, event_actions, read_event,
};
use crate::store::facts;
use crate::store::rows::tenant_key;
use crate::store::view::{Fetch, Query, View, facts_of};
use crate::store::work::Evidence;

/// The most events of a page, of each log.
const PAGE: u64 = 100;
/// How many records of a log one page looks at: most are of loads and refusals, and no page shall take long.
const SCAN: i64 = 5_000;

/// Where to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventsFrom {
    /// With what happens from now on.
    Now,
    /// With the first record that there is.
    Start,
    /// After an event.
    After(EventPosition),
    /// Where the page before ended.
    On(EventCursor),
}

/// Reads what changed.
#[derive(Debug, Clone, Copy)]
pub struct ReadEvents {
    /// Since when.
    pub from: EventsFrom,
}

/// Some events, and where to read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// Where the page begins.
    pub begins: EventPosition,
    /// What cannot be told any more.
    pub gaps: Vec<EventGap>,
    /// What can, in order.
    pub events: Vec<Event>,
    /// Where to read on.
    pub cursor: EventCursor,
    /// Whether there is more to read now.
    pub has_more: bool,
}

/// A part of a log that is not there: records that were cut off, or a position that the log never had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventGap {
    /// Where the stream is after it.
    pub id: EventPosition,
    /// `tenant` or `global`.
    pub log: &'static str,
    /// The last position in it that the reader knows of.
    pub after: i64,
    /// The position with which it goes on.
    pub next: i64,
}

impl Query for ReadEvents {
    type Answer = EventPage;
    const ACTION: Action = Action::ReadEvents;
    fn target(&self) -> Target {
        Target::Server
    }
}

/// One log, and what the caller is in its tenant.
struct Log {
    name: &'static str,
    key: String,
    target: Target,
    /// The number of its last record.
    head: i64,
    facts: Option<Facts>,
}

impl Log {
    async fn of(view: &View<'_>, name: &'static str, target: Target) -> StoreResult<Self> {
        let key = match &target {
            Target::Tenant(tenant) => tenant_key(Some(tenant)),
            Target::Server | Target::Scope(_) => tenant_key(None),
        };
        let head = audit_head::Entity::find_by_id(key.clone())
            .one(view.db)
            .await?;
        Ok(Self {
            name,
            key,
            target,
            head: head.map_or(0, |head| head.seq),
            facts: None,
        })
    }

    /// The event that a record is to the caller, if it is one.
    async fn event(&mut self, view: &View<'_>, row: &audit::Model) -> StoreResult<Option<Event>> {
        // What the caller is in the tenant, read once, in the snapshot that the rows are of.
        let facts = match self.facts.take() {
            Some(facts) => facts,
            None => {
                let known = facts::read(view.db, view.caller, &self.target).await?;
                facts_of(view.caller, &known, view.now, Evidence::default())
            }
        };
        let facts = self.facts.insert(facts);
        read_event(view.db, row, view.caller, facts).await
    }

    /// A page of records after `from`, and how far it goes.
    async fn page(&self, view: &View<'_>, from: i64) -> StoreResult<(Vec<audit::Model>, i64)> {
        let scanned = from.saturating_add(SCAN).min(self.head);
        if scanned <= from {
            return Ok((Vec::new(), from));
        }
        let rows = audit::Entity::find()
            .filter(audit::Column::Tenant.eq(self.key.as_str()))
            .filter(audit::Column::Seq.gt(from))
            .filter(audit::Column::Seq.lte(scanned))
            .filter(event_actions())
            .order_by_asc(audit::Column::Seq)
            .limit(PAGE)
            .all(view.db)
            .await?;
        let is_full = u64::try_from(rows.len()).is_ok_and(|rows| rows == PAGE);
        let end = rows.last().map(|row| row.seq).filter(|_| is_full);
        Ok((rows, end.unwrap_or(scanned)))
    }

    /// The number of the first record after `from`.
    async fn first_after(&self, view: &View<'_>, from: i64) -> StoreResult<Option<i64>> {
        Ok(audit::Entity::find()
            .select_only()
            .column(audit::Column::Seq)
            .filter(audit::Column::Tenant.eq(self.key.as_str()))
            .filter(audit::Column::Seq.gt(from))
            .order_by_asc(audit::Column::Seq)
            .limit(1)
            .into_tuple()
            .one(view.db)
            .await?)
    }
}

impl Fetch for ReadEvents {
    async fn fetch(self, view: &View<'_>) -> StoreResult<EventPage> {
        let mut tenant = match view.caller.tenant() {
            Some(tenant) => Some(Log::of(view, "tenant", Target::Tenant(tenant.clone())).await?),
            None => None,
        };
        let mut global = Log::of(view, "global", Target::Server).await?;
        let mut gaps = Vec::new();
        let mut cursor = match self.from {
            EventsFrom::On(cursor) => cursor,
            EventsFrom::Start => EventCursor::default(),
            EventsFrom::Now => global_end(view, &mut global).await?,
            EventsFrom::After(id) => resumed(view, &mut global, id, &mut gaps).await?,
        };
        match (&tenant, self.from) {
            (None, _) => cursor.id.tenant = 0,
            (Some(log), EventsFrom::Now) => cursor.id.tenant = log.head,
            (Some(log), EventsFrom::After(id)) => {
                cursor.id.tenant = id.tenant.min(log.head);
                check_tenant(view, log, id.tenant, &mut cursor, &mut gaps).await?;
            }
            (Some(_), EventsFrom::Start | EventsFrom::On(_)) => {}
        }
        for gap in &mut gaps {
            gap.id = cursor.id;
        }

        let begins = cursor.id;
        let (of_tenant, tenant_to) = match &tenant {
            Some(log) => log.page(view, cursor.id.tenant).await?,
            None => (Vec::new(), 0),
        };
        let (of_global, global_to) = global.page(view, cursor.global).await?;
        let mut events = Vec::new();
        let (mut of_tenant, mut of_global) =
            (of_tenant.iter().peekable(), of_global.iter().peekable());
        // Each log in its own order, and by time between them.
        loop {
            let is_tenants = match (of_tenant.peek(), of_global.peek()) {
                (None, None) => break,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(tenants), Some(globals)) => tenants.at <= globals.at,
            };
            if is_tenants {
                let (Some(row), Some(log)) = (of_tenant.next(), &mut tenant) else {
                    break;
                };
                cursor.id.tenant = row.seq;
                if let Some(event) = log.event(view, row).await? {
                    events.push(Event {
                        id: cursor.id,
                        ..event
                    });
                }
            } else if let Some(row) = of_global.next() {
                cursor.global = row.seq;
                let event = global.event(view, row).await?;
                if let Some(event) = event.filter(|event| counted(&mut cursor, event.kind)) {
                    events.push(Event {
                        id: cursor.id,
                        ..event
                    });
                }
            }
        }
        cursor.id.tenant = tenant_to;
        cursor.global = global_to;
        let has_more = tenant.is_some_and(|log| tenant_to < log.head) || global_to < global.head;
        if cursor.global >= global.head {
            // Whoever says that it had more than there are has had them all.
            cursor.skip = 0;
        }
        Ok(EventPage {
            begins,
            gaps,
            events,
            cursor,
            has_more,
        })
    }
}

/// Counts an event of the log of global. False for one that the client has had.
fn counted(cursor: &mut EventCursor, kind: EventKind) -> bool {
    match kind {
        EventKind::Skill => {
            cursor.id.global = cursor.id.global.saturating_add(1);
            cursor.id.proposals = 0;
            cursor.skip = 0;
            true
        }
        EventKind::Proposal if cursor.skip > 0 => {
            cursor.skip -= 1;
            false
        }
        EventKind::Proposal => {
            cursor.id.proposals = cursor.id.proposals.saturating_add(1);
            true
        }
    }
}

/// Where the log of global ends, as the caller counts.
async fn global_end(view: &View<'_>, log: &mut Log) -> StoreResult<EventCursor> {
    let changes = &view.inner.changes;
    let number = changes.count(view.db, log.head).await?;
    let mut cursor = EventCursor {
        id: EventPosition {
            global: number,
            ..EventPosition::default()
        },
        global: changes
            .record(view.db, number, log.head)
            .await?
            .unwrap_or(log.head),
        skip: 0,
    };
    while cursor.global < log.head {
        let (rows, end) = log.page(view, cursor.global).await?;
        for row in &rows {
            if let Some(event) = log.event(view, row).await? {
                let _ = counted(&mut cursor, event.kind);
            }
        }
        cursor.global = end;
    }
    Ok(cursor)
}

/// Where the log of global goes on after an event.
async fn resumed(
    view: &View<'_>,
    log: &mut Log,
    id: EventPosition,
    gaps: &mut Vec<EventGap>,
) -> StoreResult<EventCursor> {
    let record = view
        .inner
        .changes
        .record(view.db, id.global, log.head)
        .await?;
    let Some(record) = record else {
        let cursor = global_end(view, log).await?;
        gaps.push(EventGap {
            id,
            log: log.name,
            after: id.global,
            next: cursor.id.global.saturating_add(1),
        });
        return Ok(cursor);
    };
    Ok(EventCursor {
        id,
        global: record,
        skip: id.proposals,
    })
}

/// Says what is missing of a tenant's log after a record that a client names, and goes on after it.
async fn check_tenant(
    view: &View<'_>,
    log: &Log,
    named: i64,
    cursor: &mut EventCursor,
    gaps: &mut Vec<EventGap>,
) -> StoreResult<()> {
    let end = log.head.saturating_add(1);
    let next = if named < log.head {
        log.first_after(view, named).await?.unwrap_or(end)
    } else {
        end
    };
    let is_whole = named <= log.head && next == named.saturating_add(1);
    if !is_whole {
        cursor.id.tenant = next.saturating_sub(1);
        gaps.push(EventGap {
            id: cursor.id,
            log: log.name,
            after: named,
            next,
        });
    }
    Ok(())
}
