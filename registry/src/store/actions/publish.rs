//! Creating and updating a skill: a new revision of it.

use vestry_policies::{Action, ItemName, Rule, Scope, Target};

use super::next_revision::{NextRevision, Writer, push_update, write_revision};
use super::skill_rows::{
    Precondition, SkillChange, change, describe, evidence, refuse_if_recalled, refuse_recalled,
    room_for_revision, room_for_skill, skill_key, unchanged,
};
use super::written::Written;
use crate::content::digest::of_manifest;
use crate::content::{PreparedFiles, PreparedSkill};
use crate::store::Scanned;
use crate::store::authorize::Governed;
use crate::store::blobs::{Author, resolve};
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::{Known, Sought};
use crate::store::pool::Transaction;
use crate::store::proposals::{NewProposal, ProposalChange, create_proposal};
use crate::store::rows::{RECALL_NONE, item_of};
use crate::store::upstream::{self, Upstream};
use crate::store::view::may_read_current;
use crate::store::work::{Evidence, Perform, Work};

/// Publishes content under a name at a scope.
#[derive(Debug, Clone)]
pub struct PublishSkill {
    scope: Scope,
    name: ItemName,
    content: PreparedSkill,
    files: PreparedFiles,
    precondition: Precondition,
    scanned: Scanned,
    current: Option<skill::Model>,
    /// How many recalled revisions of the scope have the content without files.
    recalled: u64,
    known: Option<Known>,
}

impl PublishSkill {
    /// Prepares a publication of what was scanned. A precondition is required (428 otherwise), so that nobody overwrites what they did not see.
    #[must_use]
    pub fn new(
        scope: Scope,
        name: ItemName,
        content: PreparedSkill,
        files: PreparedFiles,
        precondition: Precondition,
        scanned: Scanned,
    ) -> Self {
        Self {
            scope,
            name,
            content,
            files,
            precondition,
            scanned,
            current: None,
            recalled: 0,
            known: None,
        }
    }
}

impl PublishSkill {
    /// The digest that it has if it has no files: what most have, and what can be known before anything is read.
    fn bare_digest(&self) -> String {
        of_manifest(self.content.content_digest, &[]).to_string()
    }
}

impl Governed for PublishSkill {
    type Outcome = Written;
    const ACTION: Action = Action::PublishSkill;
    const BECOMES_PROPOSAL: bool = true;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

/// A publication that may go on: nothing speaks against the content any more.
struct Ready {
    scope: Scope,
    name: ItemName,
    current: Option<skill::Model>,
    next: NextRevision,
    warnings: Vec<String>,
    known: Known,
}

impl PublishSkill {
    /// Checks everything that a publication is refused for, whether it becomes a revision or a proposal. What is there
    /// already is only noted: where the caller `publishes`, and what the skill overrides has changed, that is acknowledged.
    ///
    /// # Errors
    /// What it is refused for.
    async fn ready(
        self,
        work: &mut Work<'_>,
        publishes: bool,
    ) -> StoreResult<Result<Ready, SkillChange>> {
        let bare_digest = self.bare_digest();
        let Self {
            scope,
            name,
            content: prepared,
            files,
            precondition,
            current,
            recalled,
            known,
            scanned,
        } = self;
        let known =
            known.ok_or_else(|| StoreError::Internal("a skill was not examined".to_owned()))?;
        work.inner.sources.refuse_overridden(&scope, &name)?;
        if precondition == Precondition::None {
            return Err(StoreError::PreconditionRequired);
        }
        precondition.check(current.as_ref())?;
        scanned.refuse_template()?;
        let author = Author::publishing(
            work.caller,
            &scope,
            &name,
            current.as_ref(),
            may_read_current(
                work.caller,
                Some(&known),
                work.now,
                &scope,
                current.as_ref(),
            ),
        );
        let upstream = match &known.found {
            Some(found) => upstream::of_rows(work.inner, &scope, &name, &found.wider)?,
            None => None,
        };
        let mut files = resolve(work.tx, &author, files, prepared.size()).await?;
        let warnings = std::mem::take(&mut files.warnings);
        let digest = files.digest(prepared.content_digest).to_string();
        if let Some(row) = &current
            && !row.archived
            && row.recall == RECALL_NONE
            && row.digest == digest
        {
            let change = if publishes && is_overtaken(row, upstream.as_ref())? {
                acknowledge(work, &scope, row, upstream.as_ref())?
            } else {
                unchanged(work, &scope, row)?
            };
            return Ok(Err(SkillChange { warnings, ..change }));
        }
        if digest == bare_digest {
            refuse_if_recalled(recalled)?;
        } else {
            refuse_recalled(work.tx, &scope, &digest).await?;
        }
        Ok(Ok(Ready {
            scope,
            name,
            current,
            next: NextRevision {
                content: prepared,
                files,
                digest,
                writer: Writer::caller(work.caller),
                upstream,
            },
            warnings,
            known,
        }))
    }
}

impl Perform for PublishSkill {
    fn seeks(&self) -> Option<Sought> {
        Some(Sought {
            key: skill_key(&self.scope, &self.name),
            digest: self.bare_digest(),
        })
    }

    async fn examine(&mut self, _: &Transaction, known: &Known) -> StoreResult<Evidence> {
        let found = known
            .found
            .clone()
            .ok_or_else(|| StoreError::Internal("a skill was not looked for".to_owned()))?;
        let mut evidence = evidence(found.row.as_ref());
        evidence.name = Some(self.name.name().clone());
        evidence.worst_finding = self.scanned.worst(found.row.as_ref());
        evidence.room = room_for_revision(found.row.as_ref(), known)
            .or_else(|| Some(room_for_skill(&self.scope, found.living?, known)));
        self.recalled = found.recalled;
        self.current = found.row;
        self.known = Some(known.clone());
        Ok(evidence)
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Written> {
        let Ready {
            scope,
            name,
            current,
            next,
            warnings,
            known: _,
        } = match self.ready(work, true).await? {
            Ok(ready) => ready,
            Err(unchanged) => return Ok(Written::Published(unchanged)),
        };
        describe(work, &scope, &name, "");
        if !next.content.message.is_empty() {
            work.audit
                .detail
                .insert("message".to_owned(), next.content.message.clone().into());
        }
        let change = write_revision(work, &scope, &name, current, next).await?;
        Ok(Written::Published(SkillChange { warnings, ..change }))
    }

    async fn propose(self, work: &mut Work<'_>, rule: Rule) -> StoreResult<Written> {
        let Ready {
            scope,
            name,
            current,
            next,
            warnings,
            known,
        } = match self.ready(work, false).await? {
            Ok(ready) => ready,
            Err(unchanged) => return Ok(Written::Published(unchanged)),
        };
        let made = create_proposal(
            work,
            &known,
            NewProposal {
                scope,
                name,
                current,
                content: next.content,
                files: next.files,
                digest: next.digest,
                rationale: String::new(),
                evidence: String::new(),
                origin: rule.as_str(),
            },
        )
        .await?;
        Ok(Written::Proposed(ProposalChange { warnings, ..made }))
    }
}

/// Whether what a skill overrides has changed since it was written.
fn is_overtaken(row: &skill::Model, now: Option<&Upstream>) -> StoreResult<bool> {
    Ok(now.is_some() && !upstream::is_same(upstream::kept(row)?.as_ref(), now))
}

/// The same content again, although what it overrides has changed: its author has looked at that, and wants it so.
fn acknowledge(
    work: &mut Work<'_>,
    scope: &Scope,
    row: &skill::Model,
    now: Option<&Upstream>,
) -> StoreResult<SkillChange> {
    describe(work, scope, &item_of(row.kind, &row.name)?, "");
    work.audit.before = Some(row.digest.clone());
    work.audit.after = Some(row.digest.clone());
    if let Some(now) = now {
        work.audit.detail.insert(
            "acknowledges".to_owned(),
            serde_json::json!({"revision": now.revision, "digest": now.digest}),
        );
    }
    let mut changed = skill::ActiveModel {
        ..Default::default()
    };
    upstream::set(&mut changed, now);
    push_update(work, row, changed);
    change(scope, row)
}
