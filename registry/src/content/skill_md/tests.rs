//! What a SKILL.md may look like, and that what is written is read back.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::json;
use vestry_policies::SkillName;

use super::*;

fn parse(frontmatter: &str) -> Result<SkillMd, SkillMdError> {
    SkillMd::parse(&format!("---\n{frontmatter}---\n# Body\n"))
}

fn codes(parsed: &SkillMd) -> Vec<(&'static str, usize)> {
    parsed
        .warnings
        .iter()
        .map(|warning| (warning.code, warning.line.unwrap_or(0)))
        .collect()
}

#[test]
fn every_style_of_yaml_is_read() {
    let parsed = parse(
        "# a comment\nname: a-b\ndescription: >-\n  Use when\n  this happens.\nlicense: 'It''s ours'\n\"compatibility\": \"x\\ty\"\n\
         allowed-tools: Read Grep\nmetadata:\n  version: 1.10\n  count: 3\n  on: yes\n  date: 2026-01-31\n  empty:\n  templated: \"true\"\n",
    )
    .unwrap();
    assert_eq!(parsed.name, "a-b");
    assert_eq!(parsed.description, "Use when this happens.");
    assert!(parsed.templated);
    assert_eq!(
        serde_json::Value::Object(parsed.frontmatter.clone()),
        json!({
            "license": "It's ours", "compatibility": "x\ty", "allowed-tools": "Read Grep",
            "metadata": {
                "version": "1.10", "count": 3, "on": "yes", "date": "2026-01-31", "empty": null, "templated": "true",
            },
        })
    );
    assert_eq!(codes(&parsed), []);
}

#[test]
fn a_description_of_several_lines_becomes_one() {
    for (written, read) in [
        ("|\n  One\n\n  two \n", "One two"),
        ("|+\n  One\n  two\n\n", "One two"),
        ("|2\n    One\n  two\n", "One two"),
        (">\n  One\n  two\n", "One two"),
        ("plain\n  and folded\n", "plain and folded"),
        ("\" spaced \"\n", "spaced"),
        ("123\n", "123"),
        ("null\n", "null"),
    ] {
        let parsed = parse(&format!("name: a\ndescription: {written}")).unwrap();
        assert_eq!(parsed.description, read, "{written:?}");
    }
}

#[test]
fn line_ends_of_windows_are_kept() {
    let text = "---\r\nname: a\r\ndescription: |\r\n  One\r\n  two\r\n---\r\n\r\n# Body\r\n";
    let parsed = SkillMd::parse(text).unwrap();
    assert_eq!(parsed.description, "One two");
    assert_eq!(text.get(parsed.body_offset..), Some("\r\n# Body\r\n"));
}

#[test]
fn what_the_specification_does_not_have_is_kept_with_a_warning() {
    let parsed = parse(
        "name: a\ndescription: b\nversion: 2\nallowed-tools: [Read, Grep]\nmetadata: text\nlicense:\n  - MIT\ndescription-long: a --- b\n",
    )
    .unwrap();
    assert_eq!(parsed.frontmatter["allowed-tools"], json!(["Read", "Grep"]));
    assert_eq!(
        codes(&parsed),
        [
            ("unknown-key", 4),
            ("not-a-text", 5),
            ("flow-style", 5),
            ("metadata-not-a-map", 6),
            ("not-a-text", 8),
            ("unknown-key", 9),
            ("hyphens-in-frontmatter", 9),
        ]
    );
    let parsed = parse("name: a\ndescription: b\nmetadata:\n  x: {y: 1}\n").unwrap();
    assert_eq!(codes(&parsed), [("nested-metadata", 5), ("flow-style", 5)]);
}

#[test]
fn what_readers_would_read_differently_is_refused_with_its_line() {
    for (frontmatter, line, words) in [
        (
            "name: a\ndescription: b\nname: c\n",
            4,
            "`name` is there twice",
        ),
        (
            "name: a\ndescription: b\nmetadata:\n  x: 1\n  x: 2\n",
            6,
            "twice",
        ),
        ("name: &n a\ndescription: *n\n", 2, "anchors"),
        (
            "name: a\ndescription: b\nmetadata:\n  <<: {x: 1}\n",
            5,
            "merge keys",
        ),
        ("name: !!str a\ndescription: b\n", 2, "tags"),
        ("name: a\ndescription: Use when: this\n", 3, "quotes"),
        ("name: a\ndescription: \"open\n", 3, "close the quote"),
        ("name: a\ndescription: 'it's'\n", 3, "''"),
        ("name: a\ndescription: @b\n", 3, "quotes"),
        ("name: a\ndescription: *b\n", 3, "quotes"),
        ("name: a\nmetadata:\n\tx: 1\n", 4, "spaces"),
        ("%YAML 1.2\n", 2, "directive"),
        (
            "name: a\ndescription: b\n? [x]\n: y\n",
            4,
            "a key is a list or a map",
        ),
        ("name: a\ndescription: b\n: y\n", 4, "a key is empty"),
        ("- name\n- description\n", 2, "not a map"),
        ("just text\n", 2, "not a map"),
        ("{name: a, description: b}\n", 2, "line of its own"),
        ("", 1, "empty"),
        ("# only a comment\n", 1, "empty"),
        ("description: b\n", 1, "`name` is missing"),
        ("name: a\n", 1, "`description` is missing"),
        ("name: a\ndescription:\n", 3, "0 characters"),
        ("name:\ndescription: b\n", 2, "not a text"),
        ("name: [a]\ndescription: b\n", 2, "not a text"),
        ("name: a\ndescription:\n  - b\n", 4, "list or a map"),
        (
            "name: a\ndescription: b\ncompatibility:\n  x: y\n",
            5,
            "compatibility",
        ),
        ("name: a\ndescription: \"b\\u200bc\"\n", 3, "U+200B"),
        (
            "name: a\ndescription: \"e\\u0301\"\n",
            3,
            "Normalization Form C",
        ),
        (
            "name: a\ndescription: b\nmetadata:\n  templated: maybe\n",
            5,
            "neither",
        ),
    ] {
        let error = parse(frontmatter).unwrap_err();
        assert_eq!(error.line, line, "{frontmatter:?}: {error}");
        assert!(error.detail.contains(words), "{frontmatter:?}: {error}");
    }
    let long = format!("name: a\ndescription: {}\n", "x".repeat(1_025));
    assert!(parse(&long).unwrap_err().detail.contains("1025 characters"));
    let long = format!(
        "name: a\ndescription: b\ncompatibility: {}\n",
        "x".repeat(501)
    );
    assert_eq!(parse(&long).unwrap_err().line, 4);
    let deep = format!(
        "name: a\ndescription: b\nx: {}1{}\n",
        "[".repeat(40),
        "]".repeat(40)
    );
    assert!(parse(&deep).unwrap_err().detail.contains("flatter"));
    let error = SkillMd::parse("---\nname: a\ndescription: b\n---\n \n").unwrap_err();
    assert_eq!(
        (error.line, error.detail.contains("nothing below")),
        (5, true)
    );
    let error = SkillMd::parse("---\nname: a\ndescription: b\n---\n\nab\u{202e}\n").unwrap_err();
    assert_eq!(
        (error.line, error.detail.contains("U+202E at column 3")),
        (6, true)
    );
}

/// An escape ends in a letter, with which a mark after it would make another character.
#[test]
fn marks_after_what_is_escaped_are_read_back() {
    let name = SkillName::parse("some-skill").unwrap();
    for description in [
        "a\t\u{308}b",
        "a\t\u{11134}\u{308}b",
        "plain \u{119}\u{30b} and \t\u{308}",
    ] {
        check_text(description).unwrap();
        let value = format!("line\n\u{303}{description}");
        let frontmatter: Map<String, Value> =
            std::iter::once(("x".to_owned(), Value::from(value))).collect();
        let text = write(&name, description, &frontmatter, "body");
        let parsed = SkillMd::parse(&text).unwrap();
        assert_eq!(parsed.description, description);
        assert_eq!(parsed.frontmatter, frontmatter);
    }
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e6..1e6_f64).prop_map(Value::from),
        "[ -~éß中א😀]{0,40}".prop_map(Value::from),
        prop_oneof![
            Just("---"),
            Just("a --- b"),
            Just("null"),
            Just("~"),
            Just("1.0"),
            Just("yes"),
            Just("- x"),
            Just("\t\u{308}"),
            Just("a: b"),
            Just("#"),
            Just(""),
            Just("line\nline"),
            Just("\t"),
            Just("'\"\\"),
            Just("<<"),
            Just("!x"),
        ]
        .prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::btree_map("[ -~é]{1,20}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// How many cases a property runs, and from which seed.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: number("VESTRY_CASES").unwrap_or(2_000),
        rng_seed: RngSeed::Fixed(number("VESTRY_SEED").unwrap_or(1).into()),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test runner has no configuration of its own to ask"
)]
pub(super) fn number(variable: &str) -> Option<u32> {
    std::env::var(variable).ok()?.parse().ok()
}

proptest! {
    #![proptest_config(config())]

    /// parse(write(x)) = x, for every description, frontmatter and body.
    #[test]
    fn what_is_written_is_read_back(
        description in "[!-~é中]([ -~é中😀]{0,80}[!-~é])?",
        frontmatter in proptest::collection::btree_map("[ -~é]{1,20}|license|metadata-x|x---y", value(), 0..6),
        body in "[ -~\n\té中😀-]{0,120}[a-z]",
    ) {
        let mut frontmatter: Map<String, Value> = frontmatter.into_iter().collect();
        for key in ["name", "description", "compatibility", "metadata"] {
            frontmatter.remove(key);
        }
        let name = SkillName::parse("some-skill").unwrap();
        let text = write(&name, &description, &frontmatter, &body);
        let parsed = SkillMd::parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&parsed.name, "some-skill");
        prop_assert_eq!(&parsed.description, &description);
        prop_assert_eq!(&parsed.frontmatter, &frontmatter, "{}", text);
        prop_assert_eq!(text.get(parsed.body_offset..), Some(body.as_str()));
        let head = text.get(..parsed.body_offset - 4).unwrap();
        prop_assert!(!head.trim_start_matches("---\n").contains("---"));
    }

    /// Any text is read or refused with a line that it has; nothing panics.
    #[test]
    fn any_text_is_read_or_refused_with_its_line(
        text in "(---\n)?([ -~\n\t\r:&*!|>\\[\\]{}#'\"-]{0,200})(\n---\n)?[ -~\n]{0,40}",
    ) {
        match SkillMd::parse(&text) {
            Ok(parsed) => prop_assert!(text.is_char_boundary(parsed.body_offset)),
            Err(error) => prop_assert!(error.line >= 1 && error.line <= text.matches('\n').count() + 1),
        }
    }
}
