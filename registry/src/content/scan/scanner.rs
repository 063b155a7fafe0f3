//! The rules, compiled.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use super::detect::Detector;
use super::finding::{Findings, Severity};
use super::fold::Folder;
use super::matcher::Matcher;
use super::pass::Scan;
use super::pattern::{Reading, compile, of_phrase};
use super::rules::{Kind, Named, RuleData, RuleSet, RulesError};
use crate::content::PreparedSkill;

/// The rules, compiled. Made once, used for every skill.
#[derive(Debug)]
pub struct Scanner {
    pub(super) rules: Vec<Named>,
    pub(super) prose: Matcher,
    pub(super) comments: Matcher,
    pub(super) code: Matcher,
    pub(super) text: Matcher,
    pub(super) secrets: Matcher,
    /// What makes a match of a rule's patterns a secret.
    pub(super) limits: BTreeMap<usize, SecretLimits>,
    pub(super) hosts: Vec<(String, usize)>,
    detectors: Vec<(Detector, usize)>,
}

/// What a secret has to have.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SecretLimits {
    pub(super) min_entropy: f64,
    pub(super) mixed: bool,
}

impl Scanner {
    /// The built-in rules. They are compiled once in a process.
    ///
    /// # Errors
    /// None, as long as the tests pass: the rules are part of the program.
    pub fn built_in() -> Result<Arc<Self>, RulesError> {
        static BUILT_IN: LazyLock<Result<Arc<Scanner>, RulesError>> =
            LazyLock::new(|| Scanner::compile(RuleSet::built_in()?).map(Arc::new));
        BUILT_IN.clone()
    }

    /// The built-in rules with those of an operator's file, which is TOML.
    ///
    /// # Errors
    /// One sentence that says what is wrong with the file.
    pub fn extended(text: &str) -> Result<Arc<Self>, RulesError> {
        Self::compile(RuleSet::extended(text)?).map(Arc::new)
    }

    fn compile(RuleSet { words, rules }: RuleSet) -> Result<Self, RulesError> {
        let mut folder = Folder::default();
        let mut scanner = Self {
            rules: Vec::with_capacity(rules.len()),
            prose: Matcher::default(),
            comments: Matcher::default(),
            code: Matcher::default(),
            text: Matcher::default(),
            secrets: Matcher::default(),
            limits: BTreeMap::new(),
            hosts: Vec::new(),
            detectors: Vec::new(),
        };
        for (index, data) in rules.into_iter().enumerate() {
            let failed = |reason: String| RulesError(format!("the rule `{}`: {reason}", data.id));
            let mut sources = data.patterns.clone();
            for phrase in &data.phrases {
                sources.push(of_phrase(phrase, &mut folder).map_err(failed)?);
            }
            let reading = match data.kind {
                Kind::Prose | Kind::Comment => Reading::Words,
                _ => Reading::Plain,
            };
            let patterns = sources
                .iter()
                .map(|source| compile(source, &words, reading, &mut folder))
                .collect::<Result<Vec<_>, _>>()
                .map_err(failed)?;
            let matcher = match data.kind {
                Kind::Prose => Some(&mut scanner.prose),
                Kind::Comment => Some(&mut scanner.comments),
                Kind::Code => Some(&mut scanner.code),
                Kind::Text => Some(&mut scanner.text),
                Kind::Secret => Some(&mut scanner.secrets),
                Kind::Host | Kind::Detector => None,
            };
            if let Some(matcher) = matcher {
                matcher.add(index, patterns);
            }
            let limits = SecretLimits {
                min_entropy: data.min_entropy,
                mixed: data.mixed,
            };
            scanner.limits.insert(index, limits);
            let RuleData {
                id,
                severity,
                message,
                hosts,
                ..
            } = data;
            if let Some(detector) = Detector::named(&id) {
                scanner.detectors.push((detector, index));
            }
            scanner
                .hosts
                .extend(hosts.into_iter().map(|host| (host, index)));
            scanner.rules.push(Named {
                id: id.into(),
                severity,
                message,
            });
        }
        for matcher in [
            &mut scanner.prose,
            &mut scanner.comments,
            &mut scanner.code,
            &mut scanner.text,
            &mut scanner.secrets,
        ] {
            matcher.finish().map_err(RulesError)?;
        }
        Ok(scanner)
    }

    /// The ids of the rules in force, with their severities.
    pub fn rules(&self) -> impl Iterator<Item = (&str, Severity)> {
        self.rules
            .iter()
            .map(|rule| (rule.id.as_ref(), rule.severity))
    }

    /// Scans a skill with its files. `previous` is the frontmatter of the revision before, where there is one.
    #[must_use]
    pub fn skill<'a>(
        self: &Arc<Self>,
        skill: &PreparedSkill,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        previous: Option<&Map<String, Value>>,
    ) -> Findings {
        let mut scan = Scan::new(Arc::clone(self));
        scan.prepared(skill, previous);
        for (path, bytes) in files {
            scan.file(path, bytes);
        }
        scan.finish()
    }

    /// The rule of a detector; none where it is switched off.
    pub(super) fn detector(&self, detector: Detector) -> Option<usize> {
        self.detectors
            .iter()
            .find(|(known, _)| *known == detector)
            .map(|(_, rule)| *rule)
    }
}
