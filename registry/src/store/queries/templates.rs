//! The context schema, for whoever writes templates.

use std::sync::Arc;

use vestry_policies::{Action, Target};

use crate::store::error::StoreResult;
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
        Ok(view.inner.templates.schema())
    }
}
