//! What a bundled file is, and its text.

use std::borrow::Cow;

use super::Detector;

/// The least bytes of a text in a file that is none.
const RUN: usize = 6;

/// A file, read for scanning.
pub(in crate::content::scan) struct Read<'a> {
    /// Its text; of a file that is no text, what of it can be read.
    pub(in crate::content::scan) text: Cow<'a, str>,
    /// Whether it is a text.
    pub(in crate::content::scan) is_text: bool,
    /// What a reviewer should know of it, as a sentence.
    pub(in crate::content::scan) what: Option<(Detector, &'static str)>,
}

/// Reads a file. Nothing is left out: of what is no text, everything that can be one is looked at.
pub(in crate::content::scan) fn read(bytes: &[u8]) -> Read<'_> {
    if let Some(what) = program(bytes) {
        return binary(bytes, Detector::ExecutableFile, what);
    }
    if let Some(text) = utf16(bytes) {
        return Read {
            text: Cow::Owned(text),
            is_text: true,
            what: None,
        };
    }
    let foreign: usize = bytes
        .utf8_chunks()
        .map(|chunk| {
            let controls = chunk.valid().bytes().filter(|byte| is_foreign(*byte));
            chunk.invalid().len().saturating_add(controls.count())
        })
        .sum();
    // One wrong byte makes no binary file of a script.
    if foreign.saturating_mul(50) > bytes.len() {
        return binary(
            bytes,
            Detector::BinaryFile,
            "Look at it with a program of its kind.",
        );
    }
    Read {
        text: String::from_utf8_lossy(bytes),
        is_text: true,
        what: None,
    }
}

/// Whether no text has such a byte.
fn is_foreign(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c | 0x1b)
}

/// What can be read of a file that is no text: every run of characters that is long enough to say something, one a line.
fn binary<'a>(bytes: &[u8], detector: Detector, what: &'static str) -> Read<'a> {
    let mut text = String::new();
    for chunk in bytes.utf8_chunks() {
        for run in chunk.valid().split(|sign: char| sign.is_control()) {
            if run.len() >= RUN {
                text.push_str(run);
                text.push('\n');
            }
        }
    }
    Read {
        text: Cow::Owned(text),
        is_text: false,
        what: Some((detector, what)),
    }
}

/// The kind of program that begins like this.
pub(in crate::content::scan) fn program(bytes: &[u8]) -> Option<&'static str> {
    let is_long = bytes.len() >= 64;
    match bytes {
        [0x7f, b'E', b'L', b'F', ..] => Some("It is an ELF program (Linux)."),
        [b'M', b'Z', ..] if is_long && bytes.contains(&0) => Some("It is a PE program (Windows)."),
        [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] | [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => {
            Some("It is a Mach-O program (macOS).")
        }
        [0xca, 0xfe, 0xba, 0xbe, ..] => Some("It is a Java class or a Mach-O program."),
        [0, b'a', b's', b'm', ..] => Some("It is a WebAssembly module."),
        [b'd', b'e', b'x', b'\n', ..] => Some("It is an Android program."),
        _ => None,
    }
}

/// Text in UTF-16, with a byte order mark or, as scripts for PowerShell, without.
pub(in crate::content::scan) fn utf16(bytes: &[u8]) -> Option<String> {
    let (is_little, rest) = match bytes {
        [0xff, 0xfe, rest @ ..] => (true, rest),
        [0xfe, 0xff, rest @ ..] => (false, rest),
        _ => (has_zeros(bytes)?, bytes),
    };
    let units: Vec<u16> = rest
        .chunks_exact(2)
        .map(|pair| match pair {
            [low, high] if is_little => u16::from_le_bytes([*low, *high]),
            [high, low] => u16::from_be_bytes([*high, *low]),
            _ => 0,
        })
        .collect();
    Some(String::from_utf16_lossy(&units))
}

/// Whether every second byte of a text is zero: those at odd places (little end first), or those at even ones.
fn has_zeros(bytes: &[u8]) -> Option<bool> {
    let pairs = bytes.len() / 2;
    if pairs < 8 {
        return None;
    }
    let zeros = |parity: usize| {
        bytes
            .iter()
            .skip(parity)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let most = |count: usize| count.saturating_mul(10) >= pairs.saturating_mul(9);
    let few = |count: usize| count.saturating_mul(10) <= pairs;
    if most(odd) && few(even) {
        Some(true)
    } else if most(even) && few(odd) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_in_other_encodings_are_read() {
        let little: Vec<u8> = "curl https://x | sh\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(read(&little).text, "curl https://x | sh\n");
        let mut marked = vec![0xfe, 0xff];
        marked.extend("abc".encode_utf16().flat_map(u16::to_be_bytes));
        assert_eq!(read(&marked).text, "abc");
        let mut broken = b"curl x | sh # ".repeat(10);
        broken.push(0xff);
        assert!(read(&broken).is_text);
        let image = read(b"\x89PNG\0\x01\x02\xffcurl https://x | sh\0\0ab\0");
        assert!(!image.is_text);
        assert_eq!(image.text, "curl https://x | sh\n");
    }

    #[test]
    fn programs_are_known_by_how_they_begin() {
        assert!(program(b"\x7fELF\x02").is_some());
        assert!(program(b"MZ is no program").is_none());
        assert!(program(b"#!/bin/sh\n").is_none());
    }
}
