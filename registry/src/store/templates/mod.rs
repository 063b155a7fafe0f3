//! Templates in the store: which schema they are checked against, checking what is written, rendering what is loaded, and
//! what another schema would do to them.

mod activate;
mod active;
mod prepare;
mod recheck;
mod render;
mod report;

use std::sync::Arc;

use moka::sync::Cache;

use super::Inner;
use crate::content::sha256_text;
use crate::template::schema::Schema;
use crate::template::{Checked, Compiled};

pub use activate::NewSchema;
pub use active::ActiveSchema;
pub(in crate::store) use recheck::Rechecked;
pub(in crate::store) use render::render_ready;
pub use render::{Offered, RenderedText};
pub use report::{FailingTemplate, SchemaReport};

/// How many bytes of sources have their compiled template in memory.
const HELD_BYTES: u64 = 32 << 20;

/// A template that was checked against a schema, and compiled.
#[derive(Debug)]
pub struct Ready {
    /// The schema: what a context for it is built by.
    pub schema: Arc<Schema>,
    /// What was proved of it.
    pub checked: Checked,
    /// What renders it.
    pub compiled: Compiled,
}

impl Ready {
    /// Whether the template reads a field at the root of the context, or something in it.
    #[must_use]
    pub fn reads(&self, field: &str) -> bool {
        self.checked.reads().iter().any(|path| {
            path.strip_prefix(field)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }
}

/// The digest of a source, and of the schema that it was checked against.
type Key = (String, Arc<str>);

/// Templates that were checked.
pub(super) struct Templates {
    ready: Cache<Key, Arc<Ready>>,
}

impl Templates {
    /// None yet.
    pub(super) fn new() -> Self {
        Self {
            ready: Cache::builder()
                .max_capacity(HELD_BYTES)
                .weigher(|_, ready: &Arc<Ready>| {
                    // A compiled template takes some times its source.
                    u32::try_from(ready.checked.source().len().saturating_mul(16) + 1_024)
                        .unwrap_or(u32::MAX)
                })
                .build(),
        }
    }

    /// A template that was checked against this schema, if memory has it.
    pub(super) fn known(&self, source: &str, schema: &Schema) -> Option<Arc<Ready>> {
        self.ready.get(&key(source, schema))
    }

    /// Keeps one.
    fn keep(&self, ready: Arc<Ready>) {
        self.ready
            .insert(key(ready.checked.source(), &ready.schema), ready);
    }
}

fn key(source: &str, schema: &Schema) -> Key {
    (sha256_text(source.as_bytes()), Arc::clone(schema.digest()))
}

impl Inner {
    /// The active schema. It may be another one the next time, but for whoever holds the writer.
    pub(super) fn schema(&self) -> Arc<Schema> {
        Arc::clone(&self.live.schema().schema)
    }

    /// What a revision says of the schema that it was checked against: its version and its digest. Asked while the writer
    /// is held.
    pub(super) fn recorded_schema(&self, templated: bool) -> (i64, String) {
        if templated {
            let schema = self.schema();
            (i64::from(schema.version()), schema.digest().to_string())
        } else {
            (0, String::new())
        }
    }
}

impl super::Store {
    /// The context schema that templates are checked against now.
    #[must_use]
    pub fn schema(&self) -> Arc<Schema> {
        self.inner.schema()
    }
}
