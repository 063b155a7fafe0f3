//! Which context schema is active. The rows say which were; the one with the highest number is.

use std::sync::Arc;

use sea_orm::{ConnectionTrait, EntityTrait, QueryOrder};

use crate::store::entity::context_schema;
use crate::store::error::{StoreError, StoreResult};
use crate::template::schema::Schema;

/// The active context schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveSchema {
    /// The schema.
    pub schema: Arc<Schema>,
    /// How many were activated until it was; 0 when none ever was.
    pub(in crate::store) number: i64,
    /// When it was activated, in microseconds since the Unix epoch; none when none ever was, and the built-in one is active.
    pub activated_at: Option<i64>,
}

impl Default for ActiveSchema {
    fn default() -> Self {
        Self {
            schema: Arc::new(Schema::built_in().clone()),
            number: 0,
            activated_at: None,
        }
    }
}

impl ActiveSchema {
    /// The schema that was activated last, or the built-in one. Whatever built-in one this program has, a schema that was
    /// activated stays the active one.
    pub(in crate::store) async fn load<C: ConnectionTrait>(db: &C) -> StoreResult<Self> {
        let row = context_schema::Entity::find()
            .order_by_desc(context_schema::Column::Number)
            .one(db)
            .await?;
        let Some(row) = row else {
            return Ok(Self::default());
        };
        let schema = Schema::parse(&row.text).map_err(|faults| {
            let first = faults.first().map(ToString::to_string).unwrap_or_default();
            StoreError::Internal(format!("the active context schema cannot be read: {first}"))
        })?;
        Ok(Self {
            schema: Arc::new(schema),
            number: row.number,
            activated_at: Some(row.activated_at),
        })
    }
}
