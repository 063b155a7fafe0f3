//! What changes for templates and hosts when one schema takes the place of another.
//!
//! Additive is what neither a template that was accepted nor a host can notice by failing: fields added, words and
//! situations added, maxima and ranges raised, descriptions and examples. Breaking is all else. Breaking does not say that
//! a template breaks: every live template is checked again under the new schema in any case, as even an added word can take
//! an `{{else}}` the certainty that it relied on, and a raised maximum can make a loop too dear.

mod types;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::{Field, FieldPath, Known, Object, Schema, Situation};

/// What kind of change it is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SchemaChangeKind")]
pub enum ChangeKind {
    /// A field, word or situation is new.
    Added,
    /// A field, word or situation is gone.
    Removed,
    /// A field has another name. It is told from one that is gone and one that is new by everything else being the same.
    Renamed,
    /// A value is of another type.
    Retyped,
    /// Fewer values are allowed than before.
    Narrowed,
    /// More values are allowed than before.
    Widened,
    /// A field may be null that never was.
    MadeNullable,
    /// What a situation says of a field is another thing.
    Situation,
    /// The description or the example is another one, or which items a list keeps that is too long.
    Described,
}

/// A difference between two schemas.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SchemaChange")]
pub struct Change {
    /// The field, such as `task.title`, or the name of the situation.
    pub path: String,
    /// What kind of change it is.
    pub kind: ChangeKind,
    /// Whether something may stop working, so that the change has to be accepted.
    pub breaking: bool,
    /// One sentence.
    pub sentence: String,
}

/// Everything that changes when `new` takes the place of `old`; nothing when they are the same. Fields come in the order of
/// the old schema, then situations.
#[must_use]
pub fn compare(old: &Schema, new: &Schema) -> Vec<Change> {
    let mut comparison = Comparison {
        old,
        new,
        path: FieldPath::new(),
        changes: Vec::new(),
    };
    comparison.objects(old.root(), new.root());
    comparison.situations();
    comparison.changes
}

/// Whether nothing of it is breaking.
#[must_use]
pub fn is_additive(changes: &[Change]) -> bool {
    changes.iter().all(|change| !change.breaking)
}

struct Comparison<'s> {
    old: &'s Schema,
    new: &'s Schema,
    path: FieldPath,
    changes: Vec<Change>,
}

impl Comparison<'_> {
    /// A change of the field that is being compared.
    fn change(&mut self, kind: ChangeKind, breaking: bool, sentence: impl Into<String>) {
        self.changes.push(Change {
            path: self.path.join("."),
            kind,
            breaking,
            sentence: sentence.into(),
        });
    }

    fn at(&mut self, name: &Arc<str>, compare: impl FnOnce(&mut Self)) {
        self.path.push(Arc::clone(name));
        compare(self);
        self.path.pop();
    }

    fn objects(&mut self, old: &Object, new: &Object) {
        let mut added: Vec<&Field> = new
            .fields
            .iter()
            .filter(|field| old.field(&field.name).is_none())
            .collect();
        for before in &old.fields {
            self.at(&before.name, |this| match new.field(&before.name) {
                Some(after) => this.fields(before, after),
                None => {
                    let twin = added
                        .iter()
                        .position(|field| is_same_but_name(before, field));
                    if let Some(twin) = twin {
                        let twin = added.remove(twin);
                        this.change(
                            ChangeKind::Renamed,
                            true,
                            format!("`{}` is called `{}` now.", before.name, twin.name),
                        );
                    } else {
                        this.change(ChangeKind::Removed, true, "The field is gone.");
                    }
                }
            });
        }
        for field in added {
            self.at(&field.name, |this| {
                let sentence = if field.required {
                    "The field is new, and hosts must give it in openings and where a template reads it."
                } else {
                    "The field is new; it is null where a host does not give it."
                };
                this.change(ChangeKind::Added, false, sentence);
            });
        }
    }

    fn fields(&mut self, old: &Field, new: &Field) {
        match (old.nullable, new.nullable) {
            (false, true) => self.change(
                ChangeKind::MadeNullable,
                true,
                "The field may be null now: templates that read through it or compare it must guard it.",
            ),
            (true, false) => self.change(
                ChangeKind::Narrowed,
                true,
                "The field is never null now: hosts that leave it null are refused.",
            ),
            _ => {}
        }
        match (old.required, new.required) {
            (false, true) => self.change(
                ChangeKind::Narrowed,
                true,
                "Hosts must give the field now; those that leave it out are refused where it is needed.",
            ),
            (true, false) => self.change(
                ChangeKind::Widened,
                false,
                "Hosts need not give the field any more.",
            ),
            _ => {}
        }
        self.types(&old.ty, &new.ty);
        if old.description != new.description {
            self.change(
                ChangeKind::Described,
                false,
                "The description is another one.",
            );
        }
        if old.sample != new.sample {
            self.change(ChangeKind::Described, false, "The example is another one.");
        }
        match (
            self.old.keeps_last(&self.path),
            self.new.keeps_last(&self.path),
        ) {
            (false, true) => self.change(
                ChangeKind::Described,
                false,
                "A list that is too long keeps its last items now.",
            ),
            (true, false) => self.change(
                ChangeKind::Described,
                false,
                "A list that is too long keeps its first items now.",
            ),
            _ => {}
        }
    }

    fn situations(&mut self) {
        self.path.clear();
        let (old, new) = (self.old, self.new);
        for before in old.situations() {
            self.at(&before.name, |this| match new.situation(&before.name) {
                Some(after) => this.situation(before, after),
                None => this.change(
                    ChangeKind::Removed,
                    true,
                    "The situation is gone: contexts of it are refused unless they fit another.",
                ),
            });
        }
        for after in new.situations() {
            if old.situation(&after.name).is_none() {
                self.at(&after.name, |this| {
                    this.change(
                        ChangeKind::Added,
                        false,
                        "The situation is new: templates are checked for it too.",
                    );
                });
            }
        }
    }

    fn situation(&mut self, old: &Situation, new: &Situation) {
        for (path, before) in &old.known {
            let sentence = match known(new, path) {
                Some(after) if after == before => continue,
                Some(after) => format!("`{}` {} now.", path.join("."), words(after)),
                None => format!(
                    "Nothing is known of `{}` any more, which {} before.",
                    path.join("."),
                    words(before)
                ),
            };
            self.change(ChangeKind::Situation, true, sentence);
        }
        for (path, after) in &new.known {
            // What is said of a field that the old schema did not have takes nothing from anybody.
            let breaking = self.old.field(path).is_some();
            if known(old, path).is_none() {
                let sentence = format!("`{}` {} now.", path.join("."), words(after));
                self.change(ChangeKind::Situation, breaking, sentence);
            }
        }
        if self.old.about_situation(&old.name) != self.new.about_situation(&new.name) {
            self.change(
                ChangeKind::Described,
                false,
                "The description is another one.",
            );
        }
    }
}

fn known<'s>(situation: &'s Situation, path: &FieldPath) -> Option<&'s Known> {
    situation
        .known
        .iter()
        .find(|(known, _)| known == path)
        .map(|(_, known)| known)
}

fn words(known: &Known) -> String {
    match known {
        Known::Null => "is always null".to_owned(),
        Known::NonNull => "is always set".to_owned(),
        Known::Eq(word) => format!("is always `{word}`"),
    }
}

fn is_same_but_name(one: &Field, other: &Field) -> bool {
    one.ty == other.ty
        && one.nullable == other.nullable
        && one.required == other.required
        && one.description == other.description
}
