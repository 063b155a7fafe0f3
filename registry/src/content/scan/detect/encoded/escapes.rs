//! Escapes: characters that are written by their numbers or names.

/// The least escapes of a text that is read without them.
const ESCAPES: usize = 6;

/// A text in which escapes are the characters that they stand for; none where there are few. Lines stay what they are.
pub(in crate::content::scan) fn without_escapes(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut count: usize = 0;
    while let Some(at) = rest.find(['&', '\\', '%']) {
        let (before, escape) = rest.split_at_checked(at)?;
        plain.push_str(before);
        match resolved(escape) {
            Some((length, character)) => {
                count = count.saturating_add(1);
                plain.push(if character.is_control() {
                    ' '
                } else {
                    character
                });
                rest = escape.get(length..).unwrap_or_default();
            }
            None => {
                let mut characters = escape.chars();
                plain.extend(characters.next());
                rest = characters.as_str();
            }
        }
    }
    plain.push_str(rest);
    (count >= ESCAPES).then_some(plain)
}

/// The length of an escape that a text begins with, and the character that it stands for.
fn resolved(text: &str) -> Option<(usize, char)> {
    let bytes = text.as_bytes();
    let hex = |from: usize, most: usize| -> (usize, Option<char>) {
        let digits: String = text
            .chars()
            .skip(from)
            .take(most)
            .take_while(char::is_ascii_hexdigit)
            .collect();
        let character = u32::from_str_radix(&digits, 16)
            .ok()
            .and_then(char::from_u32);
        (digits.len(), character)
    };
    match (bytes.first()?, bytes.get(1)?, bytes.get(2)) {
        (b'%', first, _) if first.is_ascii_hexdigit() => {
            let (length, character) = hex(1, 2);
            (length == 2).then_some((3, character?))
        }
        (b'\\', b'x', _) => {
            let (length, character) = hex(2, 2);
            (length == 2).then_some((4, character?))
        }
        (b'\\', b'u', Some(b'{')) => {
            let (length, character) = hex(3, 6);
            let is_closed = bytes.get(length.saturating_add(3)) == Some(&b'}');
            is_closed.then_some((length.saturating_add(4), character?))
        }
        (b'\\', b'u', _) => {
            let (length, character) = hex(2, 4);
            (length == 4).then_some((6, character?))
        }
        (b'&', b'#', Some(b'x' | b'X')) => {
            let (length, character) = hex(3, 6);
            let end = length.saturating_add(3);
            let is_closed = bytes.get(end) == Some(&b';');
            Some((end.saturating_add(usize::from(is_closed)), character?))
        }
        (b'&', b'#', _) => {
            let digits: String = text
                .chars()
                .skip(2)
                .take(7)
                .take_while(char::is_ascii_digit)
                .collect();
            let character = digits.parse().ok().and_then(char::from_u32)?;
            let end = digits.len().saturating_add(2);
            let is_closed = bytes.get(end) == Some(&b';');
            Some((end.saturating_add(usize::from(is_closed)), character))
        }
        (b'&', ..) => named(text),
        _ => None,
    }
}

/// Entities that part or hide words.
fn named(text: &str) -> Option<(usize, char)> {
    [
        ("&nbsp;", ' '),
        ("&Tab;", ' '),
        ("&NewLine;", ' '),
        ("&shy;", '\u{ad}'),
        ("&zwj;", '\u{200d}'),
        ("&zwnj;", '\u{200c}'),
        ("&ZeroWidthSpace;", '\u{200b}'),
        ("&lt;", '<'),
        ("&gt;", '>'),
        ("&amp;", '&'),
        ("&quot;", '"'),
        ("&apos;", '\''),
        ("&vert;", '|'),
        ("&sol;", '/'),
        ("&colon;", ':'),
        ("&period;", '.'),
    ]
    .into_iter()
    .find(|(name, _)| text.starts_with(name))
    .map(|(name, character)| (name.len(), character))
}
