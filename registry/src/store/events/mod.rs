//! Events: what changed, told to those who may know it.
//!
//! The source is the audit log. Its records are written in the transaction of the change and numbered without a gap in
//! each chain, so that whoever reads on from where it was misses nothing and is told nothing twice; that a chain has
//! grown is only a hint to look (`wakes`).

mod changes;
mod elsewhere;
mod event;
mod position;
mod wakes;

pub(super) use changes::Changes;
pub(super) use elsewhere::watch_chains;
pub use event::{Event, EventKind};
pub(super) use event::{event_actions, read_event};
pub use position::{EventCursor, EventPosition, PositionError};
pub(super) use wakes::Wakes;
pub use wakes::Woken;
