//! Checking all live templates under another schema.
//!
//! Live are the current revisions of what is not archived, in every tenant, and what read-only sources list; also those that
//! are disabled or quarantined, which come back as they are. What is found is kept by the digest of the content, which never
//! changes, so that what was published while it was looked at is told apart: its digest is one that was not seen.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect,
};
use vestry_policies::Scope;

use super::{ActiveSchema, FailingTemplate, SchemaReport};
use crate::identity::Caller;
use crate::store::actions::find_revision;
use crate::store::body::CheckedContent;
use crate::store::entity::{context_schema, skill};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{item_of, scope_of, unsigned};
use crate::store::sources::FROM_SOURCE;
use crate::store::tenant_set::TenantSet;
use crate::store::{Inner, Point, Store};
use crate::template::evolve::{compare, is_additive};
use crate::template::schema::{Schema, SchemaFault};
use crate::template::{Severity, check};

/// How many templates are read and checked at a time; then others have their turn.
const BATCH: usize = 16;
/// How often what was published meanwhile is looked for before the writer is taken.
const ROUNDS: usize = 4;
/// How many templates that were published meanwhile are checked while the writer is held: a few milliseconds each at worst.
const MOST_INSIDE: usize = 32;
/// How many failing templates a report names.
const MOST_NAMED: usize = 5_000;
/// How many changes a report names.
const MOST_CHANGES: usize = 1_000;

/// A live template.
struct Live {
    scope: Scope,
    name: String,
    revision: u32,
    digest: String,
    /// Its content, where no row has it.
    source: Option<Arc<CheckedContent>>,
}

#[derive(FromQueryResult)]
struct LiveRow {
    tenant: String,
    scope_kind: i16,
    scope_id: String,
    kind: i16,
    name: String,
    revision: i64,
    digest: String,
}

/// What is wrong with a template.
#[derive(Debug)]
struct Wrong {
    code: &'static str,
    line: Option<usize>,
    message: String,
}

/// A schema, and what was found of live templates under it.
#[derive(Debug)]
pub(in crate::store) struct Rechecked {
    schema: Arc<Schema>,
    /// By the digest of the content; nothing where nothing is wrong.
    found: HashMap<String, Option<Wrong>>,
}

/// Every live template: those of the database by tenant, scope and name, and then those of sources.
async fn live<C: ConnectionTrait>(db: &C, inner: &Inner) -> StoreResult<Vec<Live>> {
    let rows = skill::Entity::find()
        .select_only()
        .columns([
            skill::Column::Tenant,
            skill::Column::ScopeKind,
            skill::Column::ScopeId,
            skill::Column::Kind,
            skill::Column::Name,
            skill::Column::Revision,
            skill::Column::Digest,
        ])
        .filter(skill::Column::Templated.eq(true))
        .filter(skill::Column::Archived.eq(false))
        .order_by_asc(skill::Column::Tenant)
        .order_by_asc(skill::Column::ScopeKind)
        .order_by_asc(skill::Column::ScopeId)
        .order_by_asc(skill::Column::Kind)
        .order_by_asc(skill::Column::Name)
        .into_model::<LiveRow>()
        .all(db)
        .await?;
    let mut all = rows
        .into_iter()
        .map(|row| {
            Ok(Live {
                scope: scope_of(&row.tenant, row.scope_kind, &row.scope_id)?,
                name: item_of(row.kind, &row.name)?.to_string(),
                revision: unsigned(row.revision, "revision")?,
                digest: row.digest,
                source: None,
            })
        })
        .collect::<StoreResult<Vec<Live>>>()?;
    for (scope, skill) in inner.sources.templates() {
        all.push(Live {
            scope,
            name: skill.name.to_string(),
            revision: FROM_SOURCE,
            digest: skill.digest.to_string(),
            source: Some(Arc::clone(&skill.content)),
        });
    }
    Ok(all)
}

/// The content of a live template; nothing when it is damaged.
async fn content<C: ConnectionTrait>(
    db: &C,
    inner: &Inner,
    template: &Live,
) -> StoreResult<Option<Arc<CheckedContent>>> {
    if let Some(content) = &template.source {
        return Ok(Some(Arc::clone(content)));
    }
    let name = vestry_policies::ItemName::parse(&template.name).map_err(|_| StoreError::Corrupt)?;
    let read = match find_revision(db, &template.scope, &name, template.revision).await? {
        Some(row) => inner.read_content(db, &row).await,
        None => Err(StoreError::Corrupt),
    };
    match read {
        Ok(content) => Ok(Some(content)),
        Err(StoreError::Corrupt) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What is wrong with each of them.
fn look(
    contents: Vec<(String, Option<Arc<CheckedContent>>)>,
    schema: &Schema,
) -> Vec<(String, Option<Wrong>)> {
    contents
        .into_iter()
        .map(|(digest, content)| {
            let Some(content) = content else {
                let wrong = Wrong {
                    code: "unreadable",
                    line: None,
                    message: "Its stored content is damaged.".to_owned(),
                };
                return (digest, Some(wrong));
            };
            let wrong = check(content.body.text(), schema).err().map(|diagnostics| {
                let first = diagnostics
                    .iter()
                    .find(|one| one.severity == Severity::Error);
                Wrong {
                    code: first.map_or("refused", |first| first.code),
                    line: first.map(|first| first.line),
                    message: first.map_or_else(String::new, |first| first.message.clone()),
                }
            });
            (digest, wrong)
        })
        .collect()
}

impl Store {
    /// Checks all live templates under a schema, in batches and off the threads that serve requests.
    pub(super) async fn recheck(&self, caller: &Caller, schema: Schema) -> StoreResult<Rechecked> {
        let mut rechecked = Rechecked {
            schema: Arc::new(schema),
            found: HashMap::new(),
        };
        for _ in 0..ROUNDS {
            // Those of all tenants; each time those that are live now.
            let found = {
                let db = self.inner.reader.statements(&TenantSet::Every).await?;
                live(&db, &self.inner).await?
            };
            let unseen = rechecked.unseen(&found);
            if unseen.is_empty() {
                break;
            }
            for batch in unseen.chunks(BATCH) {
                // One at a time of those that take a processor: publications go on between the batches.
                let slot = self.inner.scanning.take(caller).await?;
                let mut contents = Vec::with_capacity(batch.len());
                {
                    // Let go of before the work: others read meanwhile.
                    let db = self.inner.reader.statements(&TenantSet::Every).await?;
                    for template in batch {
                        let content = content(&db, &self.inner, template).await?;
                        contents.push((template.digest.clone(), content));
                    }
                }
                let schema = Arc::clone(&rechecked.schema);
                let found = slot.run(move || look(contents, &schema)).await?;
                rechecked.found.extend(found);
            }
        }
        self.inner.reached(Point::Rechecked).await;
        Ok(rechecked)
    }
}

impl Rechecked {
    /// The schema.
    pub(in crate::store) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// Those that were not looked at, each content once.
    fn unseen(&self, live: &[Live]) -> Vec<Live> {
        let mut once = HashSet::new();
        live.iter()
            .filter(|template| !self.found.contains_key(&template.digest))
            .filter(|template| once.insert(template.digest.as_str()))
            .map(|template| Live {
                scope: template.scope.clone(),
                name: template.name.clone(),
                revision: template.revision,
                digest: template.digest.clone(),
                source: template.source.clone(),
            })
            .collect()
    }

    /// What activating the schema instead of `active` does to what this database says: a snapshot, or the state that the
    /// holder of the writer sees. What was published since is looked at here.
    ///
    /// # Errors
    /// [`StoreError::InvalidSchema`] for a version that is not higher than those before, [`StoreError::Busy`] when more was
    /// published meanwhile than can be looked at while others wait.
    pub(in crate::store) async fn report<C: ConnectionTrait>(
        mut self,
        db: &C,
        inner: &Inner,
        active: &ActiveSchema,
    ) -> StoreResult<SchemaReport> {
        let old = &active.schema;
        let unchanged = old.digest() == self.schema.digest();
        if !unchanged {
            refuse_version(db, old, &self.schema).await?;
        }
        let live = live(db, inner).await?;
        let unseen = self.unseen(&live);
        if unseen.len() > MOST_INSIDE {
            return Err(StoreError::Busy);
        }
        if !unseen.is_empty() {
            let mut contents = Vec::with_capacity(unseen.len());
            for template in &unseen {
                let content = content(db, inner, template).await?;
                contents.push((template.digest.clone(), content));
            }
            let schema = Arc::clone(&self.schema);
            let found = tokio::task::spawn_blocking(move || look(contents, &schema))
                .await
                .map_err(|error| StoreError::Internal(format!("work ended early: {error}")))?;
            self.found.extend(found);
        }
        let mut changes = compare(old, &self.schema);
        let additive = is_additive(&changes);
        let changes_count = changes.len();
        changes.truncate(MOST_CHANGES);
        let mut failing = Vec::new();
        let mut failing_count = 0;
        for template in &live {
            if let Some(Some(wrong)) = self.found.get(&template.digest) {
                failing_count += 1;
                if failing.len() < MOST_NAMED {
                    failing.push(named(template, wrong));
                }
            }
        }
        Ok(SchemaReport {
            version: self.schema.version(),
            digest: self.schema.digest().to_string(),
            built_in: self.schema.digest() == Schema::built_in().digest(),
            unchanged,
            additive,
            needs_acceptance: !additive || failing_count > 0,
            changes,
            changes_count,
            checked: live.len(),
            failing,
            failing_count,
        })
    }
}

/// What a global administrator may know of a failing template: only what is global may it read (design §2.5), so that a
/// message, which repeats words of the text, is told of that alone.
fn named(template: &Live, wrong: &Wrong) -> FailingTemplate {
    let sentence = match (&template.scope, wrong.line) {
        (Scope::Global, _) => wrong.message.clone(),
        (_, None) => "It cannot be read or checked; its publishers can see why.".to_owned(),
        (_, Some(line)) => format!(
            "Line {line} fails by `{}`; its publishers see why when they check it.",
            wrong.code
        ),
    };
    FailingTemplate {
        tenant: template.scope.tenant().map(ToString::to_string),
        scope: template.scope.to_string(),
        name: template.name.clone(),
        revision: template.revision,
        code: wrong.code.to_owned(),
        line: wrong.line,
        sentence,
    }
}

/// How far the version of a schema may go up at once.
const MOST_SKIPPED: i64 = 1_000_000;

/// Refuses a version that was there before with other content: what revisions say of their schema would mean two things.
/// Going back to a schema that was active before, or to the built-in one, is no such thing.
async fn refuse_version<C: ConnectionTrait>(db: &C, old: &Schema, new: &Schema) -> StoreResult<()> {
    let before: Vec<(i64, String)> = context_schema::Entity::find()
        .select_only()
        .columns([
            context_schema::Column::Version,
            context_schema::Column::Digest,
        ])
        .into_tuple()
        .all(db)
        .await?;
    let was_active = new.digest() == Schema::built_in().digest()
        || before.iter().any(|(_, digest)| **digest == **new.digest());
    let highest = before
        .iter()
        .map(|(version, _)| *version)
        .fold(i64::from(old.version()), i64::max);
    let version = i64::from(new.version());
    if was_active || (version > highest && version - highest <= MOST_SKIPPED) {
        return Ok(());
    }
    if version > highest {
        return Err(StoreError::InvalidSchema(vec![SchemaFault {
            path: "/x-version".to_owned(),
            detail: format!(
                "The version goes up by at most {MOST_SKIPPED}, so that there are others to come. Give it the version {}.",
                highest.saturating_add(1)
            ),
        }]));
    }
    Err(StoreError::InvalidSchema(vec![SchemaFault {
        path: "/x-version".to_owned(),
        detail: format!(
            "Another schema had this version or a later one. Give it the version {} or a higher one; only a schema that was active before comes back with its own.",
            highest.saturating_add(1)
        ),
    }]))
}
