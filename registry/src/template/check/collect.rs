//! Findings of all situations, merged.

use std::collections::HashMap;

use crate::template::diagnostics::Finding;
use crate::template::schema::types::{Known, Situation};

/// Findings beyond this many are not kept: the diagnostics show fewer.
const KEPT: usize = 2_000;

#[derive(Debug)]
pub(super) struct Collected {
    found: HashMap<(usize, usize, &'static str, String), (Finding, u64)>,
    now: u64,
    all: u64,
}

impl Collected {
    pub(super) fn new(situations: usize) -> Collected {
        let all = if situations >= 64 {
            u64::MAX
        } else {
            (1 << situations.max(1)) - 1
        };
        Collected {
            found: HashMap::new(),
            now: all,
            all,
        }
    }

    pub(super) fn situation(&mut self, number: usize) {
        self.now = 1_u64
            .checked_shl(u32::try_from(number).unwrap_or(63))
            .unwrap_or(1 << 63);
    }

    /// In the situation that is being checked.
    pub(super) fn here(&mut self, finding: Finding) {
        let key = (
            finding.span.start,
            finding.span.end,
            finding.code,
            finding.message.clone(),
        );
        if let Some((_, mask)) = self.found.get_mut(&key) {
            *mask |= self.now;
        } else if self.found.len() < KEPT {
            self.found.insert(key, (finding, self.now));
        }
    }

    /// Whatever the situation.
    pub(super) fn everywhere(&mut self, finding: Finding) {
        let now = std::mem::replace(&mut self.now, self.all);
        self.here(finding);
        self.now = now;
    }

    pub(super) fn finish(self, situations: &[Situation]) -> Vec<Finding> {
        let all = self.all;
        self.found
            .into_values()
            .map(|(mut finding, mask)| {
                if mask != all {
                    let met: Vec<_> = situations
                        .iter()
                        .enumerate()
                        .filter(|(number, _)| mask >> (*number).min(63) & 1 == 1)
                        .map(|(_, situation)| situation)
                        .collect();
                    finding.message = format!("{} ({})", finding.message, when(&met));
                    finding.situations = met
                        .iter()
                        .map(|situation| situation.name.to_string())
                        .collect();
                }
                finding
            })
            .collect()
    }
}

/// `when opening.kind is task-start or task-resume, and in loaded-task`
fn when(met: &[&Situation]) -> String {
    let mut by_path: Vec<(String, Vec<&str>)> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for situation in met {
        let word = situation
            .known
            .iter()
            .find_map(|(path, known)| match known {
                Known::Eq(word) => Some((path.join("."), &**word)),
                Known::Null | Known::NonNull => None,
            });
        match word {
            Some((path, word)) => match by_path.iter_mut().find(|(known, _)| *known == path) {
                Some((_, words)) => words.push(word),
                None => by_path.push((path, vec![word])),
            },
            None => others.push(&situation.name),
        }
    }
    let mut parts: Vec<String> = by_path
        .into_iter()
        .map(|(path, words)| format!("when {path} is {}", words.join(" or ")))
        .collect();
    if !others.is_empty() {
        parts.push(format!("in {}", others.join(", ")));
    }
    parts.join(", and ")
}
