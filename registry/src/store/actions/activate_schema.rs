//! Activating a context schema.

use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, QueryOrder, QuerySelect};
use vestry_policies::{Action, Target};

use super::Reason;
use crate::store::authorize::Governed;
use crate::store::entity::context_schema;
use crate::store::error::{StoreError, StoreResult};
use crate::store::live::Effect;
use crate::store::templates::{ActiveSchema, Rechecked, SchemaReport};
use crate::store::work::{Perform, Work};

/// Makes a schema that was checked the active one.
#[derive(Debug)]
pub struct ActivateSchema {
    rechecked: Rechecked,
    accept_breaking: bool,
    reason: Reason,
    expected: Option<Vec<String>>,
}

impl ActivateSchema {
    /// Prepares the activation of a schema under which live templates were looked at.
    pub(in crate::store) fn new(
        rechecked: Rechecked,
        accept_breaking: bool,
        reason: Reason,
        expected: Option<Vec<String>>,
    ) -> Self {
        Self {
            rechecked,
            accept_breaking,
            reason,
            expected,
        }
    }
}

impl Governed for ActivateSchema {
    type Outcome = SchemaReport;
    const ACTION: Action = Action::ActivateSchema;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Perform for ActivateSchema {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<SchemaReport> {
        // The writer is held: nothing else becomes active, and nothing is published, until this is done.
        let active = if work.inner.is_shared() {
            std::sync::Arc::new(ActiveSchema::load(work.tx).await?)
        } else {
            work.inner.live.schema()
        };
        let before = active.schema.digest();
        if let Some(expected) = &self.expected
            && !expected.iter().any(|digest| **digest == **before)
        {
            return Err(StoreError::PreconditionFailed(Some(before.to_string())));
        }
        let schema = std::sync::Arc::clone(self.rechecked.schema());
        let report = self.rechecked.report(work.tx, work.inner, &active).await?;
        if report.unchanged {
            work.unchanged = true;
            return Ok(report);
        }
        if report.needs_acceptance && !self.accept_breaking {
            return Err(StoreError::SchemaBreaking(Box::new(report)));
        }
        let last: Option<i64> = context_schema::Entity::find()
            .select_only()
            .column(context_schema::Column::Number)
            .order_by_desc(context_schema::Column::Number)
            .into_tuple()
            .one(work.tx)
            .await?;
        let number = last.unwrap_or(0).saturating_add(1);
        let row = context_schema::Model {
            number,
            version: i64::from(schema.version()),
            digest: schema.digest().to_string(),
            text: schema.text().to_owned(),
            activated_by: work.caller.principal_text().to_owned(),
            activated_at: work.now.0,
        };
        context_schema::Entity::insert(row.into_active_model().reset_all())
            .exec_without_returning(work.tx)
            .await?;
        work.audit.target = "context-schema".to_owned();
        work.audit.before = Some(format!("sha256:{before}"));
        work.audit.after = Some(format!("sha256:{}", schema.digest()));
        let mut say = |name: &str, value: serde_json::Value| {
            work.audit.detail.insert(name.to_owned(), value);
        };
        say("version", schema.version().into());
        say("breaking", (!report.additive).into());
        say("checked", report.checked.into());
        say("failing", report.failing_count.into());
        if !self.reason.is_empty() {
            say("reason", self.reason.into());
        }
        work.effects
            .push(Effect::Schema(std::sync::Arc::new(ActiveSchema {
                schema,
                number,
                activated_at: Some(work.now.0),
            })));
        Ok(report)
    }
}
