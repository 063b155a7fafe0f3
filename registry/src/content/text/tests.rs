//! The table of code points, and texts.

use std::fmt::Write as _;

use regex_syntax::hir::{Class as HirClass, HirKind};

use super::*;

const TABLE: &str = include_str!("code_points.txt");

fn class_name(class: Class) -> &'static str {
    match class {
        Class::Shown => "shown",
        Class::Contextual => "contextual",
        Class::Hidden => "hidden",
    }
}

/// Every range of code points of one class, one a line. Surrogates are no characters.
fn table() -> String {
    let mut text = String::from(
        "# The class of every code point, first to last. See mod.rs; VESTRY_BLESS=1 writes this file.\n",
    );
    let mut open: Option<(u32, u32, &str)> = None;
    for code in 0..=u32::from(char::MAX) {
        let name =
            char::from_u32(code).map_or("surrogate", |character| class_name(class_of(character)));
        open = Some(match open {
            Some((first, _, same)) if same == name => (first, code, name),
            Some((first, last, other)) => {
                writeln!(text, "{first:06X}..{last:06X} {other}").unwrap();
                (code, code, name)
            }
            None => (code, code, name),
        });
    }
    let (first, last, name) = open.unwrap();
    writeln!(text, "{first:06X}..{last:06X} {name}").unwrap();
    text
}

#[test]
fn the_table_is_the_rule_for_every_code_point() {
    let table = table();
    if std::env::var_os("VESTRY_BLESS").is_some() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src/content/text/code_points.txt"
        );
        std::fs::write(path, &table).unwrap();
    }
    assert!(
        table == TABLE,
        "the classes of code points have changed; look at the difference after VESTRY_BLESS=1"
    );
}

/// The code points of a class of regular expressions: a second source of Unicode's properties.
fn members(pattern: &str) -> Vec<(char, char)> {
    let hir = regex_syntax::parse(pattern).unwrap();
    match hir.kind() {
        HirKind::Class(HirClass::Unicode(class)) => class
            .ranges()
            .iter()
            .map(|range| (range.start(), range.end()))
            .collect(),
        other => panic!("{pattern} is {other:?}"),
    }
}

fn each(pattern: &str) -> impl Iterator<Item = char> {
    members(pattern)
        .into_iter()
        .flat_map(|(start, end)| start..=end)
}

#[test]
fn a_second_source_agrees_about_what_does_not_show() {
    // What Unicode says must not show, and what has no assigned meaning, is never plainly shown.
    for pattern in [
        r"\p{Default_Ignorable_Code_Point}",
        r"[\p{Cf}\p{Co}\p{Zl}\p{Zp}]",
        r"[\p{Cc}--[\t\n]]",
        r"\p{Variation_Selector}",
        r"\p{Bidi_Control}",
        r"\p{Noncharacter_Code_Point}",
        r"[\u{E0000}-\u{E007F}]",
    ] {
        let mut count = 0_usize;
        for character in each(pattern) {
            assert_ne!(
                class_of(character),
                Class::Shown,
                "{pattern}: {}",
                character.escape_unicode()
            );
            count += 1;
        }
        assert!(count > 0, "{pattern}");
    }
    // What is hidden beyond that is a short list of blank glyphs.
    let blank: Vec<u32> =
        each(r"[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}--\p{Default_Ignorable_Code_Point}]")
            .filter(|character| class_of(*character) != Class::Shown)
            .map(u32::from)
            .collect();
    assert_eq!(blank, [0x2800, 0x2d7f, 0xfffc, 0x1107f, 0x16fe4, 0x1d159]);
    // Whatever was unassigned then and is shown now has become a character since.
    for character in each(r"\p{Cn}") {
        if class_of(character) == Class::Shown {
            use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};
            assert_ne!(
                character.general_category_group(),
                GeneralCategoryGroup::Other,
                "{}",
                character.escape_unicode()
            );
        }
    }
}

/// A text of one character, in every place that could make a contextual one show, follows its class.
#[test]
fn every_code_point_is_taken_or_refused_by_its_class() {
    for character in '\0'..=char::MAX {
        let alone = check_text(&format!("a{character}b"));
        let is_refused = matches!(alone, Err(TextError::Invisible { code, line: 1, column: 2 }) if code == u32::from(character));
        assert_eq!(
            is_refused,
            class_of(character) != Class::Shown,
            "{}",
            character.escape_unicode()
        );
    }
}

#[test]
fn what_shows_in_some_places_only_is_taken_there() {
    for shown in [
        "plain\n\ttext \u{2014} caf\u{e9}\r\n",
        "family \u{1f468}\u{200d}\u{1f469} \u{2764}\u{fe0f}",
        "\u{2764}\u{fe0f}\u{200d}\u{1f525}",
        "1\u{fe0f}\u{20e3}",
        "\u{1f44d}\u{1f3fd}",
        "\u{1f9d1}\u{1f3fd}\u{200d}\u{1f4bb}",
        "\u{3b1}\u{5d0}\u{4e2d}",
        // Persian: the joiner keeps a prefix apart; also with a mark before it.
        "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}",
        "\u{628}\u{64e}\u{200c}\u{628}",
        // Hindi and Sinhala: a virama with its joiner.
        "\u{915}\u{94d}\u{200d}\u{937}",
        "\u{915}\u{94d}\u{200c}\u{937}",
        "\u{dc1}\u{dca}\u{200d}\u{dbb}\u{dd3}",
    ] {
        assert_eq!(check_text(shown), Ok(()), "{}", shown.escape_unicode());
    }
    for hidden in [
        "a\u{200d}b",
        "a\u{200c}b",
        "1\u{200d}0",
        "\u{304b}\u{200d}\u{304b}",
        "1\u{fe0f}",
        "1\u{fe0f}\u{fe0f}",
        "\u{2764}\u{fe0f}\u{fe0f}",
        "\u{1f468}\u{200d}",
        "\u{200d}\u{1f468}",
        "\u{1f468}\u{200d}\u{200d}\u{1f469}",
        // After a letter that joins nothing on, at the end of a word, and twice.
        "\u{627}\u{200c}\u{628}",
        "\u{628}\u{200c} \u{628}",
        "\u{628}\u{200c}\u{200c}\u{628}",
        "\u{628}\u{200d}\u{628}",
        "\u{202e}abc",
        "\u{e0041}",
        "a\rb",
    ] {
        assert!(
            matches!(check_text(hidden), Err(TextError::Invisible { .. })),
            "{}",
            hidden.escape_unicode()
        );
    }
}

#[test]
fn a_refusal_names_the_place() {
    assert_eq!(
        check_text("ab\nc\u{200b}"),
        Err(TextError::Invisible {
            code: 0x200b,
            line: 2,
            column: 2
        })
    );
    assert_eq!(
        check_text("ok\ne\u{301}\n"),
        Err(TextError::NotNormalised { line: 2 })
    );
    assert_eq!(check_line("a\nb"), Err(TextError::LineBreak));
}
