//! Directories that the reference validator accepts are imported, but for what `docs/api-design.md` lists.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::reference::{DOCUMENTED, verdicts};
use crate::harness::{Directory, People, TestServer, knob, run};

/// Odd things that are valid, each in a directory of its own: what the SKILL.md is, with `NAME` for the name.
const ODD: [(&str, &str); 34] = [
    (
        "plain",
        "---\nname: NAME\ndescription: Use it.\n---\nDo it.\n",
    ),
    (
        "windows-lines",
        "---\r\nname: NAME\r\ndescription: Use it.\r\n---\r\nDo it.\r\n",
    ),
    (
        "mixed-lines",
        "---\nname: NAME\r\ndescription: Use it.\n---\r\nDo it.\n",
    ),
    (
        "no-last-line-break",
        "---\nname: NAME\ndescription: Use it.\n---\nDo it.",
    ),
    (
        "spaces-after-fence",
        "---  \nname: NAME\ndescription: Use it.\n---\t\nDo it.\n",
    ),
    (
        "blank-lines",
        "---\n\nname: NAME\n\n\ndescription: Use it.\n\n---\n\n\nDo it.\n",
    ),
    (
        "other-order",
        "---\ndescription: Use it.\nname: NAME\n---\nDo it.\n",
    ),
    (
        "quoted",
        "---\nname: \"NAME\"\ndescription: 'It''s \"it\": use it.'\n---\nDo it.\n",
    ),
    (
        "comments",
        "---\n# Ours\nname: NAME # the name\ndescription: Use it. # when\n---\nDo it.\n",
    ),
    (
        "folded",
        "---\nname: NAME\ndescription: >-\n  Use it when\n  it is there.\n---\nDo it.\n",
    ),
    (
        "literal",
        "---\nname: NAME\ndescription: |\n  Use it when\n  it is there.\n---\nDo it.\n",
    ),
    (
        "plain-over-lines",
        "---\nname: NAME\ndescription: Use it when\n  it is there.\n---\nDo it.\n",
    ),
    (
        "colon-inside",
        "---\nname: NAME\ndescription: Use it at 10:30 or a:b.\n---\nDo it.\n",
    ),
    (
        "numbers",
        "---\nname: NAME\ndescription: 42\nlicense: 1.0\n---\nDo it.\n",
    ),
    (
        "words-of-yaml",
        "---\nname: NAME\ndescription: yes\nlicense: null\n---\nDo it.\n",
    ),
    (
        "date",
        "---\nname: NAME\ndescription: 2026-01-31\n---\nDo it.\n",
    ),
    (
        "everything",
        "---\nname: NAME\ndescription: Use it.\nlicense: Apache-2.0\ncompatibility: Needs git\nallowed-tools: Bash(git:*) Read\nmetadata:\n  author: us\n  version: \"1.0\"\n---\nDo it.\n",
    ),
    (
        "empty-license",
        "---\nname: NAME\ndescription: Use it.\nlicense:\n---\nDo it.\n",
    ),
    (
        "metadata-numbers",
        "---\nname: NAME\ndescription: Use it.\nmetadata:\n  a: 1\n  b: 1.10\n  c: true\n---\nDo it.\n",
    ),
    (
        "metadata-nested",
        "---\nname: NAME\ndescription: Use it.\nmetadata:\n  a:\n    b: c\n---\nDo it.\n",
    ),
    (
        "metadata-list",
        "---\nname: NAME\ndescription: Use it.\nmetadata:\n- a\n- b\n---\nDo it.\n",
    ),
    (
        "tools-list",
        "---\nname: NAME\ndescription: Use it.\nallowed-tools:\n- Read\n- Grep\n---\nDo it.\n",
    ),
    (
        "other-scripts",
        "---\nname: NAME\ndescription: \u{5fc5}\u{8981} \u{645}\u{62b} \u{1f680} caf\u{e9}.\n---\nDo it.\n",
    ),
    (
        "tabs-in-body",
        "---\nname: NAME\ndescription: Use it.\n---\n\tDo it.\n",
    ),
    (
        "rule-in-body",
        "---\nname: NAME\ndescription: Use it.\n---\nDo it.\n\n---\n\nThen that.\n",
    ),
    (
        "braces-in-body",
        "---\nname: NAME\ndescription: Use it.\n---\nRun ${{ secrets.TOKEN }} and {{x}}.\n",
    ),
    (
        "html-in-body",
        "---\nname: NAME\ndescription: Use it.\n---\n<!-- hidden -->\n<b>Do it.</b>\n",
    ),
    // What the table in `docs/api-design.md` lists.
    (
        "fence-inside-a-line",
        "---\nname: NAME\ndescription: Use it.\nlicense: a---b\nDo it.\n",
    ),
    (
        "longer-fence",
        "----\nname: NAME\ndescription: Use it.\n---\nDo it.\n",
    ),
    (
        "text-after-fence",
        "---\nname: NAME\ndescription: Use it.\n--- Do it.\n",
    ),
    ("no-body", "---\nname: NAME\ndescription: Use it.\n---\n"),
    (
        "unseen",
        "---\nname: NAME\ndescription: Use it.\n---\nDo\u{200b} it.\n",
    ),
    (
        "not-composed",
        "---\nname: NAME\ndescription: Use it.\n---\nCafe\u{301}.\n",
    ),
    (
        "gr\u{f6}\u{df}e",
        "---\nname: NAME\ndescription: Use it.\n---\nDo it.\n",
    ),
];

/// A stream of numbers that a seed decides (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % below as u64).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.next(from.len())]
    }
}

/// A SKILL.md put together from parts, most of which are valid.
fn made_up(numbers: &mut Numbers, name: &str) -> String {
    let description = match numbers.next(12) {
        0 => "x".repeat(1_024),
        1 => "x".repeat(1_025),
        2 => "\u{e9}".repeat(1_024),
        3 => format!("|\n  Use it.\n\n  {}", "word ".repeat(20)),
        4 => "\"a \\\" b \\\\ c \\u00e9\"".to_owned(),
        _ => numbers
            .pick(&[
                "Use it.",
                "'Use: it'",
                "\"Use #it\"",
                "Use it -- always",
                "a & b <c>",
                "[x",
                "~",
                "''",
                "0x10",
                "Use it, {or} not",
            ])
            .to_owned(),
    };
    let mut keys = vec![
        format!("name: {name}"),
        format!("description: {description}"),
    ];
    for (chance, key) in [
        (3, "license: MIT"),
        (3, "license: \"See LICENSE.txt: all of it\""),
        (3, "compatibility: Needs Python 3.12, and git"),
        (3, "allowed-tools: Read Grep Bash(git log:*)"),
        (3, "metadata:\n  a-b: c\n  \"d e\": 'f'\n  g.h: \"1\""),
        (8, "metadata:\n  templated: \"false\""),
        (24, "metadata: {}"),
        (24, "metadata: {a: b}"),
        (24, "version: 1.0"),
        (24, "tags:\n- a\n- b"),
        (24, "# only a comment"),
        (24, "a: &b c\nd: *b"),
    ] {
        let named = key.split(':').next().unwrap();
        let is_there = keys
            .iter()
            .any(|known| known.split(':').next() == Some(named));
        if numbers.next(chance) == 0 && !is_there {
            keys.push(key.to_owned());
        }
    }
    if numbers.next(3) == 0 {
        let at = numbers.next(keys.len());
        keys.swap(0, at);
    }
    let opening = if numbers.next(8) == 0 {
        numbers.pick(&["--- ", "-----", " ---", "\u{feff}---"])
    } else {
        "---"
    };
    let closing = if numbers.next(8) == 0 {
        numbers.pick(&["---\t", "----", "...", "--- #"])
    } else {
        "---"
    };
    let body = numbers.pick(&[
        "Do it.",
        "# It\n\nDo it.\n",
        "\n\n\nDo it.\n\n\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "```yaml\n---\nname: other\n---\n```\n",
        "",
        "   \n",
        "\u{627}\u{644}\u{639}\u{631}\u{628}\u{64a}\u{629} \u{4e2d}\u{6587} \u{1f469}\u{200d}\u{1f4bb}\n",
        "Do\u{ad} it.\n",
    ]);
    let text = format!("{opening}\n{}\n{closing}\n{body}", keys.join("\n"));
    if numbers.next(4) == 0 {
        text.replace('\n', "\r\n")
    } else {
        text
    }
}

/// What an import says of each directory: nothing where it took it, else why not.
async fn import(root: &Path) -> BTreeMap<String, String> {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let address = format!("http://{}", server.address);
    let arguments = [
        "import",
        root.to_str().unwrap(),
        "--scope",
        "tenant:acme",
        "--json",
        "--server",
        &address,
        "--token",
        maria.token(),
    ];
    let ran = run(&arguments, "").await;
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    let report: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{told}"));
    assert_eq!(report["stopped"], Value::Null, "{told}");
    let mut said = BTreeMap::new();
    for list in ["refused", "skipped", "created", "updated", "unchanged"] {
        for line in report[list].as_array().unwrap() {
            let path = line["path"].as_str().unwrap();
            let taken = list != "refused" && list != "skipped";
            let reason = if taken {
                String::new()
            } else {
                line.to_string()
            };
            let path = Path::new(path);
            let path = path.strip_prefix(root).unwrap_or(path);
            let folder = path.iter().next().unwrap().to_str().unwrap();
            said.insert(folder.to_owned(), reason);
        }
    }
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_reference_validator_accepts_is_imported() {
    let seed = knob("VESTRY_SEED", 4);
    println!("seed {seed}");
    let folder = Directory::new();
    let root = folder.path();
    let mut numbers = Numbers(seed);
    let made: Vec<(String, String)> = ODD
        .iter()
        .map(|(name, text)| ((*name).to_owned(), text.replace("NAME", name)))
        .chain((0..400).map(|number| {
            let name = format!("made-{number}");
            let text = made_up(&mut numbers, &name);
            (name, text)
        }))
        .collect();
    for (name, text) in &made {
        let directory = root.join(name);
        std::fs::create_dir_all(directory.join("references/deep")).unwrap();
        // The validator takes the lower-case name too, and does not look at other files.
        let file = numbers.pick(&["SKILL.md", "SKILL.md", "SKILL.md", "skill.md"]);
        std::fs::write(directory.join(file), text).unwrap();
        if numbers.next(3) == 0 {
            std::fs::write(directory.join("references/deep/a b.md"), "# A\n").unwrap();
            std::fs::write(directory.join("LICENSE.txt"), "MIT\n").unwrap();
            std::fs::write(directory.join("data.bin"), [0, 255, 254]).unwrap();
        }
    }
    let directories: Vec<String> = made
        .iter()
        .map(|(name, _)| root.join(name).to_str().unwrap().to_owned())
        .collect();
    let Some(verdicts) = verdicts(&directories) else {
        return;
    };
    let said = import(root).await;
    let (mut both, mut documented, mut wrong) = (0, Vec::new(), Vec::new());
    for (name, text) in &made {
        let valid = verdicts[root.join(name).to_str().unwrap()].is_empty();
        let reason = said
            .get(name)
            .map_or("the import does not mention it", String::as_str);
        match DOCUMENTED.iter().find(|words| reason.contains(**words)) {
            _ if !valid => {}
            _ if reason.is_empty() => both += 1,
            Some(words) => documented.push(*words),
            None => wrong.push(format!("{name}: {reason}\n{text}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    documented.sort_unstable();
    documented.dedup();
    println!("{both} are accepted by both; refused here: {documented:?}");
    assert!(both >= 100, "{both}");
    assert!(documented.len() >= 5, "{documented:?}");
}
