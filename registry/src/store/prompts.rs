//! Prompt templates: which one a role of a workflow gets, of the registry's and of the caller's own library.
//!
//! As an opening does, this hands a body of wider scopes to whoever runs something: it takes part only if it is in force, obeys
//! recall, and is written into the journal. Which template applies is decided in one place, [`vestry_policies::prompt`], over both
//! at once; of a library only what its files are for is sent, never what they say.

use std::collections::BTreeSet;
use std::sync::Arc;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use vestry_policies::prompt::{
    ResolvedSource, Selected, Selectors, Specificity, Standing, Wanted, select_under_seals,
};
use vestry_policies::resolve::{Entry, ScopeList};
use vestry_policies::{Action, ActorId, ItemName, Scope, SkillName, Summary};

use super::Store;
use super::body::CheckedContent;
use super::entity::skill;
use super::error::{StoreError, StoreResult};
use super::journal::Line;
use super::openings::{summary, winners};
use super::rows::{KIND_PROMPT, RECALL_NONE, ScopeKey};
use super::tenant_set::TenantSet;
use crate::content::PromptFile;
use crate::identity::{Caller, TurnName};

/// How often it is selected again when what was selected is recalled meanwhile.
const ATTEMPTS: usize = 8;

/// A request for the prompt template of a role.
#[derive(Debug, Clone)]
pub struct PromptRequest {
    /// What it is wanted for.
    pub wanted: Wanted,
    /// The files of the caller's own library, and what they are for.
    pub library: Vec<(String, Selectors)>,
    /// The turn or launch that it is for; recorded only. The server names it when there is none.
    pub turn: Option<TurnName>,
    /// The conversation; recorded only.
    pub session: Option<String>,
}

/// What a role gets.
#[derive(Debug, Clone)]
pub enum PromptSelected {
    /// Nothing: no template matches.
    Nothing,
    /// A file of the caller's own library.
    Library {
        /// The file.
        file: String,
        /// How specific it is.
        specificity: Specificity,
    },
    /// A template of the registry.
    Registry(PromptTemplate),
}

/// A prompt template of the registry that was selected for its caller.
///
/// This compiles, and gives nobody a body:
///
/// ```
/// fn text(template: &vestry::store::PromptTemplate) -> &str {
///     template.text()
/// }
/// ```
///
/// This does not, because only selecting makes one:
///
/// ```compile_fail,E0451
/// fn with_text(template: vestry::store::PromptTemplate, text: String) -> vestry::store::PromptTemplate {
///     vestry::store::PromptTemplate { text, ..template }
/// }
/// ```
#[derive(Debug, Clone)]
pub struct PromptTemplate {
    /// The name.
    pub name: SkillName,
    /// Where it lives.
    pub scope: Scope,
    /// The number of the revision.
    pub revision: u32,
    /// Its digest.
    pub digest: String,
    /// The scopes that it overrides, narrow to wide.
    pub shadows: Vec<String>,
    /// How specific it is.
    pub specificity: Specificity,
    text: String,
}

impl PromptTemplate {
    /// The template: what is below the frontmatter.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where it comes from, as a launch records it.
    #[must_use]
    pub fn source(&self) -> ResolvedSource {
        ResolvedSource::Registry {
            scope: self.scope.clone(),
            name: ItemName::prompt(self.name.clone()),
            revision: self.revision,
        }
    }
}

/// A template that takes part.
struct Candidate {
    entry: Entry,
    item: ItemName,
    content: Arc<CheckedContent>,
    selectors: Selectors,
}

/// Where a template is.
#[derive(Clone, Copy)]
enum At<'a> {
    Registry(&'a Candidate),
    Library(&'a str, Specificity),
}

impl Store {
    /// Selects the prompt template of a role: the unique most specific one that matches.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when several are equally specific, with their names; [`StoreError::OfItem`] for one that is
    /// damaged.
    pub async fn resolve_prompt(
        &self,
        caller: &Caller,
        request: PromptRequest,
    ) -> StoreResult<PromptSelected> {
        self.decide_own(caller, Action::OpenRun)?;
        let PromptRequest {
            wanted,
            library,
            turn,
            session,
        } = request;
        let turn = match turn {
            Some(turn) => turn,
            None => TurnName::parse(&self.inner.entropy.id("t-")?)
                .map_err(|error| StoreError::Internal(error.to_string()))?,
        };
        for _ in 0..ATTEMPTS {
            let candidates = self.prompts(caller).await?;
            let of_registry = candidates.iter().map(|candidate| {
                (
                    At::Registry(candidate),
                    standing(caller, &candidate.entry),
                    &candidate.selectors,
                )
            });
            let of_library = library.iter().map(|(file, selectors)| {
                (
                    At::Library(file, selectors.specificity()),
                    Standing {
                        width: 0,
                        sealed: false,
                    },
                    selectors,
                )
            });
            let candidate = match select_under_seals(of_registry.chain(of_library), &wanted) {
                Selected::None => return Ok(PromptSelected::Nothing),
                Selected::Several(equal) => return Err(ambiguous(&wanted, &equal)),
                Selected::One(At::Library(file, specificity)) => {
                    return Ok(PromptSelected::Library {
                        file: file.to_owned(),
                        specificity,
                    });
                }
                Selected::One(At::Registry(candidate)) => candidate,
            };
            if self.is_withdrawn(candidate) {
                continue;
            }
            self.note_prompt(caller, candidate, &turn, session.as_deref())
                .await?;
            // Writing it down took time.
            if self.is_withdrawn(candidate) {
                continue;
            }
            let summary = &candidate.entry.summary;
            return Ok(PromptSelected::Registry(PromptTemplate {
                name: summary.name.clone(),
                scope: summary.scope.clone(),
                revision: summary.revision,
                digest: summary.digest.to_string(),
                shadows: candidate
                    .entry
                    .shadows
                    .iter()
                    .map(ToString::to_string)
                    .collect(),
                specificity: candidate.selectors.specificity(),
                text: candidate.content.body.text().to_owned(),
            }));
        }
        Err(StoreError::Busy)
    }

    /// The templates that are in force for a caller: of each name the narrowest, unless a wider one is sealed.
    async fn prompts(&self, caller: &Caller) -> StoreResult<Vec<Candidate>> {
        let mut lists = Vec::new();
        let tenants = TenantSet::of(caller.tenant());
        {
            let reading = self.inner.reader.statements(&tenants).await?;
            for scope in caller.scopes() {
                let key = ScopeKey::of(scope);
                let rows = skill::Entity::find()
                    .filter(skill::Column::Tenant.eq(key.tenant))
                    .filter(skill::Column::ScopeKind.eq(key.kind))
                    .filter(skill::Column::ScopeId.eq(key.id))
                    .filter(skill::Column::Kind.eq(KIND_PROMPT))
                    .filter(skill::Column::Archived.eq(false))
                    .filter(skill::Column::Disabled.eq(false))
                    .filter(skill::Column::Recall.eq(RECALL_NONE))
                    .order_by_asc(skill::Column::Name)
                    .all(&reading)
                    .await?;
                let rows: Vec<Summary> = rows
                    .into_iter()
                    .map(|row| {
                        let name = SkillName::parse(&row.name)
                            .map_err(|error| StoreError::Internal(error.to_string()))?;
                        summary(row, scope, &name)
                    })
                    .collect::<StoreResult<_>>()?;
                lists.push(Arc::new(ScopeList::new(scope.clone(), rows)));
            }
        }
        let mut found = Vec::new();
        for entry in winners(caller, &lists, &BTreeSet::new(), None) {
            let item = ItemName::prompt(entry.summary.name.clone());
            let of_item = |error| StoreError::OfItem {
                name: item.to_string(),
                error: Box::new(error),
            };
            let summary = &entry.summary;
            let content = self
                .content_at(&summary.scope, &item, summary.revision, summary.digest)
                .await
                .map_err(of_item)?;
            // It was read when it was published; if it cannot be read by now, nobody knows what it is for.
            let selectors = PromptFile::read(content.body.skill_md())
                .map(|file| file.selectors)
                .map_err(|error| {
                    StoreError::Conflict(format!(
                        "The prompt template `{}` at {} cannot be read, {error}. Publish it anew, or archive it.",
                        summary.name, summary.scope
                    ))
                })?;
            found.push(Candidate {
                entry,
                item,
                content,
                selectors,
            });
        }
        Ok(found)
    }

    fn is_withdrawn(&self, candidate: &Candidate) -> bool {
        let summary = &candidate.entry.summary;
        let key = (
            ScopeKey::of(&summary.scope),
            candidate.item.to_string(),
            summary.revision,
        );
        self.inner.live.is_recalled(&key)
    }

    /// Writes a line of the journal: what reports on recalls read.
    async fn note_prompt(
        &self,
        caller: &Caller,
        candidate: &Candidate,
        turn: &TurnName,
        session: Option<&str>,
    ) -> StoreResult<()> {
        let summary = &candidate.entry.summary;
        let (name, scope) = (candidate.item.to_string(), summary.scope.to_string());
        let digest = summary.digest.to_string();
        let line = Line::Open {
            at: self.inner.clock.now().0,
            principal: caller.principal_text(),
            acts_for: caller.acts_for().map(ActorId::as_str),
            turn: turn.as_str(),
            session,
            name: &name,
            scope: &scope,
            revision: summary.revision,
            digest: &digest,
        };
        self.inner.journal.write(caller, &line, None).await
    }
}

/// How wide a template of the registry applies; a library is narrower than any scope.
fn standing(caller: &Caller, entry: &Entry) -> Standing {
    let scopes = caller.scopes();
    let place = scopes
        .iter()
        .position(|scope| *scope == entry.summary.scope)
        .unwrap_or(scopes.len());
    Standing {
        width: place.saturating_add(1),
        sealed: entry.is_sealed(),
    }
}

/// Nobody can tell which of several was meant.
fn ambiguous(wanted: &Wanted, equal: &[At<'_>]) -> StoreError {
    let mut names: Vec<String> = equal
        .iter()
        .map(|at| match at {
            At::Registry(candidate) => {
                let summary = &candidate.entry.summary;
                format!(
                    "registry:{}/{}@{}",
                    summary.scope, summary.name, summary.revision
                )
            }
            At::Library(file, _) => format!("user:{file}"),
        })
        .collect();
    names.sort();
    // A file overrides nothing by its name.
    let advice = if equal.iter().any(|at| matches!(at, At::Library(..))) {
        "Make one more specific by `repos` or `fields`, let each be for other `workflows`, or publish your own at `actor:<you>` under the name that it shall override."
    } else {
        "Make one more specific by `repos` or `fields`, let each be for other `workflows`, give them one name so that the narrower scope wins, or archive some."
    };
    StoreError::Conflict(format!(
        "Several prompt templates are equally specific for the role `{}` of the workflow `{}`: {}. {advice}",
        wanted.role,
        wanted.workflow,
        names.join(", ")
    ))
}
