//! Trying a context schema, and making it the active one.

use super::{Rechecked, SchemaReport};
use crate::identity::Caller;
use crate::store::actions::{ActivateSchema, Reason};
use crate::store::error::{StoreError, StoreResult};
use crate::store::queries::{CheckSchema, MayActivateSchema, MayCheckSchema};
use crate::store::{RequestFacts, Store};
use crate::template::schema::Schema;

/// A schema that is to become the active one.
#[derive(Debug, Clone)]
pub struct NewSchema {
    /// Its text, which nobody has read yet.
    pub text: String,
    /// Whether it may be breaking, and templates may fail under it.
    pub accept_breaking: bool,
    /// Why; empty where nobody said.
    pub reason: Reason,
    /// The digests of which the active one must have one, if it must.
    pub expected: Option<Vec<String>>,
}

impl Store {
    /// What activating a schema would do, without doing it.
    ///
    /// # Errors
    /// [`StoreError::InvalidSchema`] with all that is wrong with it, and what a read is refused for.
    pub async fn check_schema(&self, caller: &Caller, text: String) -> StoreResult<SchemaReport> {
        self.view(caller, MayCheckSchema).await?;
        let rechecked = self.try_schema(caller, text).await?;
        let seen = self.view(caller, CheckSchema { rechecked }).await?;
        Ok(seen.into_inner())
    }

    /// Makes a schema the active one. Every live template is checked under it before anything is locked; inside the
    /// transaction that activates it, those are that were published meanwhile.
    ///
    /// # Errors
    /// As [`Store::check_schema`]; [`StoreError::SchemaBreaking`] with the report when it needs to be accepted and is not,
    /// [`StoreError::PreconditionFailed`] when another schema is active than was expected.
    pub async fn activate_schema(
        &self,
        caller: &Caller,
        schema: NewSchema,
        request: RequestFacts,
    ) -> StoreResult<SchemaReport> {
        // Rechecking takes a processor, and what is wrong with a schema is for those who may activate one.
        self.view(caller, MayActivateSchema).await?;
        let NewSchema {
            text,
            accept_breaking,
            reason,
            expected,
        } = schema;
        let rechecked = self.try_schema(caller, text).await?;
        let action = ActivateSchema::new(rechecked, accept_breaking, reason, expected);
        self.act(caller, action, request).await
    }

    /// Reads a schema, and checks all live templates under it.
    async fn try_schema(&self, caller: &Caller, text: String) -> StoreResult<Rechecked> {
        let slot = self.inner.scanning.take(caller).await?;
        let schema = slot
            .run(move || Schema::parse(&text))
            .await?
            .map_err(StoreError::InvalidSchema)?;
        self.recheck(caller, schema).await
    }
}
