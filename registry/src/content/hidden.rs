//! What the source of a text shows and its rendering does not: comments.
//!
//! They are legitimate, and they are where instructions for a model hide from a human reviewer: they are reported,
//! never refused (design §9). Code blocks are not exempt, because finding their end is a question that renderers answer
//! differently.

use super::skill_md::Warning;

/// The most that are reported of one text.
const MOST: usize = 20;

/// Finds HTML comments and Markdown's way to write one, `[//]: # (…)`.
pub(super) fn find(text: &str, first_line: usize) -> Vec<Warning> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut line = first_line;
    while let Some(at) = rest.find("<!--") {
        let (before, comment) = rest.split_at_checked(at).unwrap_or((rest, ""));
        line = line.saturating_add(before.matches('\n').count());
        let end = comment.find("-->").map(|end| end.saturating_add(3));
        let detail = match end {
            Some(_) => {
                "An HTML comment does not show where Markdown is rendered, and a model reads it; look at it."
            }
            None => {
                "An HTML comment that is not closed hides the rest of the text where Markdown is rendered; close it with `-->`."
            }
        };
        found.push(Warning::at("html-comment", line, detail));
        let (inside, after) = comment
            .split_at_checked(end.unwrap_or(comment.len()))
            .unwrap_or((comment, ""));
        line = line.saturating_add(inside.matches('\n').count());
        rest = after;
    }
    for (index, text_line) in text.lines().enumerate() {
        if is_markdown_comment(text_line) {
            found.push(Warning::at(
                "markdown-comment",
                first_line.saturating_add(index),
                "A link definition that nothing links to does not show where Markdown is rendered, and a model reads it; look at it.",
            ));
        }
    }
    found.sort_by_key(|warning| warning.line);
    if found.len() > MOST {
        let more = found.len().saturating_sub(MOST);
        found.truncate(MOST);
        if let Some(last) = found.last_mut() {
            last.detail = format!("{} There are {more} more.", last.detail);
        }
    }
    found
}

/// Whether a line is a link definition to nowhere: `[//]: # (text)`, `[comment]: <> (text)`.
pub(super) fn is_markdown_comment(line: &str) -> bool {
    let Some((label, destination)) = line
        .trim_start()
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]:"))
    else {
        return false;
    };
    let destination = destination.trim_start();
    let destination = destination
        .split_once([' ', '\t'])
        .map_or(destination, |(target, _)| target);
    !label.starts_with('^') && matches!(destination, "#" | "<>" | "<#>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(&'static str, usize)> {
        find(text, 5)
            .into_iter()
            .map(|warning| (warning.code, warning.line.unwrap_or(0)))
            .collect()
    }

    #[test]
    fn comments_are_found_with_their_lines() {
        assert_eq!(
            lines("plain -- text <!- no -->\n[a]: https://x.example\n"),
            []
        );
        assert_eq!(
            lines("a\n<!-- one\ntwo -->\nb <!-- three --><!--->\n[//]: # (four)\n<!-- open\n"),
            [
                ("html-comment", 6),
                ("html-comment", 8),
                ("html-comment", 8),
                ("markdown-comment", 9),
                ("html-comment", 10),
            ]
        );
        assert_eq!(
            lines("```html\n<!-- shown -->\n```\n  [comment]: <> \"x\"\n[^1]: # note\n"),
            [("html-comment", 6), ("markdown-comment", 8)]
        );
    }

    #[test]
    fn many_are_counted() {
        let found = find(&"<!-- x -->\n".repeat(50), 1);
        assert_eq!(found.len(), MOST);
        assert!(found[MOST - 1].detail.ends_with("There are 30 more."));
    }
}
