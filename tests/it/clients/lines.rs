//! The clients are small enough to be read before they are used.

use std::path::Path;

use super::examples;

/// The most lines of code of a client: 400 for what a loop needs, and what telling a conversation of its skills adds.
const MOST: usize = 440;
/// The most lines of code of the instruction catalogs, which are imported by themselves.
const MOST_OF_CATALOGS: usize = 560;

/// The lines that are neither empty, nor a comment, nor a docstring.
fn lines_of_code(text: &str) -> usize {
    const DOCSTRING: &str = "\"\"\"";
    let mut is_in_docstring = false;
    let mut count = 0;
    for line in text.lines().map(str::trim) {
        if is_in_docstring {
            is_in_docstring = !line.ends_with(DOCSTRING);
        } else if let Some(rest) = line.strip_prefix(DOCSTRING) {
            is_in_docstring = !rest.ends_with(DOCSTRING);
        } else if !line.is_empty()
            && !["#", "//", "/*", "*"]
                .iter()
                .any(|mark| line.starts_with(mark))
        {
            count += 1;
        }
    }
    count
}

fn sources(directory: &Path, ending: &str) -> usize {
    let files = std::fs::read_dir(directory).unwrap();
    let sources = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == ending));
    let lines = sources.map(|path| lines_of_code(&std::fs::read_to_string(path).unwrap()));
    lines.sum()
}

#[test]
fn clients_and_their_instruction_catalogs_are_small() {
    for (directory, ending, most) in [
        ("clients/python/src/vestry", "py", MOST),
        ("clients/typescript/src", "ts", MOST),
        ("clients/python/src/vestry/prompts", "py", MOST),
        ("clients/typescript/src/prompts", "ts", MOST),
        (
            "clients/python/src/vestry/instructions",
            "py",
            MOST_OF_CATALOGS,
        ),
        (
            "clients/typescript/src/instructions",
            "ts",
            MOST_OF_CATALOGS,
        ),
    ] {
        let lines = sources(&examples(directory), ending);
        assert!((200..most).contains(&lines), "{directory} has {lines}");
    }
}

#[test]
fn lines_are_counted_as_people_count_them() {
    let text = "\"\"\"One.\n\nTwo.\n\"\"\"\nimport x\n\n# no\ndef f():\n    \"\"\"Short.\"\"\"\n    return 1\n/** no\n * no\n */\n// no\nlet a;\n";
    assert_eq!(lines_of_code(text), 4);
}
