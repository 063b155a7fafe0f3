//! What is imported: each name once.

use std::collections::BTreeMap;

use super::done::{Done, Verdict};
use crate::bundle::LocalSkill;

/// The skills whose names are different, in order; and a refusal of each of those that share one. Which of them is meant
/// is not ours to guess.
pub(super) fn distinct(skills: Vec<LocalSkill>) -> (Vec<LocalSkill>, Vec<Done>) {
    let mut by_name: BTreeMap<String, Vec<LocalSkill>> = BTreeMap::new();
    for skill in skills {
        by_name.entry(skill.name.clone()).or_default().push(skill);
    }
    let mut kept = Vec::new();
    let mut refused = Vec::new();
    for (name, skills) in by_name {
        if skills.len() == 1 {
            kept.extend(skills);
            continue;
        }
        let places: Vec<String> = skills
            .iter()
            .map(|skill| skill.place().display().to_string())
            .collect();
        for (index, place) in places.iter().enumerate() {
            let others: Vec<&str> = places
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index)
                .map(|(_, place)| place.as_str())
                .collect();
            let reason = format!(
                "{place} and {} are both called {name}; rename or remove all but one",
                others.join(" and ")
            );
            refused.push(Done::new(&name, place, Verdict::refused(reason)));
        }
    }
    (kept, refused)
}
