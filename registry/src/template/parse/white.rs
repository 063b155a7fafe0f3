//! White space that tags take, exactly as handlebars.js takes it: by `~`, and around blocks and comments alone on their lines.

use crate::template::tree::{Block, Node, Strip, Tree};

/// Sets what is written of each text.
pub(super) fn control(tree: &mut Tree) {
    program(&mut tree.body, true);
}

/// What a node asks of its neighbours.
#[derive(Default)]
struct Ask {
    strip: Strip,
    open_alone: bool,
    close_alone: bool,
    comment: bool,
}

/// `\s` of JavaScript.
fn is_white(c: char) -> bool {
    c == '\u{feff}' || c.is_whitespace() && c != '\u{85}'
}

fn ends_line(text: &str) -> bool {
    text.trim_end_matches(is_white).len() < text.rfind('\n').map_or(0, |at| at + 1)
}

fn begins_line(text: &str) -> bool {
    text.find('\n').is_some_and(|at| {
        text.chars()
            .take_while(|c| is_white(*c))
            .map(char::len_utf8)
            .sum::<usize>()
            > at
    })
}

fn blank(text: &str) -> bool {
    text.chars().all(is_white)
}

/// Whether what is before the node `at` ends a line.
fn line_before(body: &[Node], at: usize, root: bool) -> bool {
    let Some(before) = at.checked_sub(1).and_then(|before| body.get(before)) else {
        return root;
    };
    let first = at == 1;
    matches!(before, Node::Text(text) if ends_line(&text.original) || first && root && blank(&text.original))
}

/// Whether what is at `next` begins a new line.
fn line_after(body: &[Node], next: usize, root: bool) -> bool {
    let Some(after) = body.get(next) else {
        return root;
    };
    let last = body.len() == next + 1;
    matches!(after, Node::Text(text) if begins_line(&text.original) || last && root && blank(&text.original))
}

fn take_right(node: Option<&mut Node>, all: bool) {
    let Some(Node::Text(text)) = node else { return };
    if !all && text.taken.0 {
        return;
    }
    let rest = if all {
        text.written.trim_start_matches(is_white)
    } else {
        let rest = text.written.trim_start_matches([' ', '\t']);
        rest.strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix('\n'))
            .or_else(|| rest.strip_prefix('\r'))
            .unwrap_or(rest)
    };
    text.taken.0 = rest.len() != text.written.len();
    text.written = rest.to_owned();
}

fn take_left(node: Option<&mut Node>, all: bool) {
    let Some(Node::Text(text)) = node else { return };
    if !all && text.taken.1 {
        return;
    }
    let rest = if all {
        text.written.trim_end_matches(is_white)
    } else {
        text.written.trim_end_matches([' ', '\t'])
    };
    text.taken.1 = rest.len() != text.written.len();
    text.written.truncate(rest.len());
}

fn before(body: &mut [Node], at: usize) -> Option<&mut Node> {
    at.checked_sub(1).and_then(|before| body.get_mut(before))
}

fn program(body: &mut [Node], root: bool) {
    for at in 0..body.len() {
        let ask = match body.get_mut(at) {
            Some(Node::Block(inner)) => block(inner),
            Some(Node::Comment(_)) => Ask {
                comment: true,
                ..Ask::default()
            },
            Some(Node::Output(output)) => Ask {
                strip: output.strip,
                ..Ask::default()
            },
            _ => continue,
        };
        let (begins, ends) = (line_before(body, at, root), line_after(body, at + 1, root));
        if ask.strip.close {
            take_right(body.get_mut(at + 1), true);
        }
        if ask.strip.open {
            take_left(before(body, at), true);
        }
        if ask.comment && begins && ends {
            take_right(body.get_mut(at + 1), false);
            take_left(before(body, at), false);
        }
        if ask.open_alone && begins {
            if let Some(Node::Block(inner)) = body.get_mut(at) {
                take_right(inner.body.first_mut(), false);
            }
            take_left(before(body, at), false);
        }
        if ask.close_alone && ends {
            take_right(body.get_mut(at + 1), false);
            if let Some(Node::Block(inner)) = body.get_mut(at) {
                take_left(last_body(inner).last_mut(), false);
            }
        }
    }
}

/// The body before the closing tag, as handlebars.js takes it: for a chain it is a block, and not text.
fn last_body(block: &mut Block) -> &mut Vec<Node> {
    match &mut block.otherwise {
        Some(otherwise) => &mut otherwise.body,
        None => &mut block.body,
    }
}

fn block(block: &mut Block) -> Ask {
    program(&mut block.body, false);
    let chained = block
        .otherwise
        .as_ref()
        .is_some_and(|otherwise| otherwise.chained);
    if let Some(otherwise) = &mut block.otherwise {
        program(&mut otherwise.body, false);
    }
    let open_alone = line_after(&block.body, 0, false);
    let close_alone = match first_else(block) {
        Some(body) => line_before(body, body.len(), false),
        None => line_before(&block.body, block.body.len(), false),
    };
    if block.open_strip.close {
        take_right(block.body.first_mut(), true);
    }
    if let Some(strip) = block.otherwise.as_ref().map(|otherwise| otherwise.strip) {
        if strip.open {
            take_left(block.body.last_mut(), true);
        }
        if strip.close {
            take_right(first_else(block).and_then(|body| body.first_mut()), true);
        }
        if block.close_strip.open
            && let Some(otherwise) = &mut block.otherwise
        {
            let last = if chained {
                chain_end(&mut otherwise.body)
            } else {
                Some(&mut otherwise.body)
            };
            take_left(last.and_then(|body| body.last_mut()), true);
        }
        let ends = line_before(&block.body, block.body.len(), false);
        if ends && first_else(block).is_some_and(|body| line_after(body, 0, false)) {
            take_left(block.body.last_mut(), false);
            take_right(first_else(block).and_then(|body| body.first_mut()), false);
        }
    } else if block.close_strip.open {
        take_left(block.body.last_mut(), true);
    }
    Ask {
        strip: Strip {
            open: block.open_strip.open,
            close: block.close_strip.close,
        },
        open_alone,
        close_alone,
        comment: false,
    }
}

/// The text after the first `else`.
fn first_else(block: &mut Block) -> Option<&mut Vec<Node>> {
    let otherwise = block.otherwise.as_mut()?;
    if !otherwise.chained {
        return Some(&mut otherwise.body);
    }
    match otherwise.body.first_mut() {
        Some(Node::Block(next)) => Some(&mut next.body),
        _ => None,
    }
}

/// What handlebars.js takes for the end of a chain: the body of its first link, since that is not marked as a link itself.
fn chain_end(body: &mut [Node]) -> Option<&mut Vec<Node>> {
    match body.last_mut() {
        Some(Node::Block(next)) => Some(&mut next.body),
        _ => None,
    }
}
