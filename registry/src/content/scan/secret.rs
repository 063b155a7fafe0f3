//! Whether a text is a secret, or a stand-in for one.

/// Texts that stand where a secret would.
const STAND_INS: [&str; 29] = [
    "example",
    "placeholder",
    "redacted",
    "dummy",
    "changeme",
    "change-me",
    "change_me",
    "your-",
    "your_",
    "yourapi",
    "insert",
    "replace",
    "xxxx",
    "****",
    "....",
    "<",
    "${",
    "{{",
    "$(",
    "%s",
    "secret-name",
    "todo",
    "not-a-real",
    "notreal",
    "fake",
    "sample",
    "process.env",
    "os.environ",
    "getenv",
];

/// Words that are written where a secret would be, and nothing else with them.
const WORDS: [&str; 10] = [
    "password",
    "passwd",
    "password123",
    "pass",
    "pwd",
    "secret",
    "token",
    "user",
    "username",
    "hunter2",
];

/// Whether a text stands in for a secret: it says so, or it has too few different characters to be one.
pub(super) fn is_stand_in(text: &[u8]) -> bool {
    let lower = text.to_ascii_lowercase();
    let says_so = STAND_INS.iter().any(|word| {
        lower
            .windows(word.len())
            .any(|part| part == word.as_bytes())
    });
    let is_word = WORDS.iter().any(|word| lower == word.as_bytes());
    says_so || is_word || different(text) <= 5
}

fn different(text: &[u8]) -> usize {
    let mut seen = [false; 256];
    for byte in text {
        if let Some(seen) = seen.get_mut(usize::from(*byte)) {
            *seen = true;
        }
    }
    seen.iter().filter(|seen| **seen).count()
}

/// Shannon's entropy of the bytes of a text, in bits a byte.
pub(super) fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    let mut total = 0_u32;
    for byte in text {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count = count.saturating_add(1);
            total = total.saturating_add(1);
        }
    }
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / f64::from(total);
            -share * share.log2()
        })
        .sum()
}

/// Whether a text has letters, and at least two digits or signs, as passwords and keys have and words have not.
pub(super) fn is_mixed(text: &[u8]) -> bool {
    let letters = text
        .iter()
        .filter(|byte| byte.is_ascii_alphabetic())
        .count();
    let digits = text.iter().filter(|byte| byte.is_ascii_digit()).count();
    letters >= 2 && digits >= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stand_ins_are_no_secrets() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "your-api-key-here",
            "xxxxxxxxxxxxxxxx",
            "${TOKEN}",
            "aaaabbbbcccc",
            "<token>",
        ] {
            assert!(is_stand_in(text.as_bytes()), "{text}");
        }
        assert!(!is_stand_in(b"Zk3fQ9wLr2Vx7TnB"));
    }

    #[test]
    fn entropy_is_in_bits() {
        assert!(entropy(b"") < f64::EPSILON);
        assert!(entropy(b"aaaa").abs() < f64::EPSILON);
        assert!((entropy(b"abcd") - 2.0).abs() < 1e-9);
        assert!(is_mixed(b"ab12") && !is_mixed(b"abcdefg1") && !is_mixed(b"12345"));
    }
}
