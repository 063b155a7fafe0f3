//! Frontmatter as JSON by the core schema of YAML 1.2 (yaml.org/spec/1.2.2, §10.3.2): what a reader that knows nothing of
//! ours makes of it. Ours ([`Node::to_json`]) keeps more scalars as the texts that they are.

use serde_json::{Map, Number, Value};

use super::SkillMdError;
use super::fence;
use super::yaml::{self, Kind, Node};

/// The whole frontmatter of a SKILL.md, each value as the core schema resolves it. Name and description are texts in any case,
/// as the Agent Skills specification has them.
///
/// # Errors
/// When it is no SKILL.md.
pub fn frontmatter(skill_md: &str) -> Result<Map<String, Value>, SkillMdError> {
    let entries = yaml::read(fence::cut(skill_md)?.frontmatter)?;
    Ok(entries
        .iter()
        .map(|(key, node)| {
            let is_text = matches!(key.as_str(), "name" | "description");
            let text = node.text().filter(|_| is_text);
            let value = text.map_or_else(|| value(node), |text| Value::String(text.to_owned()));
            (key.clone(), value)
        })
        .collect())
}

fn object(entries: &[(String, Node)]) -> Map<String, Value> {
    entries
        .iter()
        .map(|(key, node)| (key.clone(), value(node)))
        .collect()
}

fn value(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar { text, plain: true } => plain(text),
        Kind::Scalar { text, plain: false } => Value::String(text.clone()),
        Kind::List { items, .. } => items.iter().map(value).collect(),
        Kind::Map { entries, .. } => object(entries).into(),
    }
}

fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

/// What JSON has no number for, `.inf` and `.nan`, stays a text.
fn number(text: &str) -> Option<Number> {
    for (prefix, radix, is_digit) in [
        ("0o", 8, (|c| matches!(c, '0'..='7')) as fn(char) -> bool),
        ("0x", 16, |c| c.is_ascii_hexdigit()),
    ] {
        if let Some(digits) = text.strip_prefix(prefix) {
            return (!digits.is_empty() && digits.chars().all(is_digit))
                .then(|| u64::from_str_radix(digits, radix).ok())?
                .map(Number::from);
        }
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if !is_decimal(unsigned) {
        return None;
    }
    let is_whole = unsigned.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('+').unwrap_or(text);
    let whole = || {
        let signed = text.parse::<i64>().map(Number::from);
        signed
            .or_else(|_| text.parse::<u64>().map(Number::from))
            .ok()
    };
    let number = if is_whole { whole() } else { None };
    number
        .or_else(|| text.parse().ok().and_then(Number::from_f64))
        .map(without_fraction)
}

/// JSON knows one kind of number: `1.0` is what readers write as `1`.
fn without_fraction(number: Number) -> Number {
    /// Up to here every whole number is one of 64 bits exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole, and in range")]
            let whole = float as i64;
            Number::from(whole)
        }
        _ => number,
    }
}

/// `( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`
fn is_decimal(text: &str) -> bool {
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if digits.is_empty() || !all_digits(digits) {
            return false;
        }
    }
    match mantissa.split_once('.') {
        Some((whole, fraction)) => {
            all_digits(whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty())
        }
        None => !mantissa.is_empty() && all_digits(mantissa),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn resolves_scalars_by_the_core_schema() {
        for (text, expected) in [
            ("", json!(null)),
            ("~", json!(null)),
            ("NULL", json!(null)),
            ("nUll", json!("nUll")),
            ("True", json!(true)),
            ("yes", json!("yes")),
            ("12", json!(12)),
            ("+12", json!(12)),
            ("-3", json!(-3)),
            ("007", json!(7)),
            ("0o17", json!(15)),
            ("0x1f", json!(31)),
            ("0xg", json!("0xg")),
            ("-0x1", json!("-0x1")),
            ("1.10", json!(1.1)),
            ("1.", json!(1)),
            (".5", json!(0.5)),
            (".", json!(".")),
            ("1e3", json!(1000)),
            ("1e", json!("1e")),
            ("1.2.3", json!("1.2.3")),
            ("1_000", json!("1_000")),
            (".inf", json!(".inf")),
            ("2026-11-30", json!("2026-11-30")),
            ("18446744073709551615", json!(u64::MAX)),
        ] {
            assert_eq!(plain(text), expected, "{text:?}");
        }
    }

    #[test]
    fn keeps_every_key_and_the_line_breaks_of_blocks() {
        let read = frontmatter(
            "---\nname: 12\ndescription: |\n  one\n  two\nversion: 1.10\nquoted: '1.10'\nlist:\n  - x\n  - 2\n---\nbody\n",
        )
        .unwrap();
        assert_eq!(
            Value::Object(read),
            json!({
                "name": "12", "description": "one\ntwo\n", "version": 1.1, "quoted": "1.10", "list": ["x", 2]
            })
        );
    }
}
