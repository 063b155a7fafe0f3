//! One scope's participating skills, in the order that merging needs.

use std::borrow::Borrow;
use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::sync::Arc;

use crate::name::SkillName;
use crate::scope::Scope;
use crate::skill::{Digest, Mode, Status, Summary};

/// The skills of one scope that take part in catalogs: one a name, sorted by name.
///
/// It depends on nothing but the scope's own rows, so that it can be kept until one of them changes.
/// Roles are not applied yet: they belong to a request.
///
/// Servers keep very many of these, so it is packed: a row takes the bytes of its texts and a few dozen more. A
/// [`Summary`] is made of it when it is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeList {
    scope: Scope,
    rows: Box<[Packed]>,
    /// Name and description of each row, one after the other.
    texts: Box<str>,
    /// The sets of roles that rows are for.
    roles: Box<[Arc<[Arc<str>]>]>,
}

/// A row without its texts. What takes part is triggered and active: neither is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Packed {
    digest: Digest,
    /// Where its name begins; its description reaches to the next row's name.
    start: usize,
    revision: u32,
    /// Which of the sets of roles, from 1; 0 is for all.
    roles: u32,
    source: u16,
    name_bytes: u8,
    sealed: bool,
    templated: bool,
}

impl ScopeList {
    /// Keeps the rows of `scope` that take part; of several with one name the earliest source's.
    ///
    /// Rows of other scopes are dropped. The order of `rows` does not matter.
    #[must_use]
    pub fn new<S: Borrow<Summary>>(scope: Scope, mut rows: Vec<S>) -> Self {
        rows.retain(|row| row.borrow().scope == scope && takes_part(row.borrow()));
        rows.sort_unstable_by(|a, b| {
            let (a, b) = (a.borrow(), b.borrow());
            a.name.cmp(&b.name).then_with(|| precedence(a, b))
        });
        rows.dedup_by(|later, kept| {
            let (later, kept): (&Summary, &Summary) = (S::borrow(later), S::borrow(kept));
            later.name == kept.name
        });

        let size = |row: &Summary| row.name.as_str().len() + row.description.len();
        let mut texts = String::with_capacity(rows.iter().map(|row| size(row.borrow())).sum());
        let mut sets: Vec<Arc<[Arc<str>]>> = Vec::new();
        let mut known: HashMap<&Arc<[Arc<str>]>, u32> = HashMap::new();
        let mut packed = Vec::with_capacity(rows.len());
        for row in &rows {
            let row = row.borrow();
            let roles = if row.roles.is_empty() {
                0
            } else {
                *known.entry(&row.roles).or_insert_with(|| {
                    sets.push(Arc::clone(&row.roles));
                    // More sets than that do not fit into memory; a row whose set is not found is for nobody.
                    u32::try_from(sets.len()).unwrap_or(u32::MAX)
                })
            };
            let name = row.name.as_str();
            packed.push(Packed {
                digest: row.digest,
                start: texts.len(),
                revision: row.revision,
                roles,
                source: row.source,
                // A name has at most 64 bytes.
                name_bytes: u8::try_from(name.len()).unwrap_or(u8::MAX),
                sealed: row.sealed,
                templated: row.templated,
            });
            texts.push_str(name);
            texts.push_str(&row.description);
        }
        Self {
            scope,
            rows: packed.into_boxed_slice(),
            texts: texts.into_boxed_str(),
            roles: sets.into_boxed_slice(),
        }
    }

    /// The same list with another row of this name, or with none.
    #[must_use]
    pub fn with(&self, name: &SkillName, row: Option<Summary>) -> Self {
        let others = self.rows().filter(|other| other.name != name.as_str());
        let rows: Vec<Arc<Summary>> = others
            .map(|other| other.summary())
            .chain(row.map(Arc::new))
            .collect();
        Self::new(self.scope.clone(), rows)
    }

    /// The list without what has the name of a skill that a wider scope seals for everyone in `other`: its list of the other
    /// mode. What is sealed keeps its name whichever way it reaches a model; what is sealed in this list's own mode,
    /// resolution itself keeps out, and says so.
    #[must_use]
    pub fn without_names_sealed_in(self: &Arc<Self>, other: &Self) -> Arc<Self> {
        let mut list = Arc::clone(self);
        let sealed = other.rows.iter().enumerate();
        let sealed = sealed.filter(|(_, packed)| packed.sealed);
        for row in sealed.filter_map(|(at, _)| other.row(at)) {
            if row.is_sealed() && row.is_for(None) && list.find(row.name).is_some() {
                list = Arc::new(list.with(&row.skill_name(), None));
            }
        }
        list
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows().map(|row| row.name)
    }

    /// What takes part under this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<ListedRow> {
        let row = self.row(self.position(name)?)?;
        Some(ListedRow {
            revision: row.packed.revision,
            digest: row.packed.digest,
            sealed: row.is_sealed(),
        })
    }

    /// Where in the order of names it is.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.rows
            .binary_search_by(|packed| self.name_of(packed).cmp(name))
            .ok()
    }

    fn name_of(&self, packed: &Packed) -> &str {
        let end = packed.start + usize::from(packed.name_bytes);
        self.texts.get(packed.start..end).unwrap_or_default()
    }

    /// The scope.
    #[must_use]
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// About how many bytes of memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&*self.rows) + self.texts.len() + size_of_val(&*self.roles)
    }

    /// How many skills there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The skills, by name.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.rows.len()).filter_map(|at| self.row(at))
    }

    /// The skill at this place in the order of names.
    pub(super) fn row(&self, at: usize) -> Option<Row<'_>> {
        let packed = self.rows.get(at)?;
        let end = self
            .rows
            .get(at + 1)
            .map_or(self.texts.len(), |next| next.start);
        let (name, description) = self
            .texts
            .get(packed.start..end)?
            .split_at_checked(usize::from(packed.name_bytes))?;
        Some(Row {
            at,
            list: self,
            packed,
            name,
            description,
        })
    }
}

/// What a list knows of a name without making a [`Summary`] of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListedRow {
    /// The number of the current revision; 0 where a read-only source has it.
    pub revision: u32,
    /// The digest of the current revision.
    pub digest: Digest,
    /// Whether narrower scopes cannot override it.
    pub sealed: bool,
}

/// A row of a list.
#[derive(Clone, Copy)]
pub(super) struct Row<'a> {
    /// Where in the list it is.
    pub(super) at: usize,
    pub(super) name: &'a str,
    description: &'a str,
    list: &'a ScopeList,
    packed: &'a Packed,
}

impl<'a> Row<'a> {
    /// Where it lives.
    pub(super) fn scope(&self) -> &'a Scope {
        &self.list.scope
    }

    /// Its name.
    pub(super) fn skill_name(&self) -> SkillName {
        SkillName::known(self.name)
    }

    /// Whether narrower scopes cannot override it. An actor cannot seal: it would seal itself in.
    pub(super) fn is_sealed(&self) -> bool {
        self.packed.sealed && self.list.scope.is_shared()
    }

    /// Whether it is offered to an agent that is deployed as `role`.
    pub(super) fn is_for(&self, role: Option<&str>) -> bool {
        match self.roles() {
            Some(roles) => role.is_some_and(|role| roles.iter().any(|one| &**one == role)),
            None => self.packed.roles == 0,
        }
    }

    fn roles(&self) -> Option<&'a Arc<[Arc<str>]>> {
        let at = usize::try_from(self.packed.roles).ok()?.checked_sub(1)?;
        self.list.roles.get(at)
    }

    /// It as it was.
    pub(super) fn summary(&self) -> Arc<Summary> {
        Arc::new(Summary {
            name: self.skill_name(),
            scope: self.list.scope.clone(),
            description: Arc::from(self.description),
            revision: self.packed.revision,
            digest: self.packed.digest,
            sealed: self.packed.sealed,
            templated: self.packed.templated,
            mode: Mode::Triggered,
            status: Status::Active,
            roles: self.roles().map_or_else(|| Arc::from([]), Arc::clone),
            source: self.packed.source,
        })
    }
}

pub(crate) fn takes_part(row: &Summary) -> bool {
    match (row.mode, row.status) {
        (Mode::Triggered, Status::Active) => true,
        (Mode::Ambient, _)
        | (_, Status::Disabled | Status::Quarantined | Status::Revoked | Status::Archived) => false,
    }
}

/// Which of two rows with one name at one scope comes first, and so wins.
///
/// What follows the digest decides only between rows that storage cannot hold at once, but leaves no
/// pair of different rows undecided: the order of the input must never show.
pub(crate) fn precedence(a: &Summary, b: &Summary) -> Ordering {
    let key = |row: &Summary| (row.source, Reverse(row.revision), row.digest);
    key(a)
        .cmp(&key(b))
        .then_with(|| a.description.cmp(&b.description))
        .then_with(|| (a.sealed, a.templated, &a.roles).cmp(&(b.sealed, b.templated, &b.roles)))
}

/// Whether narrower scopes cannot override a skill that is offered.
pub(crate) fn is_sealed(row: &Summary) -> bool {
    row.sealed && row.scope.is_shared()
}
