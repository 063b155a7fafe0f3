//! The form of the rules, and what makes them valid.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Deserialize;

use super::detect::Detector;
use super::finding::Severity;
use super::pattern::Words;

/// The most rules, those of an operator included.
const MAX_RULES: usize = 500;
/// The most bytes of an operator's file.
const MAX_FILE: usize = 1 << 20;

/// Why rules are not taken, in one sentence that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RulesError(pub(super) String);

/// What a rule is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    /// Words, without case, punctuation and look-alikes.
    Prose,
    /// The same, in comments only.
    Comment,
    /// Commands, as a shell reads them.
    Code,
    /// The text as it is.
    Text,
    /// The text as it is; what matches is a secret, and is masked.
    Secret,
    /// The hosts of addresses, with what follows them.
    Host,
    /// Code; the id says which.
    Detector,
}

/// A rule as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleData {
    pub(super) id: String,
    pub(super) severity: Severity,
    pub(super) kind: Kind,
    pub(super) message: String,
    #[serde(default)]
    pub(super) patterns: Vec<String>,
    #[serde(default)]
    pub(super) phrases: Vec<String>,
    #[serde(default)]
    pub(super) hosts: Vec<String>,
    /// For secrets: the least entropy, in bits a byte.
    #[serde(default)]
    pub(super) min_entropy: f64,
    /// For secrets: whether letters and digits must be there.
    #[serde(default)]
    pub(super) mixed: bool,
}

/// A change of a built-in rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Change {
    id: String,
    severity: Option<Severity>,
    enabled: Option<bool>,
}

/// A file of rules.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    words: Words,
    #[serde(default, rename = "rule")]
    rules: Vec<RuleData>,
    #[serde(default, rename = "change")]
    changes: Vec<Change>,
}

/// The rules that are in force.
#[derive(Debug, Clone)]
pub(super) struct RuleSet {
    pub(super) words: Words,
    pub(super) rules: Vec<RuleData>,
}

/// What is said of a rule where it has hit.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) id: Arc<str>,
    pub(super) severity: Severity,
    pub(super) message: String,
}

const BUILT_IN: &str = include_str!("rules.toml");

impl RuleSet {
    /// The built-in rules.
    pub(super) fn built_in() -> Result<Self, RulesError> {
        let File { words, rules, .. } = parse(BUILT_IN)?;
        let set = Self { words, rules };
        set.check()?;
        for detector in Detector::ALL {
            let is_there = set
                .rules
                .iter()
                .any(|rule| rule.kind == Kind::Detector && rule.id == detector.id());
            if !is_there {
                return Err(RulesError(format!("there is no rule `{}`", detector.id())));
            }
        }
        Ok(set)
    }

    /// The built-in rules with an operator's additions and changes.
    pub(super) fn extended(text: &str) -> Result<Self, RulesError> {
        if text.len() > MAX_FILE {
            return Err(RulesError(format!(
                "the file has more than {MAX_FILE} bytes; write fewer rules"
            )));
        }
        let mut set = Self::built_in()?;
        // Also one that is switched off keeps its id, so that a finding means one thing.
        let built_in: BTreeSet<String> = set.rules.iter().map(|rule| rule.id.clone()).collect();
        let File {
            words,
            rules,
            changes,
        } = parse(text)?;
        for (name, value) in words {
            if set.words.contains_key(&name) {
                return Err(RulesError(format!(
                    "the word `{name}` is one of Vestry's; name yours otherwise"
                )));
            }
            set.words.insert(name, value);
        }
        let mut changed = BTreeSet::new();
        for Change {
            id,
            severity,
            enabled,
        } in changes
        {
            if !changed.insert(id.clone()) {
                return Err(RulesError(format!(
                    "the rule `{id}` is changed twice; change it once"
                )));
            }
            let Some(at) = set.rules.iter().position(|rule| rule.id == id) else {
                return Err(RulesError(format!(
                    "there is no rule `{id}` to change; docs/scanner.md lists them"
                )));
            };
            match (severity, enabled) {
                (None, None) => {
                    return Err(RulesError(format!(
                        "the change of `{id}` changes nothing; give it `severity` or `enabled`"
                    )));
                }
                (_, Some(false)) => {
                    set.rules.remove(at);
                }
                (severity, _) => {
                    if let (Some(rule), Some(severity)) = (set.rules.get_mut(at), severity) {
                        rule.severity = severity;
                    }
                }
            }
        }
        for rule in rules {
            if rule.kind == Kind::Detector {
                return Err(RulesError(format!(
                    "the rule `{}` is of kind `detector`, which are built in; choose another kind",
                    rule.id
                )));
            }
            if built_in.contains(&rule.id) {
                return Err(RulesError(format!(
                    "the rule `{}` is built in; change it with [[change]], or name yours otherwise",
                    rule.id
                )));
            }
            set.rules.push(rule);
        }
        set.check()?;
        Ok(set)
    }

    fn check(&self) -> Result<(), RulesError> {
        if self.rules.len() > MAX_RULES {
            return Err(RulesError(format!(
                "there are more than {MAX_RULES} rules; write fewer"
            )));
        }
        let mut ids = BTreeMap::new();
        for rule in &self.rules {
            rule.check()
                .map_err(|reason| RulesError(format!("the rule `{}`: {reason}", rule.id)))?;
            if ids.insert(rule.id.as_str(), ()).is_some() {
                return Err(RulesError(format!(
                    "there are two rules `{}`; name one of them otherwise",
                    rule.id
                )));
            }
        }
        Ok(())
    }
}

impl RuleData {
    fn check(&self) -> Result<(), String> {
        let is_id = !self.id.is_empty()
            && self.id.len() <= 64
            && self.id.split('-').all(|part| {
                !part.is_empty()
                    && part
                        .bytes()
                        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            });
        if !is_id {
            return Err(
                "an id is 1 to 64 lower-case letters and digits with single hyphens between"
                    .to_owned(),
            );
        }
        if self.message.trim().is_empty() || self.message.chars().count() > 300 {
            return Err("a message has 1 to 300 characters; say what the finding means".to_owned());
        }
        let has = |list: &[String]| !list.is_empty();
        let (patterns, phrases, hosts) =
            (has(&self.patterns), has(&self.phrases), has(&self.hosts));
        let is_right = match self.kind {
            Kind::Prose => (patterns || phrases) && !hosts,
            Kind::Comment | Kind::Code | Kind::Text | Kind::Secret => {
                patterns && !phrases && !hosts
            }
            Kind::Host => hosts && !patterns && !phrases,
            Kind::Detector => !patterns && !phrases && !hosts,
        };
        if !is_right {
            return Err(
                "prose has `patterns` or `phrases`; comment, code, text and secret have `patterns`; host has `hosts`"
                    .to_owned(),
            );
        }
        if (self.mixed || self.min_entropy != 0.0) && self.kind != Kind::Secret {
            return Err("only secrets have `min_entropy` and `mixed`".to_owned());
        }
        if !(0.0..=8.0).contains(&self.min_entropy) {
            return Err("`min_entropy` is 0 to 8 bits a byte".to_owned());
        }
        if let Some(host) = self.hosts.iter().find(|host| {
            host.is_empty() || **host != host.to_ascii_lowercase() || host.contains("://")
        }) {
            return Err(format!(
                "`{host}` is no host; write it in lower case and without `https://`"
            ));
        }
        Ok(())
    }
}

fn parse(text: &str) -> Result<File, RulesError> {
    toml::from_str(text)
        .map_err(|error| RulesError(error.to_string().trim_end().replace('\n', " ")))
}
