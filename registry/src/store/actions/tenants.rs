//! Creating a tenant, and changing its settings.

use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter};
use serde::{Deserialize, Serialize};
use vestry_policies::resolve::MAX_CAP;
use vestry_policies::review::NamePattern;
use vestry_policies::{Action, AgentOwnScope, DistinctHuman, Severity, Target, TenantId, Username};

use crate::store::authorize::Governed;
use crate::store::entity::tenant;
use crate::store::error::{StoreError, StoreResult};
use crate::store::live::{Effect, LiveSettings};
use crate::store::rows::{
    agent_own_scope_code, agent_own_scope_of, approvers_of, distinct_human_code, distinct_human_of,
    review_names_of, review_severity_code, review_severity_of, texts_column,
};
use crate::store::settings;
use crate::store::work::{Perform, Work};

/// Creates a tenant.
#[derive(Debug, Clone)]
pub struct CreateTenant {
    /// The id.
    pub tenant: TenantId,
    /// What people call it.
    pub name: String,
}

/// A tenant that was created.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreatedTenant {
    /// The id.
    pub id: String,
    /// What people call it.
    pub name: String,
}

/// The settings of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TenantSettings {
    /// The largest cap that a catalog request may ask for, 1 to 200.
    pub max_cap: u32,
    /// What agents may do in their own scope: `allow`, `review` or `deny`.
    #[serde(with = "own_scope")]
    pub agent_own_scope: AgentOwnScope,
    /// Skills that an actor may keep.
    pub skills_per_actor: u32,
    /// Skills that the tenant may keep.
    pub skills_per_tenant: u32,
    /// Revisions that a skill may have.
    pub revisions_per_skill: u32,
    /// How many approvals a proposal needs, 1 to 5.
    pub required_approvals: u8,
    /// The usernames of those who may approve; everyone with the role when there are none.
    pub approvers: Vec<Username>,
    /// Whether the human whom a proposing agent acted for may approve: `auto` or `always`.
    #[serde(with = "distinct_human")]
    pub distinct_human: DistinctHuman,
    /// The names whose publications are reviewed, as patterns.
    pub review_names: Vec<String>,
    /// How severe what is found in a publication must be for it to be reviewed; never, when none.
    pub review_severity: Option<Severity>,
    /// How many days a proposal waits for decisions.
    pub proposal_days: u32,
    /// How many proposals one proposer may have waiting.
    pub max_open_proposals: u32,
    /// Counts the changes; the `ETag` of the settings.
    pub version: u32,
}

/// The settings of a tenant, to be written. What is none stays as it is: a client that does not know of a review cannot end
/// it.
#[derive(Debug, Clone)]
pub struct NewSettings {
    /// The largest cap that a catalog request may ask for, 1 to 200.
    pub max_cap: u32,
    /// What agents may do in their own scope.
    pub agent_own_scope: AgentOwnScope,
    /// Skills that an actor may keep.
    pub skills_per_actor: u32,
    /// Skills that the tenant may keep.
    pub skills_per_tenant: u32,
    /// Revisions that a skill may have.
    pub revisions_per_skill: u32,
    /// How many approvals a proposal needs, 1 to 5.
    pub required_approvals: Option<u8>,
    /// The usernames of those who may approve.
    pub approvers: Option<Vec<Username>>,
    /// Whether the human whom a proposing agent acted for may approve.
    pub distinct_human: Option<DistinctHuman>,
    /// The names whose publications are reviewed.
    pub review_names: Option<Vec<NamePattern>>,
    /// How severe what is found in a publication must be for it to be reviewed; `Some(None)` for never.
    pub review_severity: Option<Option<Severity>>,
    /// How many days a proposal waits for decisions.
    pub proposal_days: Option<u32>,
    /// How many proposals one proposer may have waiting.
    pub max_open_proposals: Option<u32>,
}

/// Replaces the settings of a tenant.
#[derive(Debug, Clone)]
pub struct WriteSettings {
    /// The tenant.
    pub tenant: TenantId,
    /// The settings.
    pub settings: NewSettings,
    /// The version that must be current, if one must.
    pub expected_version: Option<Vec<String>>,
}

impl Governed for CreateTenant {
    type Outcome = CreatedTenant;
    const ACTION: Action = Action::CreateTenant;
    fn target(&self) -> Target {
        Target::Server
    }
}

impl Perform for CreateTenant {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<CreatedTenant> {
        work.audit.target = format!("tenant:{}", self.tenant);
        let key = self.tenant.folded();
        if tenant::Entity::find_by_id(key.clone())
            .one(work.tx)
            .await?
            .is_some()
        {
            return Err(StoreError::AlreadyExists(format!(
                "The tenant `{}`",
                self.tenant
            )));
        }
        let row = tenant::Model {
            tenant_key: key,
            tenant: self.tenant.to_string(),
            name: self.name.clone(),
            max_cap: i64::try_from(MAX_CAP).unwrap_or(i64::MAX),
            agent_own_scope: agent_own_scope_code(AgentOwnScope::Allow),
            skills_per_actor: column(settings::SKILLS_PER_ACTOR),
            skills_per_tenant: column(settings::SKILLS_PER_TENANT),
            revisions_per_skill: column(settings::REVISIONS_PER_SKILL),
            required_approvals: 1,
            approvers: texts_column(std::iter::empty())?,
            distinct_human: distinct_human_code(DistinctHuman::Auto),
            review_names: texts_column(std::iter::empty())?,
            review_severity: review_severity_code(None),
            proposal_days: settings::PROPOSAL_DAYS,
            max_open_proposals: column(settings::MAX_OPEN_PROPOSALS),
            settings_version: 1,
            created_at: work.now.0,
        };
        work.effects.push(effect(&row)?);
        tenant::Entity::insert(row.into_active_model().reset_all())
            .exec_without_returning(work.tx)
            .await?;
        Ok(CreatedTenant {
            id: self.tenant.to_string(),
            name: self.name,
        })
    }
}

impl Governed for WriteSettings {
    type Outcome = TenantSettings;
    const ACTION: Action = Action::WriteSettings;
    fn target(&self) -> Target {
        Target::Tenant(self.tenant.clone())
    }
}

impl Perform for WriteSettings {
    async fn perform(self, work: &mut Work<'_>) -> StoreResult<TenantSettings> {
        let mut row = tenant::Entity::find()
            .filter(tenant::Column::Tenant.eq(self.tenant.as_str()))
            .one(work.tx)
            .await?
            .ok_or_else(|| StoreError::NotFound("This tenant".to_owned()))?;
        let version = row.settings_version.to_string();
        if self
            .expected_version
            .is_some_and(|expected| !expected.contains(&version))
        {
            return Err(StoreError::PreconditionFailed(Some(version)));
        }
        let NewSettings {
            max_cap,
            agent_own_scope,
            skills_per_actor,
            skills_per_tenant,
            revisions_per_skill,
            required_approvals,
            approvers,
            distinct_human,
            review_names,
            review_severity,
            proposal_days,
            max_open_proposals,
        } = self.settings;
        row.max_cap = i64::from(max_cap);
        row.agent_own_scope = agent_own_scope_code(agent_own_scope);
        row.skills_per_actor = i64::from(skills_per_actor);
        row.skills_per_tenant = i64::from(skills_per_tenant);
        row.revisions_per_skill = i64::from(revisions_per_skill);
        if let Some(number) = required_approvals {
            row.required_approvals = i64::from(number);
        }
        if let Some(approvers) = approvers {
            row.approvers = texts_column(approvers.iter().map(ToString::to_string))?;
        }
        if let Some(setting) = distinct_human {
            row.distinct_human = distinct_human_code(setting);
        }
        if let Some(patterns) = review_names {
            row.review_names = texts_column(patterns.iter().map(ToString::to_string))?;
        }
        if let Some(least) = review_severity {
            row.review_severity = review_severity_code(least);
        }
        if let Some(days) = proposal_days {
            row.proposal_days = i64::from(days);
        }
        if let Some(number) = max_open_proposals {
            row.max_open_proposals = i64::from(number);
        }
        row.settings_version += 1;
        let settings = of_row(&row)?;
        work.audit.target = format!("tenant:{} settings", self.tenant);
        work.audit
            .detail
            .insert("settings".to_owned(), serde_json::to_value(&settings)?);
        work.effects.push(effect(&row)?);
        row.into_active_model().reset_all().update(work.tx).await?;
        Ok(settings)
    }
}

/// The settings that a row holds.
pub(in crate::store) fn of_row(row: &tenant::Model) -> StoreResult<TenantSettings> {
    use crate::store::rows::unsigned;
    Ok(TenantSettings {
        max_cap: unsigned(row.max_cap, "max_cap")?,
        agent_own_scope: agent_own_scope_of(row.agent_own_scope)?,
        skills_per_actor: unsigned(row.skills_per_actor, "skills_per_actor")?,
        skills_per_tenant: unsigned(row.skills_per_tenant, "skills_per_tenant")?,
        revisions_per_skill: unsigned(row.revisions_per_skill, "revisions_per_skill")?,
        required_approvals: u8::try_from(row.required_approvals).unwrap_or(u8::MAX),
        approvers: approvers_of(&row.approvers)?,
        distinct_human: distinct_human_of(row.distinct_human)?,
        review_names: review_names_of(&row.review_names)?
            .iter()
            .map(ToString::to_string)
            .collect(),
        review_severity: review_severity_of(row.review_severity)?,
        proposal_days: unsigned(row.proposal_days, "proposal_days")?,
        max_open_proposals: unsigned(row.max_open_proposals, "max_open_proposals")?,
        version: unsigned(row.settings_version, "settings_version")?,
    })
}

fn effect(row: &tenant::Model) -> StoreResult<Effect> {
    Ok(Effect::Settings(
        row.tenant.clone(),
        LiveSettings {
            max_cap: usize::try_from(row.max_cap).unwrap_or(0),
            head: 0,
        },
    ))
}

fn column(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A setting of a few words, as its word.
macro_rules! as_word {
    ($module:ident, $type:ty) => {
        mod $module {
            use serde::de::Error as _;
            use serde::{Deserialize as _, Deserializer, Serializer};

            pub(super) fn serialize<S: Serializer>(
                setting: &$type,
                serializer: S,
            ) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(setting.as_str())
            }

            pub(super) fn deserialize<'de, D: Deserializer<'de>>(
                deserializer: D,
            ) -> Result<$type, D::Error> {
                let text = String::deserialize(deserializer)?;
                <$type>::parse(&text).ok_or_else(|| D::Error::custom("not a word of this setting"))
            }
        }
    };
}

as_word!(own_scope, vestry_policies::AgentOwnScope);
as_word!(distinct_human, vestry_policies::DistinctHuman);
