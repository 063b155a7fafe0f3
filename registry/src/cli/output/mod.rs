//! What a command prints: results to standard output, everything else to standard error.
//!
//! Texts of the server are not trusted: what is printed for people goes through [`safe`] first, so that no skill
//! moves the cursor. Only `--json` (which escapes by itself) and bytes that go to no terminal are left as they are.

mod color;
mod diff;
pub(super) mod safe;
mod table;
pub(super) mod value;

use std::io::{ErrorKind, IsTerminal as _, Write as _};

use serde_json::Value;
use unicode_width::UnicodeWidthStr as _;

pub(super) use color::{ColorChoice, style};
pub(super) use table::{Cell, Table};

use super::failure::{Failure, Outcome};

/// Where and how to print.
#[derive(Debug, Clone, Copy)]
pub(super) struct Out {
    is_json: bool,
    has_color: bool,
    is_terminal: bool,
    width: Option<usize>,
}

impl Out {
    /// As the options and the terminal have it.
    pub(super) fn new(is_json: bool, color: ColorChoice) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let width = console::Term::stdout()
            .size_checked()
            .map(|(_, columns)| usize::from(columns));
        Self {
            is_json,
            has_color: color.applies_to(is_terminal),
            is_terminal,
            width: width.filter(|_| is_terminal),
        }
    }

    /// Whether `--json` was given.
    pub(super) fn is_json(self) -> bool {
        self.is_json
    }

    /// Prints `answer` with `--json`, and what `human` makes of it without.
    pub(super) fn either(self, answer: &Value, human: impl FnOnce() -> String) -> Outcome {
        if self.is_json {
            self.json(answer)
        } else {
            self.text(&human())
        }
    }

    /// Prints a JSON document.
    pub(super) fn json(self, value: &Value) -> Outcome {
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        self.bytes(text.as_bytes())
    }

    /// Prints a text as it is, which has been made safe; a line break is added when it has none at its end.
    pub(super) fn text(self, text: &str) -> Outcome {
        if text.is_empty() || text.ends_with('\n') {
            self.bytes(text.as_bytes())
        } else {
            self.bytes(format!("{text}\n").as_bytes())
        }
    }

    /// Prints content of the server: byte for byte where no terminal reads it, escaped where one does.
    pub(super) fn content(self, bytes: &[u8]) -> Outcome {
        if !self.is_terminal {
            return self.bytes(bytes);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.text(&safe::text(text)),
            Err(_) => Err(Failure::new(
                "this is no text, so it is not printed on a terminal; send the output to a file",
            )),
        }
    }

    /// Prints a secret that it is this command's job to print, or anything else that a script takes as it is.
    pub(super) fn bytes(self, bytes: &[u8]) -> Outcome {
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::Unread),
            Err(error) => Err(Failure::new(format!(
                "cannot write to standard output: {error}"
            ))),
        }
    }

    /// Says something beside the results, on standard error.
    #[expect(clippy::unused_self, reason = "every way to print is a method of this")]
    pub(super) fn note(self, text: impl std::fmt::Display) {
        // Whoever closed standard error does not want to know.
        let _ = writeln!(std::io::stderr(), "{}", safe::line(&text.to_string()));
    }

    /// Names and values, one a line, those without a value left out.
    pub(super) fn fields(self, fields: &[(&str, String)], name: anstyle::Style) -> String {
        let shown: Vec<_> = fields
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| (safe::line(name), safe::line(value)))
            .collect();
        let width = shown.iter().map(|(name, _)| name.width()).max();
        shown
            .iter()
            .map(|(label, value)| {
                let padding = width.unwrap_or_default().saturating_sub(label.width()) + 2;
                format!(
                    "{}{}{value}\n",
                    self.paint(name, label),
                    " ".repeat(padding)
                )
            })
            .collect()
    }

    /// Text in a style, where there are colours.
    pub(super) fn paint(self, style: anstyle::Style, text: &str) -> String {
        if self.has_color && !text.is_empty() {
            format!("{}{text}{}", style.render(), style.render_reset())
        } else {
            text.to_owned()
        }
    }
}
