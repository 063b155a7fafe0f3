//! The situations of a schema: what is known of the context in each.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::FieldPath;
use super::document::Node;
use super::fault::Faults;
use super::limits::MAX_SITUATIONS;
use super::names::is_word;
use super::read::description;
use super::types::{Field, Known, Object, Situation, Type};

/// The situations, and beside each the sentence that says what it is.
pub(super) struct Situations {
    pub(super) list: Vec<Situation>,
    pub(super) about: Vec<Arc<str>>,
}

/// Reads the situations; none when they are not there.
pub(super) fn read(document: &Node, root: &Object, faults: &mut Faults) -> Option<Situations> {
    let given = document
        .get("x-situations")
        .and_then(Node::as_map)
        .filter(|given| !given.is_empty() && given.len() <= MAX_SITUATIONS);
    let Some(given) = given else {
        faults.below(
            "x-situations",
            format!(
                "Name the situations that templates are checked for, from 1 to {MAX_SITUATIONS}."
            ),
        );
        return None;
    };
    let mut situations = Situations {
        list: Vec::with_capacity(given.len()),
        about: Vec::with_capacity(given.len()),
    };
    faults.enter("x-situations");
    for (name, node) in given {
        faults.enter(name.as_str());
        if !is_word(name) {
            faults.here("The name of a situation is made of letters, digits, `-`, `_` and `.`, at most 64 of them, a letter or digit first.");
        }
        if let Some(about) = description(node, faults) {
            situations.about.push(about);
        } else if node.as_map().is_some() && node.get("description").is_none() {
            faults.below("description", "Say in a sentence what the situation is.");
        }
        situations.list.push(Situation {
            name: Arc::from(name.as_str()),
            known: known(node, root, faults),
        });
        faults.leave();
    }
    faults.leave();
    Some(situations)
}

fn known(node: &Node, root: &Object, faults: &mut Faults) -> Vec<(FieldPath, Known)> {
    let Some(entries) = node.as_map() else {
        faults.here("A situation is an object with `description`, `set`, `null` and `is`.");
        return Vec::new();
    };
    let mut known = Vec::new();
    for (key, value) in entries {
        faults.enter(key.as_str());
        match key.as_str() {
            "description" => {}
            "set" => paths(value, root, faults, &Known::NonNull, &mut known),
            "null" => paths(value, root, faults, &Known::Null, &mut known),
            "is" => words(value, root, faults, &mut known),
            _ => faults.here(format!(
                "`{key}` is not in the vocabulary here; there are description, set, null, is."
            )),
        }
        faults.leave();
    }
    consistent(&known, root, faults);
    known
}

fn paths(
    value: &Node,
    root: &Object,
    faults: &mut Faults,
    what: &Known,
    known: &mut Vec<(FieldPath, Known)>,
) {
    let Some(items) = value.as_list() else {
        faults.here("Give a list of paths, such as `\"opening.task\"`.");
        return;
    };
    for (index, item) in items.iter().enumerate() {
        match item.as_text().and_then(|path| find(path, root)) {
            Some((path, field)) if field.nullable => known.push((path, what.clone())),
            Some(_) => faults.below(
                &index.to_string(),
                "This field is never null; leave it out.",
            ),
            None => faults.below(
                &index.to_string(),
                "There is no such field; write names with dots between, through objects only.",
            ),
        }
    }
}

fn words(value: &Node, root: &Object, faults: &mut Faults, known: &mut Vec<(FieldPath, Known)>) {
    let Some(entries) = value.as_map() else {
        faults.here(
            "Give an object of paths and words, such as `{\"opening.kind\": \"task-start\"}`.",
        );
        return;
    };
    for (path, word) in entries {
        let word = word.as_text().unwrap_or_default();
        match find(path, root) {
            Some((
                found,
                Field {
                    ty: Type::Enum { values },
                    ..
                },
            )) if values.iter().any(|value| &**value == word) => {
                known.push((found, Known::Eq(Arc::from(word))));
            }
            Some(_) => faults.below(path, "The field must be an enum that has this word."),
            None => faults.below(
                path,
                "There is no such field; write names with dots between, through objects only.",
            ),
        }
    }
}

/// The field of a dotted path, which goes through objects only: an item of a list is not one field.
fn find<'o>(path: &str, root: &'o Object) -> Option<(FieldPath, &'o Field)> {
    let mut names = FieldPath::new();
    let mut object = Some(root);
    let mut found = None;
    for name in path.split('.') {
        let field = object?.field(name)?;
        object = match &field.ty {
            Type::Object(inner) => Some(inner),
            _ => None,
        };
        names.push(Arc::clone(&field.name));
        found = Some(field);
    }
    found.map(|field| (names, field))
}

/// Refuses what cannot be, or says nothing: a path that is there twice, and one below something that may be null.
fn consistent(known: &[(FieldPath, Known)], root: &Object, faults: &mut Faults) {
    let mut seen = BTreeSet::new();
    for (path, _) in known {
        let text = path.join(".");
        if !seen.insert(path) {
            faults.here(format!("`{text}` is there twice."));
        }
        for end in 1..path.len() {
            let above: FieldPath = path.iter().take(end).cloned().collect();
            let may_be_null = find(&above.join("."), root).is_some_and(|(_, field)| field.nullable);
            let is_set = known.iter().any(|(path, what)| {
                *path == above && matches!(what, Known::NonNull | Known::Eq(_))
            });
            if may_be_null && !is_set {
                faults.here(format!(
                    "`{text}` is below `{}`, which may be null here; add that to `set`, or leave `{text}` out.",
                    above.join(".")
                ));
            }
        }
    }
}
