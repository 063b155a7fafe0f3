//! What a publication would do, without doing it.

use vestry_policies::{Action, ItemName, Scope, Target, Verdict, decide};

use crate::content::{PreparedFiles, PreparedSkill};
use crate::store::Scanned;
use crate::store::actions::{find, status};
use crate::store::beside::{self, Note};
use crate::store::blobs::{Author, resolve};
use crate::store::error::StoreResult;
use crate::store::facts;
use crate::store::impact::{self, ImpactQuestion};
use crate::store::view::{Fetch, Query, View, facts_of, may_read_current};
use crate::store::work::Evidence;

/// Checks content for a name at a scope.
#[derive(Debug, Clone)]
pub struct CheckSkill {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// The content, which has passed its own checks.
    pub content: PreparedSkill,
    /// The files, which have passed theirs.
    pub files: PreparedFiles,
    /// What was found in it.
    pub scanned: Scanned,
}

/// What publishing it would do.
#[derive(Debug)]
pub struct Checked {
    /// The digest that the revision would have.
    pub digest: String,
    /// The size of the SKILL.md in bytes.
    pub size: usize,
    /// Whether the caller may publish it now.
    pub allowed: bool,
    /// The rule that says so.
    pub rule: &'static str,
    /// Whether it would create the skill.
    pub creates: bool,
    /// Whether it is what is there already.
    pub unchanged: bool,
    /// The digest of the current revision: what `If-Match` would need.
    pub current: Option<String>,
    /// What the author should know of what it sent.
    pub warnings: Vec<String>,
    /// What its author should know of its neighbours, when it is new.
    pub notes: Vec<Note>,
    /// What is to be weighed; nothing where the caller may know of no actor.
    pub impact: Option<ImpactQuestion>,
}

impl Query for CheckSkill {
    type Answer = Checked;
    const ACTION: Action = Action::CheckSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for CheckSkill {
    async fn fetch(self, view: &View<'_>) -> StoreResult<Checked> {
        view.inner
            .sources
            .refuse_overridden(&self.scope, &self.name)?;
        let target = Target::Scope(self.scope.clone());
        let known = facts::read(view.db, view.caller, &target).await?;
        let current = find(view.db, &self.scope, &self.name).await?;
        let room =
            crate::store::actions::room(view.db, &self.scope, current.as_ref(), &known).await?;
        let now = view.inner.clock.now();
        let verdict = decide(
            Action::PublishSkill,
            &target,
            &facts_of(
                view.caller,
                &known,
                now,
                Evidence {
                    status: current.as_ref().map(status),
                    name: Some(self.name.name().clone()),
                    worst_finding: self.scanned.worst(current.as_ref()),
                    proposal: None,
                    room,
                },
            ),
        );
        let author = Author::publishing(
            view.caller,
            &self.scope,
            &self.name,
            current.as_ref(),
            // Whoever may not publish learns that, and not what it could not keep.
            !verdict.is_allowed()
                || may_read_current(
                    view.caller,
                    Some(&known),
                    now,
                    &self.scope,
                    current.as_ref(),
                ),
        );
        let resolved = resolve(view.db, &author, self.files, self.content.size()).await?;
        let digest = resolved.digest(self.content.content_digest).to_string();
        let impact = impact::of_publication(
            view,
            self.scope.clone(),
            self.name.clone(),
            current.as_ref(),
            &digest,
            self.content.mode(),
        )
        .await?;
        let living = current.filter(|row| !row.archived);
        let notes = if living.is_none() {
            let (scope, name, mode) = (&self.scope, &self.name, self.content.mode());
            beside::notes(view.store, view.db, view.caller, scope, name, mode).await?
        } else {
            Vec::new()
        };
        Ok(Checked {
            size: self.content.size(),
            allowed: matches!(verdict, Verdict::Allow(_)),
            rule: verdict.rule().as_str(),
            creates: living.is_none(),
            unchanged: living.as_ref().is_some_and(|row| row.digest == digest),
            current: living.map(|row| row.digest),
            warnings: resolved.warnings,
            notes,
            impact,
            digest,
        })
    }
}
