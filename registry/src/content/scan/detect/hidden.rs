//! Comments: what the source of a text shows and its rendering does not.

use std::ops::Range;

use crate::content::hidden::is_markdown_comment;

/// Where comments are, HTML's and Markdown's.
pub(in crate::content::scan) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut from: usize = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("<!--")) {
        let start = from.saturating_add(at);
        let rest = text.get(start..).unwrap_or_default();
        let length = rest
            .find("-->")
            .map_or(rest.len(), |end| end.saturating_add(3));
        from = start.saturating_add(length);
        spans.push(start..from);
    }
    let mut start: usize = 0;
    for line in text.split_inclusive('\n') {
        if is_markdown_comment(line) {
            spans.push(start..start.saturating_add(line.trim_end().len()));
        }
        start = start.saturating_add(line.len());
    }
    spans.sort_by_key(|span| span.start);
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_found_also_without_an_end() {
        let text = "a <!-- b --> c\n[//]: # (d)\n<!-- e";
        let found: Vec<_> = spans(text)
            .into_iter()
            .map(|span| text.get(span).unwrap())
            .collect();
        assert_eq!(found, ["<!-- b -->", "[//]: # (d)", "<!-- e"]);
    }
}
