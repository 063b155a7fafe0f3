//! The frontmatter of a prompt template: which workflows, repositories and roles it is for.
//!
//! What cannot be read is refused with its line, and never taken for a template without restrictions: a key that nobody knows is
//! more likely a selector that was written wrongly than something of the author's own.

use std::collections::BTreeSet;
use std::fmt::Display;

use serde_json::Value;
use vestry_policies::prompt::{PromptRole, Repository, Selectors, WorkflowName, is_blank};

use super::yaml::{self, Kind, Node};
use super::{SkillMdError, fence};
use crate::content::check_text;

/// The mark that some editors begin UTF-8 with.
const BYTE_ORDER_MARK: char = '\u{feff}';
/// The most values of one selector.
const MAX_VALUES: usize = 200;
/// What the frontmatter of a prompt template may have beside selectors.
const OTHERS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];
/// What was probably meant by keys that are none.
const MEANT: [(&str, &str); 9] = [
    ("repo", "repos"),
    ("repository", "repos"),
    ("repositories", "repos"),
    ("workflow", "workflows"),
    ("role", "fields"),
    ("roles", "fields"),
    ("filed", "fields"),
    ("fileds", "fields"),
    ("reops", "repos"),
];

/// How the keys of selectors are written, and are written wrongly.
const KEYS_AS_WRITTEN: [&str; 8] = [
    "workflows",
    "workflow",
    "repos",
    "repo",
    "repository",
    "repositories",
    "fields",
    "field",
];

/// A prompt template as a file has it, frontmatter being optional.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptFile<'a> {
    /// What it is for.
    pub(crate) selectors: Selectors,
    /// The frontmatter, without its fences; none where there is none.
    pub(crate) frontmatter: Option<&'a str>,
    /// The template: what is below the frontmatter.
    pub(crate) template: &'a str,
}

impl<'a> PromptFile<'a> {
    /// Reads a file. A byte order mark is left out.
    ///
    /// # Errors
    /// What cannot be read, with its line; a template that is blank.
    pub(crate) fn read(text: &'a str) -> Result<Self, SkillMdError> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let first_written = text.lines().find(|line| !line.trim().is_empty());
        // What looks like a fence is meant as one: to take it for text would take its restrictions away.
        let has_frontmatter =
            first_written.is_some_and(|line| line.trim_start().starts_with("---"));
        let file = if has_frontmatter {
            let cut = fence::cut(text)?;
            Self {
                selectors: selectors(cut.frontmatter)?,
                frontmatter: Some(cut.frontmatter),
                template: text.get(cut.body_offset..).unwrap_or_default(),
            }
        } else {
            Self {
                selectors: Selectors::default(),
                frontmatter: None,
                template: text,
            }
        };
        if is_blank(file.template) {
            return Err(SkillMdError::at(
                text.lines().count().max(1),
                "the template is blank; write the prompt below the frontmatter",
            ));
        }
        if file.selectors == Selectors::default()
            && let Some(at) = misplaced_selector(file.template)
        {
            let above = text.len().saturating_sub(file.template.len());
            let above = text.get(..above).unwrap_or_default();
            return Err(SkillMdError::at(
                above.lines().count().saturating_add(at),
                "this looks like frontmatter and stands where none is read; begin the file with `---` on its first line",
            ));
        }
        Ok(file)
    }
}

/// Reads the selectors of a frontmatter, without its fences.
///
/// # Errors
/// What cannot be read, with its line in the file.
pub(crate) fn selectors(frontmatter: &str) -> Result<Selectors, SkillMdError> {
    // A line break that only some readers know would end a comment for them, and not here.
    check_text(frontmatter).map_err(|error| {
        SkillMdError::at(
            error
                .line()
                .saturating_add(fence::FIRST_LINE)
                .saturating_sub(1),
            error.reason(),
        )
    })?;
    let mut found = Selectors::default();
    let is_empty = frontmatter
        .split('\n')
        .map(|line| line.trim_matches([' ', '\t', '\r']))
        .all(|line| line.is_empty() || line.starts_with('#'));
    if is_empty {
        return Ok(found);
    }
    let mut field_key = None;
    for (key, node) in yaml::read(frontmatter)? {
        let line = line_of_key(frontmatter, &key).unwrap_or(node.line);
        match key.as_str() {
            "workflows" => {
                found.workflows = Some(values(&key, line, &node, WorkflowName::parse)?);
            }
            "repos" => found.repositories = Some(values(&key, line, &node, Repository::parse)?),
            "field" | "fields" => {
                if let Some(other) = field_key.replace(key.clone()) {
                    return Err(SkillMdError::at(
                        line,
                        format!("`{other}` and `{key}` are the same; keep one"),
                    ));
                }
                found.roles = Some(values(&key, line, &node, PromptRole::parse)?);
            }
            "metadata" => refuse_template(&node)?,
            key if OTHERS.contains(&key) => {}
            key => return Err(unknown(key, line)),
        }
    }
    Ok(found)
}

/// The first lines of a template, blank ones apart, in which a selector is looked for that was meant as frontmatter.
const HEAD: usize = 10;

/// The line of a template, from 1, that was meant as a selector: what is for one repository only must not be for every one because
/// a fence was written wrongly. It is the first line or the second, or there is something like a fence beside it.
fn misplaced_selector(template: &str) -> Option<usize> {
    let head: Vec<(usize, &str)> = template
        .lines()
        .map(str::trim)
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .take(HEAD)
        .collect();
    let place = head.iter().position(|(_, line)| is_selector_like(line))?;
    let is_meant = place < 2 || head.iter().any(|(_, line)| is_rule_like(line));
    let (at, _) = head.get(place)?;
    is_meant.then(|| at.saturating_add(1))
}

fn is_selector_like(line: &str) -> bool {
    const QUOTES: [char; 2] = ['"', '\''];
    let Some((key, _)) = line.split_once(':') else {
        return false;
    };
    let key = key.trim_end_matches([' ', '\t']);
    let key = key.strip_prefix(QUOTES).unwrap_or(key);
    let key = key.strip_suffix(QUOTES).unwrap_or(key);
    KEYS_AS_WRITTEN.contains(&key)
}

/// Two or more hyphens, plus signs or dashes.
fn is_rule_like(line: &str) -> bool {
    line.chars().count() > 1
        && line.chars().all(|c| {
            matches!(
                c,
                '-' | '+' | '\u{2010}'
                    ..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
            )
        })
}

/// The values of a selector: a text, or a list of texts that is not empty.
fn values<T: Ord, E: Display>(
    key: &str,
    line: usize,
    node: &Node,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<BTreeSet<T>, SkillMdError> {
    let items = match &node.kind {
        Kind::List { items, .. } => items.as_slice(),
        Kind::Scalar { .. } => std::slice::from_ref(node),
        Kind::Map { .. } => return Err(wrong_type(key, line)),
    };
    if items.is_empty() {
        return Err(SkillMdError::at(
            line,
            format!(
                "`{key}` is an empty list; name at least one, or leave `{key}` out to have no restriction"
            ),
        ));
    }
    if items.len() > MAX_VALUES {
        return Err(SkillMdError::at(
            line,
            format!("`{key}` has more than {MAX_VALUES} values; write fewer, or several templates"),
        ));
    }
    let mut found = BTreeSet::new();
    for item in items {
        let line = if std::ptr::eq(item, node) {
            line
        } else {
            item.line
        };
        // Without quotes `1`, `true` and nothing at all are no texts.
        let Value::String(text) = item.to_json() else {
            return Err(wrong_type(key, line));
        };
        let value = parse(&text)
            .map_err(|error| SkillMdError::at(line, format!("`{key}` is refused: {error}")))?;
        found.insert(value);
    }
    Ok(found)
}

fn wrong_type(key: &str, line: usize) -> SkillMdError {
    SkillMdError::at(
        line,
        format!(
            "`{key}` is neither a text nor a list of texts; write `{key}: [\"…\"]`, or one `- …` a line below it"
        ),
    )
}

/// Placeholders are all that a prompt template has.
fn refuse_template(metadata: &Node) -> Result<(), SkillMdError> {
    let Kind::Map { entries, .. } = &metadata.kind else {
        return Ok(());
    };
    for (key, value) in entries {
        let refused = match (key.as_str(), value.text()) {
            ("templated", Some("true")) => {
                "a prompt template has `{{key}}` placeholders and is rendered by whoever runs the workflow; leave `metadata.templated` out"
            }
            ("mode", Some("ambient")) => {
                "a prompt template is asked for by name and is in no opening; leave `metadata.mode` out"
            }
            _ => continue,
        };
        return Err(SkillMdError::at(value.line, refused));
    }
    Ok(())
}

fn unknown(key: &str, line: usize) -> SkillMdError {
    let lower = key.to_ascii_lowercase();
    let known = ["workflows", "repos", "fields", "field"];
    let meant = known.into_iter().find(|known| *known == lower).or_else(|| {
        let found = MEANT.into_iter().find(|(wrong, _)| *wrong == lower);
        found.map(|(_, meant)| meant)
    });
    let hint = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "write `workflows`, `repos` or `fields`, and keys of your own below `metadata`"
            .to_owned(),
    };
    SkillMdError::at(
        line,
        format!("the key `{key}` is none of a prompt template; {hint}"),
    )
}

/// The line of the file on which a key of the outermost map is written.
fn line_of_key(frontmatter: &str, key: &str) -> Option<usize> {
    let at = frontmatter.lines().position(|line| {
        let line = line.trim_start_matches(['"', '\'']);
        line.strip_prefix(key).is_some_and(|rest| {
            rest.trim_start_matches(['"', '\''])
                .trim_start()
                .starts_with(':')
        })
    })?;
    at.checked_add(fence::FIRST_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> PromptFile<'_> {
        PromptFile::read(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    fn names<T: Display>(set: &Option<BTreeSet<T>>) -> Vec<String> {
        set.iter().flatten().map(ToString::to_string).collect()
    }

    /// Issue 8, A.3: YAML lists, a byte order mark and CRLF work.
    #[test]
    fn selectors_are_texts_and_lists_of_texts() {
        for text in [
            "---\nworkflows: [bugfix, release]\nrepos: [\"https://github.com/Acme/App.git\"]\nfields: [review, fix]\n---\nHi {{a}}\n",
            "---\r\nworkflows:\r\n  - bugfix\r\n  - release\r\nrepos:\r\n  - git@github.com:acme/app\r\nfields:\r\n- reviewPromptTemplate\r\n- fix\r\n---\r\nHi {{a}}\n",
            "\u{feff}---\nworkflows:\n- 'bugfix'\n- \"release\" # both\nrepos: github.com/acme/app\nfield:\n- fix\n- review\nname: x\ndescription: y\n---\nHi {{a}}\n",
        ] {
            let file = read(text);
            assert_eq!(names(&file.selectors.workflows), ["bugfix", "release"]);
            assert_eq!(names(&file.selectors.repositories), ["github.com/acme/app"]);
            assert_eq!(names(&file.selectors.roles), ["fix", "review"]);
            assert_eq!(file.template, "Hi {{a}}\n");
        }
        for text in [
            "Hi\n",
            "\u{feff}Hi\n",
            "---\n---\nHi\n",
            "---\n# nothing\n\n---\nHi\n",
        ] {
            let file = read(text);
            assert_eq!(file.selectors, Selectors::default());
            assert_eq!(file.template, "Hi\n");
        }
        assert_eq!(
            names(&read("---\nfield: plan\n---\nx").selectors.roles),
            ["plan"]
        );
    }

    #[test]
    fn a_text_with_a_rule_or_a_list_of_fields_is_a_text() {
        for text in [
            "Review.\n\n- a\n---\nmore: yes\n",
            "Answer with an object.\nIt has these\nfields:\n- a\n",
            "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\nrepos: x\n---\n",
            "The fields: a, b\n---\n",
            "Fields: a\n---\n",
            "---\nfields: [review]\n---\nfields: a\n",
        ] {
            read(text);
        }
    }

    /// Issue 8, A.3: anything unreadable fails closed, with its line.
    #[test]
    fn what_cannot_be_read_is_refused_with_its_line() {
        for (text, line, words) in [
            ("---\nrepos: [github.com/a/b]\nHi\n", 1, "not closed"),
            (
                "---\nworkflows: [a]\nrepo: github.com/a/b\n---\nx",
                3,
                "did you mean `repos`?",
            ),
            (
                "---\nRepos: [github.com/a/b]\n---\nx",
                2,
                "did you mean `repos`?",
            ),
            ("---\nrole: review\n---\nx", 2, "did you mean `fields`?"),
            ("---\ntags:\n- a\n---\nx", 2, "below `metadata`"),
            ("---\nrepos:\n---\nx", 2, "neither a text nor a list"),
            ("---\nrepos: ~\n---\nx", 2, "neither a text nor a list"),
            ("---\nrepos: 3\n---\nx", 2, "neither a text nor a list"),
            ("---\nrepos: true\n---\nx", 2, "neither a text nor a list"),
            (
                "---\nrepos: {host: a}\n---\nx",
                2,
                "neither a text nor a list",
            ),
            (
                "---\nfields:\n  review: true\n---\nx",
                2,
                "neither a text nor a list",
            ),
            (
                "---\nrepos:\n- github.com/a/b\n- 7\n---\nx",
                4,
                "neither a text nor a list",
            ),
            (
                "---\nrepos: [[github.com/a/b]]\n---\nx",
                2,
                "neither a text nor a list",
            ),
            ("---\nrepos: []\n---\nx", 2, "empty list"),
            (
                "---\nrepos:\n- github.com/a/b\n- a/b\n---\nx",
                4,
                "with its host",
            ),
            ("---\nrepos: \"*\"\n---\nx", 2, "refused"),
            ("---\nrepos: \"\"\n---\nx", 2, "refused"),
            ("---\nworkflows: a, b\n---\nx", 2, "commas"),
            ("---\nfields: [\"a b\"]\n---\nx", 2, "role"),
            ("---\nfields: [a]\nfield: b\n---\nx", 3, "keep one"),
            (
                "---\nrepos: [github.com/a/b]\nrepos: [github.com/c/d]\n---\nx",
                3,
                "twice",
            ),
            ("---\nrepos: [github.com/a/b\n---\nx", 2, "YAML"),
            ("---\n- repos\n---\nx", 2, ""),
            ("----\nrepos: [github.com/a/b]\n----\nx", 1, "hyphens"),
            ("\n---\nrepos: [github.com/a/b]\n---\nx", 1, "first line"),
            (" ---\nrepos: [github.com/a/b]\n---\nx", 1, ""),
            (
                "---\nmetadata:\n  templated: \"true\"\n---\nx",
                3,
                "placeholders",
            ),
            ("---\nmetadata: {mode: ambient}\n---\nx", 2, "opening"),
            ("---\nfields: [a]\n---\n \n\t\n", 5, "blank"),
            ("", 1, "blank"),
            // A fence that is no fence takes no restriction away.
            ("repos: github.com/a/b\n---\nx", 1, "looks like"),
            ("--\nrepos: github.com/a/b\n--\nx", 2, "looks like"),
            ("+++\nrepos = []\nfields: [a]\n+++\nx", 3, "looks like"),
            (
                "\u{2014}-\n'repo' : github.com/a/b\n\u{2014}-\nx",
                2,
                "looks like",
            ),
            ("<!-- x -->\n\n---\nworkflows: [a]\n---\nx", 4, "looks like"),
            (
                "---\n---\n---\nrepos: github.com/a/b\n---\nx",
                4,
                "looks like",
            ),
            ("---\nname: x\n---\n\nfields: [a]\n\nx", 5, "looks like"),
            (
                "\u{a0}\n---\nrepos: [github.com/a/b]\n---\nx",
                1,
                "first line",
            ),
            ("\u{3000}---\nrepos: [github.com/a/b]\n---\nx", 1, ""),
            // Line breaks that not everybody knows, in what looks like a comment.
            ("---\n# a\rrepos: github.com/a/b\n---\nx", 2, "U+000D"),
            ("---\n# a\u{2028}repos: github.com/a/b\n---\nx", 2, "U+2028"),
            (
                "---\n#\n# a\u{85}repos: github.com/a/b\n---\nx",
                3,
                "U+0085",
            ),
            ("---\n\u{c}\n---\nx", 2, "U+000C"),
            ("---\n\u{a0}\n---\nx", 2, ""),
        ] {
            let error = PromptFile::read(text).expect_err(text);
            assert_eq!(error.line, line, "{text:?}: {error}");
            assert!(error.detail.contains(words), "{text:?}: {error}");
        }
    }
}
