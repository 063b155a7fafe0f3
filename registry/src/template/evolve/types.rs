//! What changes when a value is of another type.

use std::sync::Arc;

use super::{ChangeKind, Comparison};
use crate::template::schema::Type;

impl Comparison<'_> {
    /// The types of a field, or of the items of a list or the values of a map.
    pub(super) fn types(&mut self, old: &Type, new: &Type) {
        match (old, new) {
            (Type::Bool, Type::Bool) => {}
            (Type::Str { max: before }, Type::Str { max: after }) => {
                self.maximum(*before, *after, "characters");
            }
            (Type::Enum { values: before }, Type::Enum { values: after }) => {
                self.words(before, after);
            }
            (
                Type::Int {
                    min: old_min,
                    max: old_max,
                },
                Type::Int { min, max },
            ) => {
                if min > old_min || max < old_max {
                    let sentence = format!("Only numbers from {min} to {max} are allowed now.");
                    self.change(ChangeKind::Narrowed, true, sentence);
                } else if min < old_min || max > old_max {
                    let sentence = format!("Numbers from {min} to {max} are allowed now.");
                    self.change(ChangeKind::Widened, false, sentence);
                }
            }
            (Type::Object(before), Type::Object(after)) => self.objects(before, after),
            (
                Type::List {
                    of: before,
                    max: old_max,
                },
                Type::List { of: after, max },
            ) => {
                self.maximum(*old_max, *max, "items");
                self.types(before, after);
            }
            (
                Type::Map {
                    of: before,
                    max: old_max,
                    key_max: old_key_max,
                },
                Type::Map {
                    of: after,
                    max,
                    key_max,
                },
            ) => {
                self.maximum(*old_max, *max, "entries");
                self.maximum(*old_key_max, *key_max, "characters of a key");
                self.types(before, after);
            }
            _ => {
                let sentence = format!("It is {} now.", new.with_article());
                self.change(ChangeKind::Retyped, true, sentence);
            }
        }
    }

    fn maximum(&mut self, before: usize, after: usize, what: &str) {
        if after < before {
            let sentence = format!("At most {after} {what} are kept now, where {before} were.");
            self.change(ChangeKind::Narrowed, true, sentence);
        } else if after > before {
            let sentence = format!(
                "Up to {after} {what} are kept now, where {before} were: what templates cost at worst may rise."
            );
            self.change(ChangeKind::Widened, false, sentence);
        }
    }

    fn words(&mut self, before: &[Arc<str>], after: &[Arc<str>]) {
        for word in before.iter().filter(|word| !after.contains(word)) {
            let sentence =
                format!("The word `{word}` is gone: templates must not compare with it.");
            self.change(ChangeKind::Removed, true, sentence);
        }
        for word in after.iter().filter(|word| !before.contains(word)) {
            let sentence = format!("The word `{word}` is new.");
            self.change(ChangeKind::Added, false, sentence);
        }
        let kept = |words: &[Arc<str>], others: &[Arc<str>]| -> Vec<Arc<str>> {
            words
                .iter()
                .filter(|word| others.contains(word))
                .cloned()
                .collect()
        };
        if kept(before, after) != kept(after, before) {
            self.change(
                ChangeKind::Described,
                false,
                "The words are in another order.",
            );
        }
    }
}
