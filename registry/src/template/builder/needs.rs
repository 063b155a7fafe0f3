//! Which fields a context must have: those that its template reads.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The fields that a template reads, and with them everything on the way there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needs(Level);

/// A field of which something is needed, and what of it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Level {
    /// It, and everything below.
    Whole,
    /// It, and of what is below these.
    Fields(BTreeMap<Arc<str>, Level>),
}

impl Needs {
    /// Every field: what an opening gives, as nobody knows beforehand which templates it renders.
    #[must_use]
    pub fn all() -> Self {
        Self(Level::Whole)
    }

    /// No field.
    #[must_use]
    pub fn none() -> Self {
        Self(Level::Fields(BTreeMap::new()))
    }

    /// The fields of these paths and everything on the way there, but nothing below them: a template that reads a whole
    /// object names the fields of it, or [`Needs::with_whole`] does. Items of lists and values of maps are no step of a path.
    #[must_use]
    pub fn of<Name: AsRef<str>>(paths: impl IntoIterator<Item = impl AsRef<[Name]>>) -> Self {
        let mut needs = Self::none();
        for path in paths {
            needs.0.add(path.as_ref(), false);
        }
        needs
    }

    /// The fields that a checked template reads, as the checker names them: steps with full stops between, `*` for the items
    /// of a list or map, which is no step here, and `**` at the end for everything below.
    #[must_use]
    pub fn of_reads(reads: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut needs = Self::none();
        for read in reads {
            let read = read.as_ref();
            let path: Vec<&str> = read
                .split('.')
                .filter(|step| !matches!(*step, "*" | "**"))
                .collect();
            needs.0.add(&path, read.ends_with(".**"));
        }
        needs
    }

    /// These needs, and the field of a path with everything below it.
    #[must_use]
    pub fn with_whole<Name: AsRef<str>>(mut self, path: &[Name]) -> Self {
        self.0.add(path, true);
        self
    }

    /// What is needed of the context.
    pub(super) fn at_root(&self) -> Need<'_> {
        Need(Some(&self.0))
    }

    /// Whether the field of that path is needed.
    #[must_use]
    pub fn contains<Name: AsRef<str>>(&self, path: &[Name]) -> bool {
        path.iter()
            .fold(self.at_root(), |need, name| need.of(name.as_ref()))
            .is_some()
    }
}

impl Level {
    fn add<Name: AsRef<str>>(&mut self, path: &[Name], whole: bool) {
        let Self::Fields(fields) = self else {
            return;
        };
        match path.split_first() {
            Some((name, rest)) => fields
                .entry(Arc::from(name.as_ref()))
                .or_insert_with(|| Self::Fields(BTreeMap::new()))
                .add(rest, whole),
            None if whole => *self = Self::Whole,
            None => {}
        }
    }
}

/// What is needed of a field; nothing, if the field itself is not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need<'a>(Option<&'a Level>);

impl Need<'_> {
    /// What is needed of a field below.
    pub(super) fn of(self, name: &str) -> Self {
        Self(match self.0 {
            Some(Level::Fields(fields)) => fields.get(name),
            whole_or_nothing => whole_or_nothing,
        })
    }

    /// Whether the field is needed.
    pub(super) fn is_some(self) -> bool {
        self.0.is_some()
    }
}
