//! Fuzzing the reader with texts that are almost SKILL.md files: those of the corpus, cut, doubled, spliced and salted
//! with what YAML is made of. `VESTRY_FUZZ_SECONDS=600` lets it run for ten minutes, `VESTRY_SEED` elsewhere.

use std::path::Path;
use std::time::{Duration, Instant};

use vestry_policies::SkillName;

use super::tests::number;
use super::*;

/// No text may take longer than this, on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(2);

/// The largest file of the corpus that is taken for fuzzing: larger ones would be all that is done.
const LARGEST: u64 = 8 << 10;

const SALT: [&str; 48] = [
    "---\n",
    "---",
    "----\n",
    "...\n",
    "\n",
    "\r\n",
    "\t",
    "  ",
    ": ",
    ":",
    "- ",
    "? ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&a ",
    "*a",
    "!!str ",
    "<<: ",
    "|",
    ">",
    "|-\n",
    ">+2\n",
    "\"",
    "'",
    "\\",
    "\\u200b",
    "#",
    " #",
    "%YAML 1.2\n",
    "@",
    "`",
    "~",
    "null",
    "true",
    "name: a\n",
    "description: b\n",
    "metadata:\n  templated: \"true\"\n",
    "\u{feff}",
    "\u{200d}",
    "e\u{301}",
    "😀",
    "<!--",
    "-->",
    "[//]: # (x)\n",
    "0x",
];

/// A small generator (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }

    /// A place between two characters.
    fn place(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

fn corpus() -> Vec<String> {
    let mut texts = Vec::new();
    let mut directories = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/corpus")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.ends_with("SKILL.md") && path.metadata().unwrap().len() <= LARGEST {
                texts.extend(std::fs::read_to_string(path));
            }
        }
    }
    texts.sort();
    assert!(texts.len() > 300, "{}", texts.len());
    texts
}

fn mutated(random: &mut SplitMix, corpus: &[String]) -> String {
    let mut text = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(6) {
        // Most of what can go wrong is in the frontmatter.
        let head = text.find("\n---").map_or(text.len(), |end| end + 4);
        let reach = if random.below(4) == 0 {
            text.len()
        } else {
            head
        };
        let at = random.place(text.get(..reach).unwrap_or(&text));
        match random.below(5) {
            0 | 1 => text.insert_str(at, SALT[random.below(SALT.len())]),
            2 => {
                let end = random.place(&text).max(at).min(at + 40);
                if text.is_char_boundary(end) {
                    text.replace_range(at..end, "");
                }
            }
            3 => {
                let other = &corpus[random.below(corpus.len())];
                let (a, b) = (random.place(other), random.place(other));
                let piece = other.get(a.min(b)..a.max(b)).unwrap();
                text.insert_str(at, piece);
            }
            _ => {
                let piece = SALT[random.below(SALT.len())];
                text.insert_str(at, &piece.repeat(random.below(300)));
            }
        }
    }
    text
}

/// What was read is read the same when it is written anew, and what is refused names a line that the text has.
fn judge(text: &str) -> Result<bool, String> {
    match SkillMd::parse(text) {
        Ok(read) => {
            let body = text
                .get(read.body_offset..)
                .ok_or("the body begins inside a character")?;
            if read.description.contains(['\n', '\r'])
                || read.description.chars().count() > MAX_DESCRIPTION
            {
                return Err("the description is not one line".into());
            }
            let Ok(name) = SkillName::parse(&read.name) else {
                return Ok(true);
            };
            let written = write(&name, &read.description, &read.frontmatter, body);
            let again =
                SkillMd::parse(&written).map_err(|error| format!("{error} in\n{written}"))?;
            let same = again.description == read.description
                && again.frontmatter == read.frontmatter
                && again.templated == read.templated
                && written.get(again.body_offset..) == Some(body);
            if same {
                Ok(true)
            } else {
                Err(format!("read differently from\n{written}"))
            }
        }
        Err(error) if error.line == 0 || error.line > text.matches('\n').count() + 1 => {
            Err(format!("there is no such line: {error}"))
        }
        Err(_) => Ok(false),
    }
}

#[test]
fn texts_that_are_almost_a_skill_md() {
    let seed = u64::from(number("VESTRY_SEED").unwrap_or(1));
    let seconds = u64::from(number("VESTRY_FUZZ_SECONDS").unwrap_or(3));
    println!("VESTRY_SEED={seed}, {seconds} seconds");
    let corpus = corpus();
    let mut random = SplitMix(seed);
    let begun = Instant::now();
    let (mut texts, mut taken, mut slowest) = (0_u64, 0_u64, Duration::ZERO);
    while begun.elapsed() < Duration::from_secs(seconds) {
        let text = mutated(&mut random, &corpus);
        let before = Instant::now();
        let judged = judge(&text);
        slowest = slowest.max(before.elapsed());
        assert!(slowest < PATIENCE, "{slowest:?} for\n{text}");
        match judged {
            Ok(was_taken) => taken += u64::from(was_taken),
            Err(why) => panic!("{why}\n--- from\n{}", text.escape_debug()),
        }
        texts += 1;
    }
    println!("{texts} texts, {taken} taken, the slowest in {slowest:?}");
    assert!(taken > 0 && taken < texts);
}
