//! What files of operators may say.

use super::super::{Scan, Scanner, Severity};

fn rule(kind: &str, rest: &str) -> String {
    format!(
        "[[rule]]\nid = \"mine\"\nseverity = \"medium\"\nkind = \"{kind}\"\nmessage = \"Mine.\"\n{rest}\n"
    )
}

fn refusal(text: &str) -> String {
    Scanner::extended(text).unwrap_err().to_string()
}

#[test]
fn every_kind_may_be_added() {
    for (kind, rest, text) in [
        (
            "prose",
            "phrases = [\"blue heron project\"]",
            "The Blue-Heron\nProject",
        ),
        (
            "prose",
            "patterns = ['blue(?: [a-z]{1,9}){0,2} heron']",
            "blue and grey heron",
        ),
        ("comment", "patterns = ['heron']", "<!-- heron -->"),
        (
            "code",
            "patterns = ['heronctl [^\\n]{0,40}--prod']",
            "heronctl deploy \\\n --prod",
        ),
        ("text", "patterns = ['HERON-[0-9]{4}']", "HERON-1234"),
        (
            "secret",
            "patterns = ['hrn_(?P<secret>[a-z0-9]{12,20})']",
            "hrn_q8zr2mlx7kw3",
        ),
        ("host", "hosts = [\"heron.io\"]", "https://git.heron.io/x"),
    ] {
        let scanner = Scanner::extended(&rule(kind, rest)).unwrap();
        let mut scan = Scan::new(scanner);
        scan.skill_md(text);
        let found = scan.finish();
        assert!(
            found.items.iter().any(|finding| &*finding.rule == "mine"),
            "{kind}: {found:?}"
        );
        assert!(!format!("{found:?}").contains("q8zr2mlx7kw3"));
    }
}

#[test]
fn words_may_be_added_and_those_there_may_be_used() {
    let text = format!(
        "[words]\nbird = '(?:heron|crane)'\n{}",
        rule("prose", "patterns = ['<flout> the <bird>']")
    );
    assert!(Scanner::extended(&text).is_ok());
    assert!(refusal("[words]\ngap = 'a'\nflout = 'b'\n").contains("`flout` is one of Vestry's"));
    assert!(refusal(&rule("prose", "patterns = ['the <nothing>']")).contains("no word `nothing`"));
    let text = format!(
        "[words]\nx = 'a<y>'\ny = 'b<x>'\n{}",
        rule("text", "patterns = ['<x>']")
    );
    assert!(refusal(&text).contains("made of itself"));
}

#[test]
fn changes_are_of_built_in_rules() {
    let scanner =
        Scanner::extended("[[change]]\nid = \"external-url\"\nseverity = \"high\"\n").unwrap();
    assert!(
        scanner
            .rules()
            .any(|rule| rule == ("external-url", Severity::High))
    );
    let scanner =
        Scanner::extended("[[change]]\nid = \"external-url\"\nenabled = false\n").unwrap();
    assert!(!scanner.rules().any(|(id, _)| id == "external-url"));
    assert!(refusal("[[change]]\nid = \"external-url\"\n").contains("changes nothing"));
    assert!(refusal("[[change]]\nid = \"x\"\nenabled = true\n").contains("no rule `x`"));
    let twice = "[[change]]\nid = \"external-url\"\nenabled = true\n".repeat(2);
    assert!(refusal(&twice).contains("changed twice"));
}

#[test]
fn what_is_wrong_is_said() {
    for (text, expected) in [
        (rule("prose", ""), "`patterns` or `phrases`"),
        (rule("text", "patterns = ['a.*b']"), "without an end"),
        (
            rule("text", "patterns = ['ab[^x]{0,5000}']"),
            "smaller bounds",
        ),
        (rule("text", "patterns = ['a?']"), "less than two bytes"),
        (rule("text", "patterns = ['(ab']"), "is no pattern"),
        (rule("prose", "phrases = [\"ab\"]"), "too short"),
        (rule("host", "hosts = [\"https://a.io\"]"), "is no host"),
        (
            rule("text", "patterns = ['ab']\nmixed = true"),
            "only secrets",
        ),
        (
            rule("secret", "patterns = ['abc']\nmin_entropy = 9.5"),
            "0 to 8",
        ),
        (rule("detector", ""), "built in"),
        (
            rule("text", "patterns = ['ab']\ncolour = 1"),
            "unknown field",
        ),
        (
            rule("text", "patterns = ['ab']").replace("mine", "Mine!"),
            "lower-case letters",
        ),
        (
            rule("text", "patterns = ['ab']").replace("mine", "external-url"),
            "is built in",
        ),
        (
            rule("text", "patterns = ['ab']").repeat(2),
            "two rules `mine`",
        ),
        (
            rule("text", "patterns = ['ab']").replace("Mine.", ""),
            "1 to 300 characters",
        ),
    ] {
        let said = refusal(&text);
        assert!(said.contains(expected), "{text}: {said}");
        assert!(!said.contains('\n'), "{said}");
    }
}
