//! Where the frontmatter of a SKILL.md is: between two lines of exactly three hyphens.

use super::SkillMdError;

/// The most bytes of frontmatter: what YAML is parsed is bounded, however long the instructions are.
pub(super) const MAX_FRONTMATTER: usize = 64 << 10;

/// The line of the file on which the frontmatter's text begins.
pub(super) const FIRST_LINE: usize = 2;

/// A SKILL.md, cut at its fences.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut<'a> {
    /// What is between the fences.
    pub(super) frontmatter: &'a str,
    /// Where the instructions begin, in bytes.
    pub(super) body_offset: usize,
}

/// What a line is to the frontmatter.
enum Line {
    /// A fence: three hyphens and nothing but spaces or tabs after them.
    Fence,
    /// What was probably meant as one, with what to do.
    NearFence(String),
    /// Anything else.
    Text,
}

/// Finds the frontmatter.
///
/// # Errors
/// When the file does not begin with a fence, or the fence is not closed.
pub(super) fn cut(text: &str) -> Result<Cut<'_>, SkillMdError> {
    if text.starts_with('\u{feff}') {
        return Err(SkillMdError::at(
            1,
            "the file begins with a byte order mark, which does not show; save it as UTF-8 without one",
        ));
    }
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    match kind_of(first) {
        Line::Fence => {}
        Line::NearFence(hint) => return Err(SkillMdError::at(1, hint)),
        Line::Text => return Err(SkillMdError::at(1, missing(text))),
    }
    let start = first.len();
    let mut end = start;
    for (index, line) in lines.enumerate() {
        match kind_of(line) {
            Line::Fence => {
                let frontmatter = text.get(start..end).unwrap_or_default();
                if frontmatter.len() > MAX_FRONTMATTER {
                    return Err(SkillMdError::at(
                        1,
                        format!(
                            "the frontmatter has more than {MAX_FRONTMATTER} bytes; move what is long to the text below it"
                        ),
                    ));
                }
                return Ok(Cut {
                    frontmatter,
                    body_offset: end.saturating_add(line.len()),
                });
            }
            Line::NearFence(hint) => {
                return Err(SkillMdError::at(index.saturating_add(FIRST_LINE), hint));
            }
            Line::Text => end = end.saturating_add(line.len()),
        }
    }
    Err(SkillMdError::at(
        1,
        "the frontmatter that begins here is not closed; write `---` on a line of its own after its last key",
    ))
}

/// Whether a text begins with a fence, so that it has or should have frontmatter.
pub(super) fn begins(text: &str) -> bool {
    let first = text.split_inclusive('\n').next().unwrap_or_default();
    matches!(kind_of(first), Line::Fence)
}

fn kind_of(line: &str) -> Line {
    let line = line.trim_end_matches(['\n', '\r']);
    let Some(rest) = line.strip_prefix("---") else {
        return if line.trim_end_matches([' ', '\t']) == "..." {
            Line::NearFence("`...` ends a YAML document; close the frontmatter with `---`".into())
        } else {
            Line::Text
        };
    };
    if rest.trim_matches([' ', '\t']).is_empty() {
        return Line::Fence;
    }
    let hyphens = line.trim_end_matches([' ', '\t']);
    if hyphens.bytes().all(|byte| byte == b'-') {
        return Line::NearFence(format!(
            "the fence has {} hyphens; write exactly three: `---`",
            hyphens.len()
        ));
    }
    Line::NearFence("there is text after `---`; write the fence on a line of its own".into())
}

fn missing(text: &str) -> String {
    let first_written = text.lines().find(|line| !line.trim().is_empty());
    if first_written.is_some_and(|line| line.starts_with("---")) {
        return "the frontmatter does not begin on the first line; remove what is before `---`"
            .into();
    }
    "there is no frontmatter; begin the file with `---`, then `name:` and `description:`, then `---`".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> (usize, String) {
        let SkillMdError { line, detail } = cut(text).unwrap_err();
        (line, detail)
    }

    #[test]
    fn the_fences_are_lines_of_three_hyphens() {
        let text = "---\nname: a\n---\n\nbody\n---\n";
        let found = cut(text).unwrap();
        assert_eq!(found.frontmatter, "name: a\n");
        assert_eq!(text.get(found.body_offset..), Some("\nbody\n---\n"));
        let text = "--- \t\r\nname: a\r\n---  \r\nbody";
        let found = cut(text).unwrap();
        assert_eq!(found.frontmatter, "name: a\r\n");
        assert_eq!(text.get(found.body_offset..), Some("body"));
        assert_eq!(cut("---\n---").unwrap().frontmatter, "");
    }

    #[test]
    fn what_is_no_fence_is_refused_with_the_line_and_what_to_write() {
        for (text, line, words) in [
            ("", 1, "no frontmatter"),
            ("# Title\n", 1, "no frontmatter"),
            ("\n---\nname: a\n---\n", 1, "first line"),
            ("\u{feff}---\nname: a\n---\n", 1, "byte order mark"),
            ("-----\nname: a\n-----\n", 1, "5 hyphens"),
            ("---\nname: a\n----\n", 3, "4 hyphens"),
            ("---yaml\nname: a\n---\n", 1, "line of its own"),
            ("---\nname: a\n--- # end\n", 3, "line of its own"),
            ("---\nname: a\n...\n", 3, "`...`"),
            ("---\nname: a\n\n# Title\n", 1, "not closed"),
            (" ---\nname: a\n---\n", 1, "no frontmatter"),
        ] {
            let (at, detail) = refused(text);
            assert_eq!(at, line, "{text:?}");
            assert!(detail.contains(words), "{text:?}: {detail}");
        }
        let long = format!("---\na: {}\n---\n", "x".repeat(MAX_FRONTMATTER));
        assert!(refused(&long).1.contains("bytes"));
    }
}
