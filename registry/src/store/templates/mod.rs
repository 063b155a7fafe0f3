//! Templates in the store: which schema they are checked against, checking what is written, and rendering what is loaded.

mod prepare;
mod render;

use std::sync::Arc;

use moka::sync::Cache;
use sea_orm::{ConnectionTrait, EntityTrait, QueryOrder};

use super::entity::context_schema;
use super::error::{StoreError, StoreResult};
use crate::content::sha256_text;
use crate::template::schema::Schema;
use crate::template::{Checked, Compiled};

pub use render::{Offered, RenderedText};

/// How many bytes of sources have their compiled template in memory.
const HELD_BYTES: u64 = 32 << 20;

/// A template that was checked against a schema, and compiled.
#[derive(Debug)]
pub struct Ready {
    /// What was proved of it.
    pub checked: Checked,
    /// What renders it.
    pub compiled: Compiled,
}

/// The digest of a source, and of the schema that it was checked against.
type Key = (String, Arc<str>);

/// The active schema, and templates that were checked against it.
pub(super) struct Templates {
    active: Arc<Schema>,
    ready: Cache<Key, Arc<Ready>>,
}

impl Templates {
    /// With the schema that was activated last, or the built-in one.
    pub(super) async fn open<C: ConnectionTrait>(db: &C) -> StoreResult<Self> {
        let row = context_schema::Entity::find()
            .order_by_desc(context_schema::Column::Number)
            .one(db)
            .await?;
        let active = match row {
            None => Schema::built_in().clone(),
            Some(row) => Schema::parse(&row.text).map_err(|faults| {
                let first = faults.first().map(ToString::to_string).unwrap_or_default();
                StoreError::Internal(format!("the active context schema cannot be read: {first}"))
            })?,
        };
        Ok(Self {
            active: Arc::new(active),
            ready: Cache::builder()
                .max_capacity(HELD_BYTES)
                .weigher(|_, ready: &Arc<Ready>| {
                    // A compiled template takes some times its source.
                    u32::try_from(ready.checked.source().len().saturating_mul(16) + 1_024)
                        .unwrap_or(u32::MAX)
                })
                .build(),
        })
    }

    /// A template that was checked against this schema, if memory has it.
    pub(super) fn known(&self, source: &str, schema: &Schema) -> Option<Arc<Ready>> {
        self.ready.get(&key(source, schema))
    }

    /// Keeps one.
    fn keep(&self, schema: &Schema, ready: Arc<Ready>) {
        self.ready
            .insert(key(ready.checked.source(), schema), ready);
    }

    /// What a revision says of the schema that it was checked against: its version and its digest.
    pub(super) fn recorded(&self, templated: bool) -> (i64, String) {
        if templated {
            let schema = self.schema();
            (i64::from(schema.version()), schema.digest().to_string())
        } else {
            (0, String::new())
        }
    }

    /// The active schema.
    pub(super) fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.active)
    }
}

fn key(source: &str, schema: &Schema) -> Key {
    (sha256_text(source.as_bytes()), Arc::clone(schema.digest()))
}

impl super::Store {
    /// The context schema that templates are checked against now.
    #[must_use]
    pub fn schema(&self) -> Arc<Schema> {
        self.inner.templates.schema()
    }
}
