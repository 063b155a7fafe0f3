//! Rendering a template with the data of one run, which is never kept.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::Ready;
use crate::identity::Caller;
use crate::store::Store;
use crate::store::error::{StoreError, StoreResult};
use crate::template::builder::{Context, Needs, SkillLine, build};
use crate::template::schema::Schema;
use crate::template::{Bounds, MOST_OUTPUT};

/// How long a render may take. What was accepted stays far below it; a busy machine may not.
const PATIENCE: Duration = Duration::from_secs(5);

/// A skill as templates see it.
#[derive(Debug, Clone)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// When to use it.
    pub description: String,
}

/// What a template wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedText {
    /// The text.
    pub text: String,
    /// Whether its end was left out, because it is too long.
    pub cut: bool,
}

impl Store {
    /// Renders a template over a sample of a schema.
    ///
    /// # Errors
    /// As [`Store::render_template`].
    pub async fn render_sample(
        &self,
        caller: &Caller,
        source: &str,
        schema: Arc<Schema>,
        sample: Context,
    ) -> StoreResult<RenderedText> {
        let ready = self.ready_under(caller, source, schema).await?;
        render(ready, sample).await
    }

    /// Renders a template. Of the context that must be there which the template reads.
    ///
    /// # Errors
    /// [`StoreError::InvalidContext`] for a context that is not of the schema, [`StoreError::TemplateRefused`] for a template
    /// that is not any more, [`StoreError::TemplateFailed`] when rendering fails all the same.
    pub async fn render_template(
        &self,
        caller: &Caller,
        source: &str,
        context: Option<&Value>,
        offered: &[Offered],
    ) -> StoreResult<RenderedText> {
        let ready = self.ready_template(caller, source).await?;
        render_ready(ready, context, offered).await
    }
}

/// Renders a template with a context that is built by the schema that it was checked against.
pub(in crate::store) async fn render_ready(
    ready: Arc<Ready>,
    context: Option<&Value>,
    offered: &[Offered],
) -> StoreResult<RenderedText> {
    let nothing = Value::Object(Map::new());
    let needs = Needs::of_reads(ready.checked.reads());
    let context = build(&ready.schema, context.unwrap_or(&nothing), &needs)
        .map_err(StoreError::InvalidContext)?
        .with_skills(offered.iter().map(|skill| SkillLine {
            name: &skill.name,
            description: &skill.description,
        }));
    render(ready, context).await
}

async fn render(ready: Arc<Ready>, context: Context) -> StoreResult<RenderedText> {
    let rendered = tokio::task::spawn_blocking(move || {
        let bounds = Bounds {
            bytes: MOST_OUTPUT,
            deadline: Instant::now().checked_add(PATIENCE),
        };
        ready.compiled.render(&context, bounds)
    })
    .await
    .map_err(|error| StoreError::Internal(error.to_string()))?
    .map_err(|failure| StoreError::TemplateFailed(format!("The template failed, {failure}.")))?;
    Ok(RenderedText {
        text: rendered.text,
        cut: rendered.cut,
    })
}
