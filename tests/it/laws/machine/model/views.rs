//! What is seen of skills: catalogs and histories.

use serde_json::{Value, json};

use super::super::cast::Actor;
use super::super::ops::NAMES;
use super::{Model, Pin, Recall, Resolved, Spot, Upstream, description};

impl Model {
    /// What a caller's scopes resolve to, without a cap.
    pub(in crate::laws::machine) fn resolve(&self, who: &Actor) -> Resolved {
        let spots = who.spots();
        let mut entries: Vec<(bool, usize, usize, Value, Pin)> = Vec::new();
        let mut blocked = Vec::new();
        for (name, text) in NAMES.iter().enumerate() {
            // The ranks at which the name takes part, narrow to wide.
            let visible: Vec<usize> = (0..spots.len())
                .filter(|rank| {
                    self.skills.get(&(spots[*rank], name)).is_some_and(|skill| {
                        let is_hidden = spots[*rank] == Spot::Global
                            && !skill.sealed
                            && who
                                .tenant
                                .is_some_and(|tenant| self.hidden.contains(&(tenant, name)));
                        skill.status() == "active" && !is_hidden
                    })
                })
                .collect();
            let is_sealed = |rank: usize| self.skills[&(spots[rank], name)].sealed;
            let widest_sealed = visible.iter().copied().rfind(|rank| is_sealed(*rank));
            let Some(winner) = widest_sealed.or(visible.first().copied()) else {
                continue;
            };
            let shadows: Vec<Spot> = visible
                .iter()
                .filter(|rank| **rank > winner)
                .map(|rank| spots[*rank])
                .collect();
            for loser in visible.iter().filter(|rank| **rank < winner) {
                blocked.push(json!({
                    "name": text, "scope": spots[*loser].text(), "by": spots[winner].text(),
                }));
            }
            let skill = &self.skills[&(spots[winner], name)];
            let mut entry = json!({
                "name": text, "description": description(name, skill.current().text),
                "scope": spots[winner].text(), "revision": skill.revisions.len(),
                "digest": skill.current().digest, "sealed": skill.sealed, "templated": false,
            });
            if !shadows.is_empty() {
                entry["shadows"] = shadows.iter().map(|spot| spot.text()).collect();
            }
            let pin = Pin {
                spot: spots[winner],
                name,
                number: skill.revisions.len() as u32,
                shadows,
            };
            entries.push((!skill.sealed, winner, name, entry, pin));
        }
        entries.sort_by_key(|(unsealed, rank, name, _, _)| (*unsealed, *rank, *name));
        Resolved {
            sealed: entries.iter().filter(|(unsealed, ..)| !unsealed).count(),
            entries: entries
                .into_iter()
                .map(|(_, _, _, entry, pin)| (entry, pin))
                .collect(),
            blocked,
        }
    }

    /// What a skill at this spot overrides: the next wider one of its name that takes part.
    pub(in crate::laws::machine) fn upstream(&self, spot: Spot, name: usize) -> Option<Upstream> {
        let (tenant, wider) = match spot {
            Spot::Global => return None,
            Spot::Tenant(tenant) => (tenant, vec![Spot::Global]),
            Spot::Actor(tenant, _) => (tenant, vec![Spot::Tenant(tenant), Spot::Global]),
        };
        wider.into_iter().find_map(|at| {
            let skill = self.skills.get(&(at, name))?;
            let is_hidden =
                at == Spot::Global && !skill.sealed && self.hidden.contains(&(tenant, name));
            let takes_part = skill.status() == "active" && !is_hidden;
            takes_part.then(|| (at, skill.revisions.len(), skill.current().digest.clone()))
        })
    }

    /// What a skill overrides, when that is not what it was written against.
    pub(in crate::laws::machine) fn drift(&self, spot: Spot, name: usize) -> Option<Value> {
        let (at, number, digest) = self.upstream(spot, name)?;
        let then = &self.skills[&(spot, name)].against;
        if then
            .as_ref()
            .is_some_and(|then| (then.0, &then.2) == (at, &digest))
        {
            return None;
        }
        let written_against = then.as_ref().filter(|then| then.0 == at).map(|then| then.1);
        Some(json!({
            "scope": at.text(), "revision": number, "digest": digest,
            "written_against": written_against,
        }))
    }

    /// The revisions of a skill as the history shows them, newest first, but for the times.
    pub(in crate::laws::machine) fn history(&self, spot: Spot, name: usize) -> Vec<Value> {
        let Some(skill) = self.skills.get(&(spot, name)) else {
            return Vec::new();
        };
        let rows = (1_u32..).zip(&skill.revisions).map(|(number, revision)| {
            json!({
                "revision": number, "digest": revision.digest,
                "description": description(name, revision.text),
                "author": revision.author, "acts_for": revision.acts_for,
                "rolled_back_to": revision.rolled_back_to,
                "status": match revision.recall {
                    Recall::None => "active",
                    Recall::Quarantined => "quarantined",
                    Recall::Revoked => "revoked",
                },
            })
        });
        let mut rows: Vec<Value> = rows.collect();
        rows.reverse();
        rows
    }

    /// The digest that `Current` names; any when there is none.
    pub(in crate::laws::machine) fn current_digest(
        &self,
        spot: Spot,
        name: usize,
    ) -> Option<String> {
        let skill = self.skills.get(&(spot, name))?;
        Some(skill.current().digest.clone())
    }

    pub(in crate::laws::machine) fn is_there(&self, spot: Spot, name: usize) -> bool {
        self.skills
            .get(&(spot, name))
            .is_some_and(|skill| !skill.archived)
    }
}
