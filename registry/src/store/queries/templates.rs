//! The context schema, for whoever writes templates, and what another one would change.

use std::sync::Arc;

use vestry_policies::{Action, Target};

use crate::store::error::StoreResult;
use crate::store::templates::{ActiveSchema, Rechecked, SchemaReport};
use crate::store::view::{Fetch, Query, View};
use crate::template::schema::Schema;

/// Asks for the active context schema: what checking and rendering go by.
#[derive(Debug, Clone, Copy)]
pub struct UseTemplates;

impl Query for UseTemplates {
    type Answer = Arc<Schema>;
    const ACTION: Action = Action::UseTemplates;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for UseTemplates {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Arc<Schema>> {
        Ok(view.inner.schema())
    }
}

/// Asks for the active context schema, and since when it is that.
#[derive(Debug, Clone, Copy)]
pub struct ReadSchema;

impl Query for ReadSchema {
    type Answer = Arc<ActiveSchema>;
    const ACTION: Action = Action::UseTemplates;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for ReadSchema {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Arc<ActiveSchema>> {
        Ok(view.inner.live.schema())
    }
}

/// Asks whether the caller may check a context schema: before anything is read for it.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct MayCheckSchema;

impl Query for MayCheckSchema {
    type Answer = ();
    const ACTION: Action = Action::CheckSchema;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for MayCheckSchema {
    async fn fetch(self, _: &View<'_>) -> StoreResult<()> {
        Ok(())
    }
}

/// Asks whether the caller may activate a context schema: before anything is read for it. It is decided again when it is
/// activated.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct MayActivateSchema;

impl Query for MayActivateSchema {
    type Answer = ();
    const ACTION: Action = Action::ActivateSchema;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for MayActivateSchema {
    async fn fetch(self, _: &View<'_>) -> StoreResult<()> {
        Ok(())
    }
}

/// Asks what activating a context schema would do.
#[derive(Debug)]
pub(in crate::store) struct CheckSchema {
    pub(in crate::store) rechecked: Rechecked,
}

impl Query for CheckSchema {
    type Answer = SchemaReport;
    const ACTION: Action = Action::CheckSchema;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Fetch for CheckSchema {
    async fn fetch(self, view: &View<'_>) -> StoreResult<SchemaReport> {
        let active = view.inner.live.schema();
        self.rechecked.report(view.db, view.inner, &active).await
    }
}
