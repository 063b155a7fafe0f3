//! What a new skill comes to stand beside: names that are taken for its own, and what it pushes past the default cap.
//!
//! Both are asked after the skill was published, or before, on a reading connection. Bounded: names by [`NAMES`], entries by
//! the cap, since whatever comes after it is not offered before either.

use std::sync::Arc;

use sea_orm::{ConnectionTrait, FromQueryResult, Statement};
use vestry_policies::near::near;
use vestry_policies::resolve::{
    Cap, DEFAULT_CAP, Effect, Fallen, ScopeList, Side, Subject, WideView, effect,
};
use vestry_policies::{Digest, ItemName, Mode, Scope, SkillName, Status, Summary};

use super::Store;
use super::catalog::name_of;
use super::error::StoreResult;
use super::impact::default_cap;
use super::rows::{KIND_SKILL, MODE_TRIGGERED, RECALL_NONE, ScopeKey, tenant_key};
use crate::identity::Caller;
use crate::store::dialect;
use crate::store::tenant_set::TenantSet;

/// The most names of a scope that a new one is compared with.
const NAMES: i64 = 10_000;
/// The most near names, and the most fallen entries, that are told.
const TOLD: usize = 5;

/// Something that the author of a new skill should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// `near-name`, `past-cap` or `omitted`.
    pub code: &'static str,
    /// What it is.
    pub detail: String,
}

impl Store {
    /// What there is to say of a skill that was just created. The publication stands: where this cannot be read, nothing
    /// is said.
    pub async fn notes_on_new(
        &self,
        caller: &Caller,
        scope: &Scope,
        name: &ItemName,
        mode: Mode,
    ) -> Vec<Note> {
        let noted = async {
            let tenants = TenantSet::of(caller.tenant());
            let reading = self.inner.reader.statements(&tenants).await?;
            notes(self, &reading, caller, scope, name, mode).await
        };
        match noted.await {
            Ok(notes) => notes,
            Err(error) => {
                tracing::warn!(error = %error, "what a new skill stands beside could not be read");
                Vec::new()
            }
        }
    }
}

/// What there is to say of a name that is, or would be, new at a scope of the caller's.
pub(super) async fn notes<C: ConnectionTrait>(
    store: &Store,
    db: &C,
    caller: &Caller,
    scope: &Scope,
    name: &ItemName,
    mode: Mode,
) -> StoreResult<Vec<Note>> {
    // Roles are in no catalog, where they could be taken for one another.
    let Some(name) = name.skill() else {
        return Ok(Vec::new());
    };
    // The scope and the wider ones: what is narrower is not everyone's.
    let from = caller.scopes().iter().position(|one| one == scope);
    let scopes = caller.scopes().get(from.unwrap_or(0)..).unwrap_or_default();
    let mut all = Vec::with_capacity(scopes.len());
    for at in scopes {
        all.push(OfScope::read(store, db, at, caller).await?);
    }
    let mut notes = Vec::new();
    for of in &all {
        for (other, why) in near(name, &of.names, TOLD) {
            notes.push(Note {
                code: "near-name",
                detail: format!(
                    "`{name}` may be taken for `{other}` of {}: {why}.",
                    of.scope
                ),
            });
        }
    }
    notes.truncate(TOLD);
    if mode == Mode::Ambient {
        // It stands outside the catalog and its cap.
        return Ok(notes);
    }
    let cap = default_cap(&store.inner, caller.tenant());
    notes.extend(crowding(&all, scope, name, cap));
    Ok(notes)
}

/// What a scope has, as far as it matters here.
struct OfScope {
    scope: Scope,
    /// All names, also of what is disabled or archived: it may come back.
    names: Vec<SkillName>,
    /// What takes part: the sealed ones, and of the others more than the cap lets through.
    first: Vec<(SkillName, bool)>,
}

#[derive(Debug, FromQueryResult)]
struct Read {
    names: String,
    first: String,
    sealed: String,
}

// The names alone are in the key. `sealed` as it is in the index of sealed skills, which is found by that word.
const READ: &str = "SELECT \
 (SELECT json_group_array(name) FROM (SELECT name FROM skills WHERE tenant = $1 AND scope_kind = $2 AND scope_id = $3 \
   AND kind = $4 ORDER BY name LIMIT $5) AS named) AS names, \
 (SELECT json_group_array(name) FROM (SELECT name FROM skills WHERE tenant = $1 AND scope_kind = $2 AND scope_id = $3 \
   AND kind = $4 AND mode = $6 AND archived = FALSE AND disabled = FALSE AND recall = $7 AND sealed = FALSE \
   AND NOT EXISTS (SELECT 1 FROM hidden_skills AS h WHERE h.tenant = $8 AND h.name = skills.name) \
   ORDER BY name LIMIT $9) AS placed) AS first, \
 (SELECT json_group_array(name) FROM skills WHERE tenant = $1 AND scope_kind = $2 AND scope_id = $3 AND sealed \
   AND kind = $4 AND mode = $6 AND archived = FALSE AND disabled = FALSE AND recall = $7) AS sealed";

impl OfScope {
    async fn read<C: ConnectionTrait>(
        store: &Store,
        db: &C,
        scope: &Scope,
        caller: &Caller,
    ) -> StoreResult<Self> {
        let key = ScopeKey::of(scope);
        let hides = match scope {
            Scope::Global => tenant_key(caller.tenant()),
            Scope::Tenant(_) | Scope::Actor { .. } => String::new(),
        };
        // The new one may be among the first already, and one more shows that something falls.
        let first = i64::try_from(DEFAULT_CAP + 2).unwrap_or(i64::MAX);
        let values: [sea_orm::Value; 9] = [
            key.tenant.into(),
            key.kind.into(),
            key.id.into(),
            KIND_SKILL.into(),
            NAMES.into(),
            MODE_TRIGGERED.into(),
            RECALL_NONE.into(),
            hides.into(),
            first.into(),
        ];
        let backend = db.get_database_backend();
        let statement =
            Statement::from_sql_and_values(backend, dialect::json(READ, backend), values);
        let read = Read::find_by_statement(statement)
            .one(db)
            .await?
            .ok_or_else(|| super::StoreError::Internal("a scope gave no row".to_owned()))?;
        let mut first: Vec<(SkillName, bool)> = names(&read.first)?
            .into_iter()
            .map(|name| (name, false))
            .collect();
        first.extend(names(&read.sealed)?.into_iter().map(|name| (name, true)));
        let mut names = names(&read.names)?;
        if !store.inner.sources.summaries(scope).is_empty() {
            // What a source lists is in memory whole, and composed with all of the rows.
            let cached = store.scope(scope).await?;
            first.clear();
            for text in cached.list.names() {
                let name = name_of(text)?;
                let sealed = cached.list.find(text).is_some_and(|row| row.sealed);
                if !names.contains(&name) {
                    names.push(name.clone());
                }
                first.push((name, sealed));
            }
            if let (Scope::Global, Some(tenant)) = (scope, caller.tenant()) {
                let hidden = store.scope(&Scope::Tenant(tenant.clone())).await?;
                first.retain(|(name, sealed)| *sealed || !hidden.hidden.contains(name));
            }
        }
        Ok(Self {
            scope: scope.clone(),
            names,
            first,
        })
    }

    /// Its rows, with or without one of a name.
    fn list(&self, with: Option<&SkillName>, without: Option<&SkillName>) -> Arc<ScopeList> {
        let rows: Vec<Summary> = self
            .first
            .iter()
            .filter(|(name, _)| Some(name) != without && Some(name) != with)
            .map(|(name, sealed)| row(&self.scope, name, *sealed))
            .chain(with.map(|name| row(&self.scope, name, false)))
            .collect();
        Arc::new(ScopeList::new(self.scope.clone(), rows))
    }
}

/// A skill of which nothing but its name and its seal matters.
fn row(scope: &Scope, name: &SkillName, sealed: bool) -> Summary {
    Summary {
        name: name.clone(),
        scope: scope.clone(),
        description: Arc::from(""),
        revision: 1,
        digest: Digest([0; 32]),
        sealed,
        templated: false,
        mode: Mode::Triggered,
        status: Status::Active,
        roles: Arc::from([]),
        source: 0,
    }
}

fn names(json: &str) -> StoreResult<Vec<SkillName>> {
    let names: Vec<&str> = serde_json::from_str(json)?;
    names.into_iter().map(name_of).collect()
}

/// What the new skill does to the catalog of its actor, or of an actor without skills of its own.
fn crowding(all: &[OfScope], scope: &Scope, name: &SkillName, cap: Cap) -> Vec<Note> {
    let lists = |is_there: bool| -> Vec<Arc<ScopeList>> {
        all.iter()
            .map(|of| match (of.scope == *scope, is_there) {
                (false, _) => of.list(None, None),
                (true, true) => of.list(Some(name), None),
                (true, false) => of.list(None, Some(name)),
            })
            .collect()
    };
    let Effect {
        fallen, omitted, ..
    } = compare(&lists(false), &lists(true), scope, name, cap);
    let of_whom = if scope.is_shared() {
        "the catalogs of actors without skills of their own"
    } else {
        "the catalog"
    };
    let mut notes = Vec::new();
    if omitted {
        notes.push(Note {
            code: "omitted",
            detail: format!(
                "It comes after the default cap of {} in {of_whom}: only turns with a larger cap are offered it.",
                cap.get()
            ),
        });
    }
    if !fallen.is_empty() {
        let told: Vec<String> = fallen
            .iter()
            .take(TOLD)
            .map(|Fallen { name, scope: at }| {
                format!("`{name}` of {}", at.as_ref().unwrap_or(scope))
            })
            .collect();
        notes.push(Note {
            code: "past-cap",
            detail: format!(
                "It pushes {} past the default cap of {} in {of_whom}.",
                told.join(", "),
                cap.get()
            ),
        });
    }
    notes
}

fn compare(
    before: &[Arc<ScopeList>],
    after: &[Arc<ScopeList>],
    scope: &Scope,
    name: &SkillName,
    cap: Cap,
) -> Effect {
    // An actor's own scope is laid over the others; everything else is merged.
    let split = usize::from(!scope.is_shared());
    let own = |lists: &[Arc<ScopeList>]| -> Vec<String> {
        lists
            .iter()
            .take(split)
            .flat_map(|list| list.names().map(ToOwned::to_owned))
            .collect()
    };
    let (own_before, own_after) = (own(before), own(after));
    let hidden = std::collections::BTreeSet::new();
    let wide = |lists: &[Arc<ScopeList>]| {
        WideView::merge(lists.get(split..).unwrap_or_default(), 1, &hidden, None)
    };
    let (wide_before, wide_after) = (wide(before), wide(after));
    let before: Vec<&str> = own_before.iter().map(String::as_str).collect();
    let after: Vec<&str> = own_after.iter().map(String::as_str).collect();
    effect(
        &Subject {
            name,
            scope,
            has_other_content: false,
        },
        Side {
            own: &before,
            wide: &wide_before,
        },
        Side {
            own: &after,
            wide: &wide_after,
        },
        cap,
    )
}
