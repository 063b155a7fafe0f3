//! docs/governance.md promises things, and names the tests that hold them: those are there.

use std::path::Path;

#[test]
fn every_promise_names_tests_that_are_there() {
    let page = include_str!("../../../docs/governance.md");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let table = page
        .split_once("| promise | held by |")
        .expect("the table of promises")
        .1;
    let mut tests = 0;
    for row in table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
    {
        let named: Vec<(&str, &str)> = row
            .split('`')
            .filter_map(|piece| piece.split_once("::"))
            .collect();
        assert!(!named.is_empty(), "a promise without a test: {row}");
        for (file, function) in named {
            let source = std::fs::read_to_string(root.join(file))
                .unwrap_or_else(|error| panic!("{file}: {error}"));
            let declared = format!("fn {function}(");
            let (before, _) = source
                .split_once(&declared)
                .unwrap_or_else(|| panic!("{file} has no {function}"));
            // The attribute is near: a helper of that name would be no test.
            let near: String = before.lines().rev().take(4).collect();
            assert!(near.contains("test"), "{function} in {file} is no test");
            tests += 1;
        }
    }
    assert!(tests > 40, "{tests} tests");
}
