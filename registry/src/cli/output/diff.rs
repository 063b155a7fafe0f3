//! A unified diff for people.

use super::{Out, safe, style};

impl Out {
    /// A unified diff, safe, and in colours where there are any.
    pub(in crate::cli) fn diff(self, unified: &str) -> String {
        let mut text = String::new();
        for line in unified.lines() {
            let line = safe::text(line.trim_end_matches('\r'));
            let style = match line.as_bytes().first() {
                _ if line.starts_with("+++") || line.starts_with("---") => Some(style::HEAD),
                Some(b'+') => Some(style::GOOD),
                Some(b'-') => Some(style::BAD),
                Some(b'@') => Some(style::PLACE),
                _ => None,
            };
            match style {
                Some(style) => text.push_str(&self.paint(style, &line)),
                None => text.push_str(&line),
            }
            text.push('\n');
        }
        text
    }
}
