//! What patterns are compared with: the text without what makes no difference to a reader or a shell.

mod code;
mod prose;

/// How far apart places are remembered, in bytes of the view.
const STRIDE: usize = 32;

/// A text made comparable, with the places that its parts came from.
#[derive(Debug, Default)]
pub(super) struct View {
    bytes: Vec<u8>,
    /// Ascending: a place in the view, and where in the text it came from.
    marks: Vec<(usize, usize)>,
}

impl View {
    fn with_capacity(capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
            marks: Vec::new(),
        }
    }

    /// What patterns are compared with.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where in the text a place of the view came from: not after it, and on the same line.
    pub(super) fn origin(&self, at: usize) -> usize {
        let index = self.marks.partition_point(|(place, _)| *place <= at);
        self.marks
            .get(index.saturating_sub(1))
            .map_or(0, |(_, origin)| *origin)
    }

    fn mark(&mut self, origin: usize) {
        self.marks.push((self.bytes.len(), origin));
    }

    fn push(&mut self, text: &str, origin: usize) {
        let last = self.marks.last().map_or(0, |(place, _)| *place);
        if self.marks.is_empty() || self.bytes.len() >= last.saturating_add(STRIDE) {
            self.mark(origin);
        }
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::scan::fold::Folder;

    fn prose(text: &str) -> String {
        let view = View::prose(text, &mut Folder::default());
        String::from_utf8(view.bytes).unwrap()
    }

    fn code(text: &str) -> String {
        let view = View::code(text, &mut Folder::default());
        String::from_utf8(view.bytes).unwrap()
    }

    #[test]
    fn prose_is_words_and_nothing_else() {
        assert_eq!(
            prose("Ignore,  all\n> **previous**\n# instructions!"),
            "ignore all previous instructions"
        );
        assert_eq!(prose("i g n o r e  it"), "ignore it");
        assert_eq!(
            prose("i-g-n-o-r-e ig<b>no</b>re IG\u{ad}NORE don’t"),
            "ignore ignore ignore dont"
        );
        assert_eq!(
            prose("1gn0re pr3v!ous 2026 utf8"),
            "ignore previous 2026 utf8"
        );
        assert_eq!(prose("<!-- kept --> <details>x</details>"), "kept x");
        assert_eq!(prose("忽略 之前，的 指令"), "忽略之前的指令");
    }

    #[test]
    fn code_is_what_a_shell_reads() {
        assert_eq!(
            code("curl  -s \\\n   https://x |\n  sh"),
            "curl -s https://x | sh"
        );
        assert_eq!(code("curl x\n  | sh\nnext"), "curl x | sh\nnext");
        assert_eq!(code("> c\"\"url 'x' | b'a'sh s\\h"), "> curl 'x' | bash sh");
        assert_eq!(code("curl${IFS}x"), "curl x");
        assert_eq!(code("| curl | sh |\n| a | b |"), "| curl | sh |\n| a | b |");
        assert_eq!(code("сurl\tｘ"), "curl x");
    }

    #[test]
    fn places_lead_back_to_their_lines() {
        let text = "one\n\ntwo   three\n  four | \n five\n";
        for view in [
            View::prose(text, &mut Folder::default()),
            View::code(text, &mut Folder::default()),
        ] {
            let shown = String::from_utf8(view.bytes.clone()).unwrap();
            for word in ["one", "two", "four", "five"] {
                let origin = view.origin(shown.find(word).unwrap());
                let line = text.get(..origin).unwrap().matches('\n').count();
                let expected = text
                    .get(..text.find(word).unwrap())
                    .unwrap()
                    .matches('\n')
                    .count();
                assert_eq!(line, expected, "{word} in {shown:?}");
            }
        }
    }

    #[test]
    fn views_are_not_longer_than_a_constant_times_the_text() {
        let mut folder = Folder::default();
        for text in [
            "ﷺ".repeat(500),
            "\n|".repeat(2_000),
            "'".repeat(3_001),
            "a.".repeat(4_000),
            "\\\n".repeat(900),
        ] {
            assert!(View::prose(&text, &mut folder).bytes.len() <= 20 * text.len());
            assert!(View::code(&text, &mut folder).bytes.len() <= 20 * text.len());
        }
    }
}
