use proptest::prelude::*;

use super::*;

/// Hostile paths, with a word of the reason that each must get.
const REFUSED: &[(&str, &str)] = &[
    ("", "is empty"),
    ("/", "absolute"),
    ("/etc/passwd", "absolute"),
    ("//server/share", "absolute"),
    (".", "segment `.`"),
    ("..", "segment `..`"),
    ("../a", "segment `..`"),
    ("a/../b", "segment `..`"),
    ("a/..", "segment `..`"),
    ("./a", "segment `.`"),
    ("a/./b", "segment `.`"),
    ("a//b", "empty segment"),
    ("a/", "empty segment"),
    ("..\\a", "backslash"),
    ("a\\b", "backslash"),
    ("\\\\server\\share", "backslash"),
    ("C:", "`:`"),
    ("C:/a", "`:`"),
    ("c:a", "`:`"),
    ("a:stream", "`:`"),
    ("a<b", "`<`"),
    ("a>b", "`>`"),
    ("a\"b", "`\"`"),
    ("a|b", "`|`"),
    ("a?b", "`?`"),
    ("a*b", "`*`"),
    ("a.", "ends in a dot"),
    ("a./b", "ends in a dot"),
    ("...", "ends in a dot"),
    ("a ", "white space"),
    ("a /b", "white space"),
    (" a", "white space"),
    ("a/ b", "white space"),
    ("\u{a0}a", "white space"),
    ("a\u{3000}", "white space"),
    ("con", "device"),
    ("CON", "device"),
    ("Con.txt", "device"),
    ("a/nul", "device"),
    ("aux.tar.gz", "device"),
    ("prn", "device"),
    ("CONIN$", "device"),
    ("conout$.txt", "device"),
    ("com0", "device"),
    ("COM1.md", "device"),
    ("lpt9", "device"),
    ("com\u{b9}", "device"),
    ("LPT\u{b3}.txt", "device"),
    ("nul .txt", "device"),
    ("\u{ff43}\u{ff4f}\u{ff4e}", "device"),
    ("a\tb", "tab"),
    ("a\u{ff0f}b", "separator"),
    ("a\u{ff3c}b", "separator"),
    ("a/\u{ff0e}\u{ff0e}/b", "dot"),
    ("\u{2025}/a", "dot"),
    ("\u{2100}", "separator"),
    ("a\u{0}b", "does not show"),
    ("a\tb\u{7f}", "does not show"),
    ("a\nb", "line break"),
    ("a\u{202e}gpj.exe", "does not show"),
    ("a\u{200b}b", "does not show"),
    ("a\u{e0041}", "does not show"),
    ("e\u{301}", "Normalization"),
    ("SKILL.md", "SKILL.md itself"),
    ("skill.MD", "SKILL.md itself"),
    ("docs/SKILL.md", "skill of its own"),
    ("a/b/Skill.MD", "skill of its own"),
    (".git/config", "version control"),
    ("a/.GIT/hooks/x", "version control"),
    ("GIT~1/config", "version control"),
    (".hg/hgrc", "version control"),
    ("CVS/Root", "version control"),
    ("\u{17f}kill.md", "SKILL.md itself"),
    ("S\u{212a}ILL.md", "Normalization"),
];

#[test]
fn hostile_paths_are_refused_with_what_to_write() {
    for (path, why) in REFUSED {
        let error = FilePath::parse(path).unwrap_err().to_string();
        assert!(error.contains(why), "{path:?}: {error}");
        assert!(error.starts_with("The path \""), "{error}");
        assert!(!error.contains(char::is_control), "{error:?}");
    }
    let long = |length: usize| "x".repeat(length);
    for path in [
        long(256),
        format!("a/{}", long(256)),
        [long(200), long(200), long(111)].join("/"),
        vec!["a"; 17].join("/"),
    ] {
        FilePath::parse(&path).unwrap_err();
    }
}

#[test]
fn honest_paths_are_taken_as_they_are() {
    let deep = vec!["a"; 16].join("/");
    let long = ["x".repeat(255), "y".repeat(254), "z".to_owned()].join("/");
    for path in [
        "a",
        "scripts/run.sh",
        ".gitignore",
        ".config/x",
        "..a",
        "a..b",
        ".gitignore",
        "docs/git/x",
        "README.md",
        "com10",
        "console.txt",
        "auxiliary/nullable.rs",
        "lpt",
        "caf\u{e9}/\u{4e2d}\u{6587}.md",
        "with space/a b.txt",
        "a-b_c(1)+[2]{3}@4!$&'%,;=~#^`.md",
        "\u{1f600}.txt",
        deep.as_str(),
        long.as_str(),
    ] {
        assert_eq!(FilePath::parse(path).unwrap().as_str(), path);
    }
}

fn distinct(paths: &[&str]) -> Result<(), (usize, PathError)> {
    let paths: Vec<FilePath> = paths
        .iter()
        .map(|path| FilePath::parse(path).unwrap())
        .collect();
    check_distinct(&paths)
}

#[test]
fn paths_that_are_one_on_some_systems_collide() {
    for (paths, at, why) in [
        (&["a", "a"][..], 1, "same file"),
        (&["readme.md", "x", "README.md"], 2, "same file"),
        (&["stra\u{df}e", "STRASSE"], 1, "same file"),
        (&["\u{3c3}", "\u{3c2}"], 1, "same file"),
        (&["\u{fb01}le", "file"], 1, "same file"),
        (&["\u{ff41}", "a"], 1, "same file"),
        (&["\u{c9}", "\u{e9}"], 1, "same file"),
        (&["a", "a/b"], 1, "needs a directory"),
        (&["a/b/c", "A"], 1, "there is a directory"),
        (&["a/b/c", "a/b"], 1, "there is a directory"),
        (&["a/B", "a/b/c"], 1, "needs a directory"),
        (&["docs/a", "Docs/b"], 1, "spells a directory"),
        (&["x/docs/a", "x/dOcs/b"], 1, "spells a directory"),
    ] {
        let (position, error) = distinct(paths).unwrap_err();
        assert_eq!(position, at, "{paths:?}");
        assert!(error.to_string().contains(why), "{paths:?}: {error}");
    }
    for paths in [
        &["a/b", "a/c", "a/d/e", "b"][..],
        &["a.b", "a/b", "a-b"],
        &["ab", "a/b", "abc/d"],
        &["i", "\u{131}"],
    ] {
        assert_eq!(distinct(paths), Ok(()), "{paths:?}");
    }
}

proptest! {
    /// Whatever is accepted has the properties that the refusals stand for, said another way.
    #[test]
    fn accepted_paths_stay_below_the_skill(text in r#"([a-zA-Z0-9. :/\\*\u{301}\u{200b}\u{b2}-]|con|nul|com|\.\./|é){0,40}"#) {
        if let Ok(path) = FilePath::parse(&text) {
            prop_assert_eq!(path.as_str(), &text);
            let joined = std::path::Path::new("/skill").join(path.as_str());
            prop_assert!(joined.starts_with("/skill") && joined != std::path::Path::new("/skill"));
            let is_normal = |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
            prop_assert!(std::path::Path::new(path.as_str()).components().all(is_normal));
            let never = text.contains(['\\', ':', '*', '\u{200b}']);
            prop_assert!(!never);
            let rejoined: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
            prop_assert_eq!(rejoined.join("/"), text);
        }
    }

    /// Whether paths collide does not depend on their order, and a set of distinct ones has distinct lower-case forms.
    #[test]
    fn collisions_are_symmetric(texts in prop::collection::vec("[aAbB\u{df}s]{1,2}(/[aAbB]{1,2}){0,2}", 2..6)) {
        let paths: Vec<FilePath> = texts.iter().filter_map(|text| FilePath::parse(text).ok()).collect();
        let forward = check_distinct(&paths);
        let backward = check_distinct(paths.iter().rev());
        prop_assert_eq!(forward.is_ok(), backward.is_ok());
        if forward.is_ok() {
            let lower: std::collections::BTreeSet<String> =
                paths.iter().map(|path| path.as_str().to_lowercase()).collect();
            prop_assert_eq!(lower.len(), paths.len());
        }
    }
}
