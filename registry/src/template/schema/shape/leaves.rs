//! Texts, words and whole numbers.

use std::sync::Arc;

use super::super::document::Node;
use super::super::limits::{MAX_CHARACTERS, MAX_INT, MAX_WORDS};
use super::super::names::is_word;
use super::super::read::Reader;
use super::super::types::Type;

impl Reader<'_> {
    /// A text.
    pub(super) fn text(&mut self, node: &Node) -> Option<Type> {
        self.allow(node, &["type", "maxLength", "description", "examples"]);
        let max = self.most(node, "maxLength", MAX_CHARACTERS)?;
        Some(Type::Str { max })
    }

    /// One of a few words.
    pub(super) fn words(&mut self, node: &Node, nullable: bool) -> Option<Type> {
        self.allow(node, &["type", "enum", "description", "examples"]);
        let given = node.get("enum").and_then(Node::as_list).unwrap_or_default();
        let mut words: Vec<Arc<str>> = Vec::with_capacity(given.len());
        let mut null = false;
        let mut sound = true;
        self.faults.enter("enum");
        for (index, item) in given.iter().enumerate() {
            let place = index.to_string();
            match item {
                Node::Null if nullable && !null => null = true,
                Node::Text(word) if !is_word(word) => {
                    sound = false;
                    self.faults.below(
                        &place,
                        "A word is made of letters, digits, `-`, `_` and `.`, at most 64 of them, a letter or digit first.",
                    );
                }
                Node::Text(word) if words.iter().any(|known| **known == **word) => {
                    sound = false;
                    self.faults
                        .below(&place, format!("`{word}` is there twice."));
                }
                Node::Text(word) => words.push(Arc::from(word.as_str())),
                _ => {
                    sound = false;
                    self.faults.below(
                        &place,
                        "An enum has words, and null once where the type allows null.",
                    );
                }
            }
        }
        if nullable != null && sound {
            sound = false;
            self.faults
                .here("The type allows null, so that `null` must be among the values of the enum.");
        }
        if words.is_empty() && sound {
            sound = false;
            self.faults.here("`enum` is a list of one or more words.");
        }
        if given.len() > MAX_WORDS {
            sound = false;
            self.faults
                .here(format!("An enum has at most {MAX_WORDS} words."));
        }
        self.faults.leave();
        sound.then(|| Type::Enum {
            values: words.into(),
        })
    }

    /// A whole number.
    pub(super) fn whole_number(&mut self, node: &Node) -> Option<Type> {
        self.allow(
            node,
            &["type", "minimum", "maximum", "description", "examples"],
        );
        let min = self.bound(node, "minimum");
        let max = self.bound(node, "maximum");
        let (min, max) = (min?, max?);
        if min > max {
            self.faults
                .below("minimum", "`minimum` must not be above `maximum`.");
            return None;
        }
        Some(Type::Int { min, max })
    }

    fn bound(&mut self, node: &Node, key: &str) -> Option<i64> {
        let bound = node
            .get(key)
            .and_then(Node::as_int)
            .filter(|bound| (-MAX_INT..=MAX_INT).contains(bound));
        if bound.is_none() {
            self.faults.below(
                key,
                format!("Give `{key}`, a whole number from -{MAX_INT} to {MAX_INT}."),
            );
        }
        bound
    }

    /// A maximum, which everything has that can be long.
    pub(super) fn most(&mut self, node: &Node, key: &str, limit: i64) -> Option<usize> {
        let most = node
            .get(key)
            .and_then(Node::as_int)
            .filter(|most| (1..=limit).contains(most))
            .and_then(|most| usize::try_from(most).ok());
        if most.is_none() {
            self.faults.below(
                key,
                format!("Give `{key}`, a whole number from 1 to {limit}: what a template costs is worked out from it."),
            );
        }
        most
    }
}
