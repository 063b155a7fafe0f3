//! The scan of one skill, part by part.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::detect::{self, Detector, encoded, entropy, files, hidden, layout, tools};
use super::document::Document;
use super::excerpt::excerpt;
use super::finding::{Finding, Findings};
use super::fold::Folder;
use super::hits::Hits;
use super::scanner::Scanner;
use super::view::View;
use crate::content::PreparedSkill;

/// How many findings are gathered before the least severe of them are let go.
const GATHERED: usize = 4_000;

/// The scan of one skill, part by part.
#[derive(Debug)]
pub struct Scan {
    scanner: Arc<Scanner>,
    folder: Folder,
    findings: Vec<Finding>,
    omitted: usize,
    /// Hosts that were reported, with the rules.
    pub(super) hosts: HashSet<(String, usize)>,
    /// The rules that have hit in the file at hand, with the lines: what is decoded says nothing twice.
    here: HashSet<(usize, usize)>,
    /// How many bytes patterns were compared with, for the test that this is linear.
    pub(super) work: u64,
}

/// What a text is a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    /// Of the skill, as it is.
    Plain,
    /// Of a file that is no text.
    Binary,
    /// Of something that was encoded.
    Decoded,
}

impl Scan {
    /// A scan that has looked at nothing yet.
    #[must_use]
    pub fn new(scanner: Arc<Scanner>) -> Self {
        Self {
            scanner,
            folder: Folder::default(),
            findings: Vec::new(),
            omitted: 0,
            hosts: HashSet::new(),
            here: HashSet::new(),
            work: 0,
        }
    }

    /// Looks at a checked SKILL.md. `previous` is the frontmatter of the revision before, where there is one.
    pub fn prepared(&mut self, skill: &PreparedSkill, previous: Option<&Map<String, Value>>) {
        let text = String::from_utf8_lossy(&skill.skill_md);
        self.skill_md(&text);
        self.frontmatter(&text, &skill.description, &skill.frontmatter, previous);
    }

    /// Looks at the text of a SKILL.md, whether or not it can be read as one.
    pub fn skill_md(&mut self, text: &str) {
        self.here.clear();
        self.document(&Document::new(text), None, Nature::Plain);
    }

    /// Looks at what the frontmatter of a SKILL.md says: its tools, and its texts where they are written with escapes.
    pub fn frontmatter(
        &mut self,
        text: &str,
        description: &str,
        frontmatter: &Map<String, Value>,
        previous: Option<&Map<String, Value>>,
    ) {
        let document = Document::new(text);
        let mut hits = Hits::default();
        for (detector, more) in tools::find(frontmatter, previous) {
            if let Some(rule) = self.scanner.detector(detector) {
                let place = tools::place(document.text());
                hits.add(rule, document.line(place.start), place, Some(more));
            }
        }
        self.report(&document, None, hits, &[]);
        let mut texts = vec![("description", description)];
        detect::texts(frontmatter, &mut texts);
        let head = detect::head(document.text());
        let written = texts
            .into_iter()
            // What is written as it is was looked at with the rest.
            .filter(|(_, value)| !head.contains(value))
            .map(|(key, value)| (value.to_owned(), detect::line_of_key(head, key)));
        let decoded = Document::decoded(written, "in YAML");
        self.document(&decoded, None, Nature::Decoded);
    }

    /// Looks at a bundled file.
    pub fn file(&mut self, path: &str, bytes: &[u8]) {
        let file: Arc<str> = path.into();
        self.here.clear();
        let read = files::read(bytes);
        let (document, nature) = if read.is_text {
            (Document::new(&read.text), Nature::Plain)
        } else {
            // It has no lines.
            let text = (read.text.into_owned(), 1);
            (
                Document::decoded([text], "in a binary file"),
                Nature::Binary,
            )
        };
        if let Some((detector, what)) = read.what
            && let Some(rule) = self.scanner.detector(detector)
        {
            let mut hits = Hits::default();
            hits.add(rule, 1, 0..0, Some(what.to_owned()));
            self.report(&Document::new(""), Some(&file), hits, &[]);
        }
        self.document(&document, Some(&file), nature);
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Findings {
        Findings::settle(self.findings, self.omitted)
    }

    fn document(&mut self, document: &Document<'_>, file: Option<&Arc<str>>, nature: Nature) {
        let scanner = Arc::clone(&self.scanner);
        let mut hits = Hits::default();
        let mut secrets = merged(self.secrets(&scanner, document, &mut hits));
        let blocks = match nature {
            Nature::Plain => encoded::blocks(document),
            Nature::Binary | Nature::Decoded => Vec::new(),
        };
        self.work = self.work.saturating_add(document.text().len() as u64);
        if nature == Nature::Plain {
            self.plain(&scanner, document, &blocks, &mut hits, &mut secrets);
        }
        let secrets = merged(secrets);
        let prose = View::prose(document.text(), &mut self.folder);
        self.compare(&scanner.prose, &prose, (document, 0), &mut hits);
        drop(prose);
        let code = View::code(document.text(), &mut self.folder);
        self.compare(&scanner.code, &code, (document, 0), &mut hits);
        drop(code);
        self.text(&scanner, document, &mut hits);
        if nature != Nature::Binary {
            self.hosts(&scanner, document, &mut hits);
        }
        self.report(document, file, hits, &secrets);
        let mut texts = blocks
            .into_iter()
            .filter_map(|block| Some((block.text?, document.line(block.place.start))))
            .peekable();
        if texts.peek().is_some() {
            let decoded = Document::decoded(texts, "as base64 or numbers");
            self.document(&decoded, file, Nature::Decoded);
        }
        if nature == Nature::Plain
            && let Some(text) = encoded::without_escapes(document.text())
        {
            let resolved = Document::resolved(text, "with escapes");
            self.document(&resolved, file, Nature::Decoded);
        }
    }

    /// What only texts of the skill itself are looked at for.
    fn plain(
        &mut self,
        scanner: &Scanner,
        document: &Document<'_>,
        blocks: &[encoded::Block],
        hits: &mut Hits,
        secrets: &mut Vec<Range<usize>>,
    ) {
        let mut found: Vec<detect::Found> = Vec::new();
        found.extend(entropy::find(document, blocks, secrets));
        secrets.extend(
            found
                .iter()
                .filter(|found| found.detector == Detector::HighEntropy)
                .map(|found| found.place.clone()),
        );
        found.extend(encoded::report(blocks));
        // What is encoded may be a secret, and is as good as one written out.
        secrets.extend(blocks.iter().map(|block| block.place.clone()));
        found.extend(layout::find(document));
        let comments = hidden::spans(document.text());
        for comment in &comments {
            found.push(detect::Found::at(Detector::HtmlComment, comment.clone()));
            let view = View::prose(document.part(comment.clone()), &mut self.folder);
            self.compare(&scanner.comments, &view, (document, comment.start), hits);
        }
        for detect::Found {
            detector,
            place,
            more,
        } in found
        {
            if let Some(rule) = scanner.detector(detector) {
                hits.add(rule, document.line(place.start), place, more);
            }
        }
    }

    fn report(
        &mut self,
        document: &Document<'_>,
        file: Option<&Arc<str>>,
        hits: Hits,
        secrets: &[Range<usize>],
    ) {
        let scanner = Arc::clone(&self.scanner);
        let (kept, omitted) = hits.into_parts();
        self.omitted = self.omitted.saturating_add(omitted);
        for hit in kept {
            let Some(rule) = scanner.rules.get(hit.rule) else {
                continue;
            };
            let line = document.line(hit.place.start);
            if !self.here.insert((hit.rule, line)) && document.origin().is_some() {
                continue;
            }
            let mut message = Cow::Borrowed(rule.message.as_str());
            if let Some(more) = &hit.more {
                message.to_mut().push_str(&format!(" {more}"));
            }
            if let Some(origin) = document.origin() {
                message
                    .to_mut()
                    .push_str(&format!(" It was written {origin}."));
            }
            self.findings.push(Finding {
                rule: Arc::clone(&rule.id),
                severity: rule.severity,
                line,
                file: file.cloned(),
                excerpt: excerpt(document, &hit.place, secrets),
                message: message.into_owned(),
            });
        }
        if self.findings.len() > GATHERED {
            let settled = Findings::settle(std::mem::take(&mut self.findings), self.omitted);
            self.findings = settled.items;
            self.omitted = settled.omitted;
        }
    }
}

/// Ranges in order and without overlaps.
fn merged(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}
