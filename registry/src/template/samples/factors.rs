//! What may be there or not in the contexts of a situation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Choose;
use super::known_of;
use super::pairs::Choice;
use crate::template::schema::{FieldPath, Known, Object, Schema, Situation, Type};

/// What is asked of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Whether it is set, rather than null.
    Set,
    /// Whether its list or map has entries.
    Filled,
}

/// Something that may be there or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Factor {
    /// What has to be there before this can be asked.
    pub(super) above: Option<usize>,
    /// What is asked.
    pub(super) kind: Kind,
    /// The answer, where the situation gives it.
    pub(super) fixed: Option<Choice>,
}

/// Everything in a situation that may be there or not. What is above something comes before it.
#[derive(Debug, Default)]
pub(super) struct Factors {
    pub(super) list: Vec<Factor>,
    index: BTreeMap<(FieldPath, Kind), usize>,
}

impl Factors {
    /// The factors of a situation. Items of one list are all alike.
    pub(super) fn of(schema: &Schema, situation: &Situation) -> Self {
        let mut factors = Self::default();
        factors.object(schema.root(), situation, &mut FieldPath::new(), None);
        factors
    }

    /// The choice for a field, if it has one.
    pub(super) fn chosen(&self, path: &FieldPath, kind: Kind, choices: &[Choice]) -> bool {
        // What is no factor is always there.
        self.index
            .get(&(path.clone(), kind))
            .and_then(|index| choices.get(*index))
            .is_none_or(|choice| *choice)
    }

    /// One choice for each factor, as the situation has it or else by its kind.
    pub(super) fn all(&self, choose: Choose) -> Vec<Choice> {
        let above: BTreeSet<usize> = self.list.iter().filter_map(|factor| factor.above).collect();
        self.list
            .iter()
            .enumerate()
            .map(|(index, factor)| {
                factor
                    .fixed
                    .unwrap_or_else(|| choose(factor.kind, above.contains(&index)))
            })
            .collect()
    }

    fn object(
        &mut self,
        object: &Object,
        situation: &Situation,
        path: &mut FieldPath,
        above: Option<usize>,
    ) {
        for field in &object.fields {
            path.push(Arc::clone(&field.name));
            let mut inner = above;
            if field.nullable {
                let fixed = match known_of(situation, path) {
                    Some(Known::Null) => Some(false),
                    Some(Known::NonNull | Known::Eq(_)) => Some(true),
                    None => None,
                };
                inner = Some(self.add(path, Kind::Set, above, fixed));
            }
            self.below(&field.ty, situation, path, inner);
            path.pop();
        }
    }

    fn below(
        &mut self,
        ty: &Type,
        situation: &Situation,
        path: &mut FieldPath,
        above: Option<usize>,
    ) {
        match ty {
            Type::Object(object) => self.object(object, situation, path, above),
            Type::List { of, .. } | Type::Map { of, .. } => {
                // Lists of lists are filled or empty together.
                let filled = match self.index.get(&(path.clone(), Kind::Filled)) {
                    Some(known) => *known,
                    None => self.add(path, Kind::Filled, above, None),
                };
                self.below(of, situation, path, Some(filled));
            }
            Type::Str { .. } | Type::Enum { .. } | Type::Int { .. } | Type::Bool => {}
        }
    }

    fn add(
        &mut self,
        path: &FieldPath,
        kind: Kind,
        above: Option<usize>,
        fixed: Option<Choice>,
    ) -> usize {
        let index = self.list.len();
        self.list.push(Factor { above, kind, fixed });
        self.index.insert((path.clone(), kind), index);
        index
    }
}
