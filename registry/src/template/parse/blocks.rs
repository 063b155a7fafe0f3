//! Puts tags together into blocks. A stack, not recursion: a template may nest as it likes before it is refused.

use super::Parsed;
use super::head::Head;
use crate::template::diagnostics::Finding;
use crate::template::limits;
use crate::template::span::{self, Span};
use crate::template::tree::{Block, Else, Node, Strip, Tree};

/// What has been put together.
pub(super) struct Blocks<'a> {
    source: &'a str,
    root: Vec<Node>,
    open: Vec<Frame>,
    depth: usize,
    branches: usize,
    findings: Vec<Finding>,
    sound: bool,
    too_deep: bool,
}

/// A block that is not closed yet.
struct Frame {
    span: Span,
    name: String,
    parts: Vec<Part>,
}

/// The body of a block, or of one of its `else`s.
struct Part {
    span: Span,
    strip: Strip,
    head: Option<Head>,
    last: bool,
    body: Vec<Node>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(source: &'a str) -> Blocks<'a> {
        Blocks {
            source,
            root: Vec::new(),
            open: Vec::new(),
            depth: 0,
            branches: 0,
            findings: Vec::new(),
            sound: true,
            too_deep: false,
        }
    }

    pub(super) fn refuse(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    pub(super) fn unsound(&mut self) {
        self.sound = false;
    }

    pub(super) fn node(&mut self, node: Option<Node>) {
        let Some(node) = node else { return };
        match self
            .open
            .last_mut()
            .and_then(|frame| frame.parts.last_mut())
        {
            Some(part) => part.body.push(node),
            None => self.root.push(node),
        }
    }

    fn deeper(&mut self, span: &Span) {
        self.depth += 1;
        if self.depth > limits::DEPTH && !self.too_deep {
            self.too_deep = true;
            self.refuse(Finding::error(
                "too-deep",
                span.clone(),
                format!(
                    "Blocks stand at most {} deep within each other, every `else if` counted.",
                    limits::DEPTH
                ),
            ));
        }
    }

    pub(super) fn open(&mut self, span: Span, strip: Strip, head: Option<Head>, name: String) {
        self.deeper(&span);
        self.sound &= head.is_some();
        let name = head.as_ref().map_or(name, |head| head.name.clone());
        let part = Part {
            span: span.clone(),
            strip,
            head,
            last: false,
            body: Vec::new(),
        };
        self.open.push(Frame {
            span,
            name,
            parts: vec![part],
        });
    }

    pub(super) fn otherwise(&mut self, span: Span, strip: Strip, head: Option<Head>, bad: bool) {
        self.sound &= !bad;
        let Some(frame) = self.open.last_mut() else {
            self.sound = false;
            self.refuse(Finding::error(
                "stray-else",
                span,
                "This {{else}} is in no block.",
            ));
            return;
        };
        if frame.parts.last().is_some_and(|part| part.last) {
            self.sound = false;
            self.refuse(Finding::error(
                "stray-else",
                span,
                "The {{else}} without a condition is the last of its block.",
            ));
            return;
        }
        let chained = head.is_some();
        let links = frame.parts.len();
        frame.parts.push(Part {
            span: span.clone(),
            strip,
            last: !chained && !bad,
            head,
            body: Vec::new(),
        });
        if chained {
            if links == limits::CHAIN + 1 {
                self.refuse(Finding::error(
                    "long-chain",
                    span.clone(),
                    format!(
                        "A block has at most {} links of {{{{else if}}}}.",
                        limits::CHAIN
                    ),
                ));
            }
            self.deeper(&span);
        }
    }

    pub(super) fn close(&mut self, span: Span, strip: Strip, name: Option<String>) {
        let Some(frame) = self.open.pop() else {
            self.sound = false;
            self.refuse(Finding::error(
                "stray-close",
                span,
                "This tag closes no block.",
            ));
            return;
        };
        self.depth -= 1 + frame
            .parts
            .iter()
            .skip(1)
            .filter(|part| part.head.is_some())
            .count();
        if let Some(name) = name.filter(|name| *name != frame.name && !frame.name.is_empty()) {
            self.sound = false;
            let line = span::Lines::of(self.source).position(frame.span.start).line;
            self.refuse(
                Finding::error(
                    "mismatched-close",
                    span,
                    format!(
                        "{{{{/{name}}}}} does not close the {{{{#{}}}}} of line {line}.",
                        frame.name
                    ),
                )
                .suggest(format!("write {{{{/{}}}}}", frame.name)),
            );
            return;
        }
        if let Some(block) = self.fold(frame, strip) {
            self.node(Some(Node::Block(Box::new(block))));
        }
    }

    fn branch(&mut self) -> usize {
        self.branches += 1;
        self.branches - 1
    }

    /// From the last part to the first, since an `else if` is a block within the `else` before it.
    fn fold(&mut self, frame: Frame, close: Strip) -> Option<Block> {
        if self.too_deep {
            return None;
        }
        let mut otherwise: Option<Else> = None;
        let mut parts = frame.parts.into_iter().rev().peekable();
        while let Some(part) = parts.next() {
            let branch = self.branch();
            let first = parts.peek().is_none();
            // As handlebars.js has it: a link beyond the first takes its own tildes for those that close it.
            let second = !first && parts.len() == 1;
            let Some(head) = part.head else {
                otherwise = Some(Else {
                    span: part.span,
                    body: part.body,
                    branch,
                    chained: false,
                    strip: part.strip,
                });
                continue;
            };
            let close_strip = if first || second { close } else { part.strip };
            let block = Block {
                span: part.span.clone(),
                kind: head.kind,
                argument: head.argument,
                params: head.params,
                body: part.body,
                branch,
                otherwise: otherwise.take(),
                open_strip: part.strip,
                close_strip,
            };
            if first {
                return Some(block);
            }
            let branch = self.branch();
            otherwise = Some(Else {
                span: part.span,
                body: vec![Node::Block(Box::new(block))],
                branch,
                chained: true,
                strip: part.strip,
            });
        }
        None
    }

    pub(super) fn finish(mut self) -> Parsed {
        let open: Vec<_> = self
            .open
            .iter()
            .map(|frame| (frame.span.clone(), frame.name.clone()))
            .collect();
        for (span, name) in open {
            self.sound = false;
            self.refuse(Finding::error(
                "unclosed-block",
                span,
                format!("This block is not closed by {{{{/{name}}}}}."),
            ));
        }
        let sound = self.sound && !self.too_deep;
        Parsed {
            tree: Tree {
                body: self.root,
                branches: self.branches,
            },
            findings: self.findings,
            sound,
        }
    }
}
