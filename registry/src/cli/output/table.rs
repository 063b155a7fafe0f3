//! Tables for people: aligned by what a terminal shows, every cell made safe.

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::{Out, safe, style};

/// The fewest columns that a cut last cell keeps.
const LEAST_LAST: usize = 20;

/// One cell.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Cell {
    text: String,
    style: Option<Style>,
}

impl Cell {
    /// A cell in a style.
    pub(in crate::cli) fn styled(text: &str, style: Style) -> Self {
        Self {
            style: Some(style),
            ..Self::from(text)
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self {
            text: safe::line(text).into_owned(),
            style: None,
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

/// A table that grows row by row.
#[derive(Debug)]
pub(in crate::cli) struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table with these columns.
    pub(in crate::cli) fn new(head: &[&'static str]) -> Self {
        Self {
            head: head.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(in crate::cli) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// The table as text, with nothing cut.
    pub(in crate::cli) fn render_whole(&self, out: Out) -> String {
        self.render(Out { width: None, ..out }, "")
    }

    /// The table as text; `empty` when it has no rows. On a terminal the last column is cut to its width.
    pub(in crate::cli) fn render(&self, out: Out, empty: &str) -> String {
        if self.rows.is_empty() {
            return format!("{empty}\n");
        }
        let widths = self.widths();
        let before_last: usize = widths.iter().rev().skip(1).map(|width| width + 2).sum();
        let room = out
            .width
            .map(|width| width.saturating_sub(before_last).max(LEAST_LAST));
        let mut text = String::new();
        let head = self
            .head
            .iter()
            .map(|title| Cell::styled(title, style::HEAD))
            .collect::<Vec<_>>();
        for row in std::iter::once(&head).chain(&self.rows) {
            let last = row.len().saturating_sub(1);
            for (index, cell) in row.iter().enumerate() {
                let shown = match room {
                    Some(room) if index == last => cut(&cell.text, room),
                    _ => cell.text.clone(),
                };
                let padding = widths
                    .get(index)
                    .copied()
                    .unwrap_or_default()
                    .saturating_sub(shown.width());
                match cell.style {
                    Some(style) => text.push_str(&out.paint(style, &shown)),
                    None => text.push_str(&shown),
                }
                if index < last {
                    text.extend(std::iter::repeat_n(' ', padding + 2));
                }
            }
            while text.ends_with(' ') {
                text.pop();
            }
            text.push('\n');
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.head.len())
            .map(|column| {
                self.rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| cell.text.width())
                    .chain(self.head.get(column).map(|title| title.width()))
                    .max()
                    .unwrap_or_default()
            })
            .collect()
    }
}

/// The beginning of a text that fits, with an ellipsis when that is not all.
fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        kept.push(character);
        if kept.width() >= room {
            kept.pop();
            break;
        }
    }
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::super::{ColorChoice, Out};
    use super::{Cell, Table, cut};

    #[test]
    fn columns_line_up_by_what_is_shown() {
        let mut table = Table::new(&["NAME", "NOTE"]);
        table.row(vec!["日本".into(), "wide\u{1b}".into()]);
        table.row(vec![Cell::from("a"), Cell::from("narrow")]);
        let out = Out::new(false, ColorChoice::Never);
        let text = table.render(out, "none");
        assert_eq!(text, "NAME  NOTE\n日本  wide\\u{1b}\na     narrow\n");
        assert_eq!(
            Table::new(&["A"]).render(out, "There are none."),
            "There are none.\n"
        );
    }

    #[test]
    fn a_cut_text_fits() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("日本語日本語", 6), "日本…");
    }
}
