//! Whom a changed skill reaches: whether it is catalogs or openings that change, and of which role.

use std::sync::Arc;

use vestry_policies::{Mode, Summary};

use super::{Change, What, Where};
use crate::store::catalog::Attached;
use crate::store::error::StoreResult;
use crate::store::view::View;

/// A change, and where it shows.
pub(super) struct Reach {
    /// The change as it shows there: what takes no part in it any more has become nothing.
    pub(super) change: Change,
    pub(super) of: Where,
    pub(super) role: Option<Arc<str>>,
}

/// Where a change shows. What was and stays ambient shows in openings, all else in catalogs.
pub(super) async fn reach(view: &View<'_>, change: Change) -> StoreResult<Reach> {
    let name = change.name.as_str().to_owned();
    let cached = view.store.scope(&change.scope).await?;
    let attached = Attached::of_scope(view.db, &change.scope, Some(&name)).await?;
    let was_triggered = cached.list.find(&name).is_some();
    let was_ambient = cached.ambient.find(&name).is_some();
    let becomes = |mode: Mode| -> Option<Summary> {
        let What::Becomes(Some(after)) = &change.what else {
            return None;
        };
        Some(Summary {
            roles: attached.reached(&name, after.mode, mode)?,
            mode: Mode::Triggered,
            ..after.clone()
        })
    };
    let (triggered, ambient) = (becomes(Mode::Triggered), becomes(Mode::Ambient));
    let only_ambient = triggered.is_none() && (ambient.is_some() || was_ambient);
    let (of, after) = if only_ambient && !was_triggered {
        (Where::Openings, ambient)
    } else {
        (Where::Catalogs, triggered)
    };
    let role = match &after {
        Some(after) => after.roles.iter().min().cloned(),
        None => attached.roles(&name).into_iter().next(),
    };
    let what = match change.what {
        What::Becomes(_) => What::Becomes(after),
        hidden @ What::Hidden(..) => hidden,
    };
    Ok(Reach {
        change: Change { what, ..change },
        of,
        role,
    })
}
