//! Checking templates, and keeping what was checked. It takes milliseconds of a processor, so it is done on a thread of its
//! own and before anything is locked.

use std::sync::Arc;

use super::Ready;
use crate::identity::Caller;
use crate::store::Store;
use crate::store::error::{StoreError, StoreResult};
use crate::template::samples::{combinations, samples};
use crate::template::schema::Schema;
use crate::template::{Bounds, Compiled, Diagnostics, MOST_OUTPUT, check};

/// How many generated combinations of each situation a template is tried with when it is written, besides the samples.
const COMBINATIONS: usize = 8;

impl Store {
    /// A template that was checked against the active schema, from memory or made now. It says which that was: what is done
    /// with it goes by the same.
    ///
    /// # Errors
    /// [`StoreError::TemplateRefused`] with all that is wrong with it.
    pub async fn ready_template(&self, caller: &Caller, source: &str) -> StoreResult<Arc<Ready>> {
        self.ready_under(caller, source, self.schema()).await
    }

    /// A template that was checked against this schema, from memory or made now.
    ///
    /// # Errors
    /// As [`Store::ready_template`].
    pub async fn ready_under(
        &self,
        caller: &Caller,
        source: &str,
        schema: Arc<Schema>,
    ) -> StoreResult<Arc<Ready>> {
        if let Some(ready) = self.inner.templates.known(source, &schema) {
            return Ok(ready);
        }
        let slot = self.inner.scanning.take(caller).await?;
        let text = source.to_owned();
        let ready = slot.run(move || make(&text, schema)).await??;
        self.inner.templates.keep(Arc::clone(&ready));
        Ok(ready)
    }

    /// All that there is to say of a template, warnings or errors, under the active schema.
    ///
    /// # Errors
    /// When it cannot be checked now.
    pub async fn diagnostics(&self, caller: &Caller, source: &str) -> StoreResult<Diagnostics> {
        let schema = self.schema();
        if let Some(ready) = self.inner.templates.known(source, &schema) {
            return Ok(ready.checked.warnings().clone());
        }
        // Not compiled: who reads a page renders nothing.
        let slot = self.inner.scanning.take(caller).await?;
        let source = source.to_owned();
        slot.run(move || match check(&source, &schema) {
            Ok(checked) => checked.warnings().clone(),
            Err(diagnostics) => diagnostics,
        })
        .await
    }

    /// Checks a template that is about to be written, and tries it with the samples. Gives its warnings, or all that is wrong
    /// with it.
    pub(in crate::store) async fn check_written(
        &self,
        caller: &Caller,
        source: &str,
    ) -> StoreResult<Result<Diagnostics, Box<Diagnostics>>> {
        match self.ready_template(caller, source).await {
            Ok(ready) => {
                let noted = ready.checked.warnings().clone();
                let slot = self.inner.scanning.take(caller).await?;
                slot.run(move || try_samples(&ready)).await??;
                Ok(Ok(noted))
            }
            Err(StoreError::TemplateRefused(diagnostics)) => Ok(Err(diagnostics)),
            Err(error) => Err(error),
        }
    }
}

fn make(source: &str, schema: Arc<Schema>) -> StoreResult<Arc<Ready>> {
    let checked = check(source, &schema)
        .map_err(|diagnostics| StoreError::TemplateRefused(Box::new(diagnostics)))?;
    // What the engine reads differently than the checker is refused, whatever it is (design: the crate as authority).
    let compiled = Compiled::new(&checked)
        .map_err(|error| StoreError::TemplateFailed(format!("The engine refuses it: {error}.")))?;
    Ok(Arc::new(Ready {
        schema,
        checked,
        compiled,
    }))
}

/// The check has proved that none of these fails; that they do not is looked at all the same (templates.md §1).
fn try_samples(ready: &Ready) -> StoreResult<()> {
    let schema = &*ready.schema;
    let bounds = Bounds {
        bytes: MOST_OUTPUT,
        deadline: None,
    };
    let fails = |name: &str, error: crate::template::RenderFailure| {
        StoreError::TemplateFailed(format!(
            "It was accepted and fails with the sample `{name}`: {error}. Tell the operator; this is a fault of the server."
        ))
    };
    for sample in samples(schema) {
        ready
            .compiled
            .render(&sample.context, bounds)
            .map_err(|error| fails(&sample.name, error))?;
    }
    for situation in schema.situations() {
        for context in combinations(schema, situation).iter().take(COMBINATIONS) {
            ready
                .compiled
                .render(context, bounds)
                .map_err(|error| fails(&situation.name, error))?;
        }
    }
    Ok(())
}
