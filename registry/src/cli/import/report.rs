//! What an import came to.

use serde_json::{Value, json};

use super::done::{Done, Verdict};
use crate::bundle::Skipped;
use crate::cli::failure::Outcome;
use crate::cli::output::{Out, safe, style, value};
use crate::content::scan::Severity;

/// The most names that are printed one by one.
const MAX_NAMED: usize = 50;

/// What an import came to, so far.
#[derive(Debug)]
pub(super) struct Report {
    scope: String,
    is_dry: bool,
    done: Vec<Done>,
    skipped: Vec<Skipped>,
    stopped: Option<String>,
    is_interrupted: bool,
    left: usize,
}

impl Report {
    pub(super) fn new(scope: String, is_dry: bool, skipped: Vec<Skipped>) -> Self {
        Self {
            scope,
            is_dry,
            done: Vec::new(),
            skipped,
            stopped: None,
            is_interrupted: false,
            left: 0,
        }
    }

    pub(super) fn add(&mut self, mut done: Done) {
        if let Some(sentence) = done.fatal.take() {
            self.stopped.get_or_insert(sentence);
        }
        if done.verdict == Verdict::NotTried {
            self.left += 1;
        } else {
            self.done.push(done);
        }
    }

    /// Whether more may be begun.
    pub(super) fn goes_on(&self) -> bool {
        self.stopped.is_none() && !self.is_interrupted
    }

    /// Begins nothing more; gives whether that was asked before.
    pub(super) fn interrupt(&mut self) -> bool {
        std::mem::replace(&mut self.is_interrupted, true)
    }

    /// So many more were not tried.
    pub(super) fn leave(&mut self, count: usize) {
        self.left += count;
    }

    /// Whether everything is there that was to be imported.
    pub(super) fn is_clean(&self) -> bool {
        self.goes_on() && self.left == 0 && self.of("refused").is_empty()
    }

    fn of(&self, word: &str) -> Vec<&Done> {
        let mut done: Vec<&Done> = self
            .done
            .iter()
            .filter(|done| word_of(&done.verdict) == word)
            .collect();
        done.sort_by(|a, b| (&a.name, &a.path).cmp(&(&b.name, &b.path)));
        done
    }

    pub(super) fn print(&self, out: Out) -> Outcome {
        if out.is_json() {
            return out.json(&self.json());
        }
        out.text(&self.human(out))?;
        if let Some(sentence) = &self.stopped {
            out.note(format!(
                "vestry: {sentence}; what is done stays done, so repeat the import after that"
            ));
        } else if self.is_interrupted {
            out.note("vestry: interrupted; repeat the import to go on");
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let list = |word: &str| -> Vec<Value> { self.of(word).into_iter().map(line).collect() };
        json!({
            "scope": self.scope,
            "dry_run": self.is_dry,
            "created": list("created"),
            "updated": list("updated"),
            "unchanged": list("unchanged"),
            "refused": list("refused"),
            "skipped": self.skipped.iter().map(|skipped| json!({
                "path": skipped.path.display().to_string(), "reason": skipped.reason,
            })).collect::<Vec<_>>(),
            "not_tried": self.left,
            "stopped": self.stopped,
            "interrupted": self.is_interrupted,
        })
    }

    fn human(&self, out: Out) -> String {
        let mut text = String::new();
        for (word, style) in [("created", style::GOOD), ("updated", style::WARN)] {
            let done = self.of(word);
            for done in done.iter().take(MAX_NAMED) {
                text.push_str(&format!(
                    "{}  {}\n",
                    out.paint(style, word),
                    safe::line(&done.name)
                ));
            }
            if let Some(more) = done.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
                text.push_str(&format!("{}  and {more} more\n", out.paint(style, word)));
            }
        }
        for done in &self.done {
            for warning in &done.warnings {
                let said = format!("{}: {warning}", done.name);
                text.push_str(&format!(
                    "{}  {}\n",
                    out.paint(style::WARN, "warning"),
                    safe::line(&said)
                ));
            }
        }
        for done in &self.done {
            // Of what is for the list only, such as addresses, an import of many skills would show nothing else.
            let findings = json!({"findings": done.findings});
            for finding in value::findings(&findings, Severity::Medium) {
                let said = format!("{}: {finding}", done.name);
                text.push_str(&format!(
                    "{}  {}\n",
                    out.paint(style::WARN, "finding"),
                    safe::line(&said)
                ));
            }
        }
        for skipped in &self.skipped {
            let said = format!("{}: {}", skipped.path.display(), skipped.reason);
            text.push_str(&format!(
                "{}  {}\n",
                out.paint(style::FAINT, "skipped"),
                safe::line(&said)
            ));
        }
        for done in self.of("refused") {
            if let Verdict::Refused { reason, .. } = &done.verdict {
                let said = format!("{}: {reason} [{}]", done.name, done.path);
                text.push_str(&format!(
                    "{}  {}\n",
                    out.paint(style::BAD, "refused"),
                    safe::line(&said)
                ));
            }
        }
        let count = |word: &str| format!("{} {word}", self.of(word).len());
        let mut counts: Vec<String> = ["created", "updated", "unchanged", "refused"]
            .map(count)
            .to_vec();
        if self.left > 0 {
            counts.push(format!("{} not tried", self.left));
        }
        let would = if self.is_dry {
            " (a dry run: nothing was written)"
        } else {
            ""
        };
        text.push_str(&format!(
            "{}: {}{would}\n",
            safe::line(&self.scope),
            counts.join(", ")
        ));
        text
    }
}

fn word_of(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Created => "created",
        Verdict::Updated => "updated",
        Verdict::Unchanged => "unchanged",
        Verdict::Refused { .. } => "refused",
        Verdict::NotTried => "not_tried",
    }
}

fn line(done: &Done) -> Value {
    let mut line = json!({"name": done.name, "path": done.path});
    if let Some(fields) = line.as_object_mut() {
        if !done.warnings.is_empty() {
            fields.insert("warnings".to_owned(), json!(done.warnings));
        }
        if !done.findings.is_empty() {
            fields.insert("findings".to_owned(), json!(done.findings));
        }
        if let Verdict::Refused { code, rule, reason } = &done.verdict {
            fields.insert("reason".to_owned(), json!(reason));
            for (name, word) in [("code", code), ("rule", rule)] {
                if !word.is_empty() {
                    fields.insert(name.to_owned(), json!(word));
                }
            }
        }
    }
    line
}
