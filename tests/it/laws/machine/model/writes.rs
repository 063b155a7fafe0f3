//! The writes of skills.

use serde_json::{Value, json};

use super::super::cast::{Actor, TENANTS};
use super::super::ops::{NAMES, Pre, Verb};
use super::{Expected, Ground, Model, Recall, Revision, SEALED, Skill, Spot, verb_text};

impl Model {
    /// Whether the precondition holds; the current digest is what `Current` names.
    fn holds(&self, spot: Spot, name: usize, pre: Pre) -> bool {
        let skill = self.skills.get(&(spot, name));
        match pre {
            Pre::None | Pre::Fit => true,
            Pre::Absent => skill.is_none_or(|skill| skill.archived),
            Pre::Any | Pre::Current => skill.is_some(),
            Pre::Stale => false,
        }
    }

    fn change(&self, spot: Spot, name: usize, unchanged: bool) -> Value {
        let skill = &self.skills[&(spot, name)];
        json!({
            "name": NAMES[name], "scope": spot.text(), "revision": skill.revisions.len(),
            "digest": skill.current().digest, "status": skill.status(), "sealed": skill.sealed,
            "unchanged": unchanged,
        })
    }

    fn is_recalled_content(&self, spot: Spot, digest: &str) -> bool {
        self.skills
            .iter()
            .filter(|((at, _), _)| *at == spot)
            .flat_map(|(_, skill)| &skill.revisions)
            .any(|revision| revision.digest == digest && revision.recall != Recall::None)
    }

    pub(in crate::laws::machine) fn publish(
        &mut self,
        who: &Actor,
        spot: Spot,
        name: usize,
        text: u8,
        pre: Pre,
        digest: &str,
    ) -> Expected {
        if pre == Pre::None {
            return Expected::Problem(428, "precondition-required");
        }
        if !self.holds(spot, name, pre) {
            return Expected::Problem(412, "precondition-failed");
        }
        let before = self.skills.get(&(spot, name));
        let is_there = before.is_some_and(|skill| !skill.archived);
        if is_there
            && before.is_some_and(|skill| {
                skill.current().digest == digest && skill.current().recall == Recall::None
            })
        {
            // The same content again acknowledges what has changed above it, and is a change only then.
            if self.drift(spot, name).is_none() {
                return Expected::Ok(200, self.change(spot, name, true));
            }
            let against = self.upstream(spot, name);
            self.skills.get_mut(&(spot, name)).unwrap().against = against;
            self.record(
                spot.chain(),
                who,
                "publish-skill",
                format!("{}/{}", spot.text(), NAMES[name]),
            );
            return Expected::Ok(200, self.change(spot, name, false));
        }
        if self.is_recalled_content(spot, digest) {
            return Expected::Problem(409, "conflict");
        }
        let against = self.upstream(spot, name);
        let revision = Revision {
            text,
            digest: digest.to_owned(),
            recall: Recall::None,
            author: who.principal(),
            acts_for: who.agent.and(who.actor),
            rolled_back_to: None,
        };
        let skill = self.skills.entry((spot, name)).or_insert(Skill {
            revisions: Vec::new(),
            archived: false,
            disabled: false,
            sealed: false,
            against: None,
        });
        skill.against = against;
        skill.revisions.push(revision);
        skill.archived = false;
        self.record(
            spot.chain(),
            who,
            "publish-skill",
            format!("{}/{}", spot.text(), NAMES[name]),
        );
        Expected::Ok(
            if is_there { 200 } else { 201 },
            self.change(spot, name, false),
        )
    }

    pub(in crate::laws::machine) fn rollback(
        &mut self,
        who: &Actor,
        spot: Spot,
        name: usize,
        to: u32,
        pre: Pre,
    ) -> Expected {
        let Some(skill) = self
            .skills
            .get(&(spot, name))
            .filter(|skill| !skill.archived)
        else {
            return Expected::Problem(404, "not-found");
        };
        let earlier = skill.revisions.get(to as usize - 1).cloned();
        if !self.holds(spot, name, pre) {
            return Expected::Problem(412, "precondition-failed");
        }
        let Some(earlier) = earlier else {
            return Expected::Problem(404, "not-found");
        };
        if self.is_recalled_content(spot, &earlier.digest) {
            return Expected::Problem(409, "conflict");
        }
        let revision = Revision {
            author: who.principal(),
            acts_for: who.agent.and(who.actor),
            rolled_back_to: Some(to),
            ..earlier
        };
        let against = self.upstream(spot, name);
        let skill = self.skills.get_mut(&(spot, name)).unwrap();
        skill.revisions.push(revision);
        skill.against = against;
        self.record(
            spot.chain(),
            who,
            "rollback-skill",
            format!("{}/{}", spot.text(), NAMES[name]),
        );
        Expected::Ok(200, self.change(spot, name, false))
    }

    pub(in crate::laws::machine) fn archive(
        &mut self,
        who: &Actor,
        spot: Spot,
        name: usize,
        pre: Pre,
    ) -> Expected {
        if !self.skills.contains_key(&(spot, name)) {
            return Expected::Problem(404, "not-found");
        }
        if !self.holds(spot, name, pre) {
            return Expected::Problem(412, "precondition-failed");
        }
        let skill = self.skills.get_mut(&(spot, name)).unwrap();
        if skill.archived {
            return Expected::Ok(200, self.change(spot, name, true));
        }
        skill.archived = true;
        skill.sealed = false;
        self.record(
            spot.chain(),
            who,
            "archive-skill",
            format!("{}/{}", spot.text(), NAMES[name]),
        );
        Expected::Ok(200, self.change(spot, name, false))
    }

    pub(in crate::laws::machine) fn verb(
        &mut self,
        who: &Actor,
        spot: Spot,
        name: usize,
        verb: Verb,
        revision: Option<u32>,
        pre: Pre,
    ) -> Expected {
        let sealed_here = self
            .skills
            .iter()
            .filter(|((at, _), skill)| *at == spot && skill.sealed && !skill.archived)
            .count() as u64;
        let Some(skill) = self.skills.get(&(spot, name)) else {
            return Expected::Problem(404, "not-found");
        };
        let recalls = matches!(verb, Verb::Quarantine | Verb::Release | Verb::Revoke);
        if skill.archived && !recalls {
            return Expected::Problem(404, "not-found");
        }
        if matches!(verb, Verb::Disable | Verb::Enable) && !self.holds(spot, name, pre) {
            return Expected::Problem(412, "precondition-failed");
        }
        let skill = self.skills.get_mut(&(spot, name)).unwrap();
        let changed = match verb {
            Verb::Disable => !std::mem::replace(&mut skill.disabled, true),
            Verb::Enable => std::mem::replace(&mut skill.disabled, false),
            Verb::Seal if skill.sealed => false,
            Verb::Seal if sealed_here >= SEALED => {
                return Expected::Problem(422, "quota-exceeded");
            }
            Verb::Seal => {
                skill.sealed = true;
                true
            }
            Verb::Unseal => std::mem::replace(&mut skill.sealed, false),
            Verb::Quarantine | Verb::Release | Verb::Revoke => {
                let number = revision.map_or(skill.revisions.len(), |number| number as usize);
                let Some(subject) = skill.revisions.get_mut(number - 1) else {
                    return Expected::Problem(404, "not-found");
                };
                let wanted = match verb {
                    Verb::Quarantine => Recall::Quarantined,
                    Verb::Revoke => Recall::Revoked,
                    _ => Recall::None,
                };
                if subject.recall != wanted && subject.recall == Recall::Revoked {
                    return Expected::Problem(409, "conflict");
                }
                std::mem::replace(&mut subject.recall, wanted) != wanted
            }
        };
        if changed {
            self.record(
                spot.chain(),
                who,
                &format!("{}-skill", verb_text(verb)),
                format!("{}/{}", spot.text(), NAMES[name]),
            );
        }
        Expected::Ok(200, self.change(spot, name, !changed))
    }

    pub(in crate::laws::machine) fn hide(
        &mut self,
        who: &Actor,
        tenant: usize,
        name: usize,
        show: bool,
    ) -> Expected {
        let skill = self.skills.get(&(Spot::Global, name));
        let changed = if show {
            if skill.is_none() {
                return Expected::Problem(404, "not-found");
            }
            self.hidden.remove(&(tenant, name))
        } else {
            match skill {
                Some(skill) if !skill.archived && skill.sealed => {
                    return Expected::Problem(409, "conflict");
                }
                Some(skill) if !skill.archived => {}
                _ => return Expected::Problem(404, "not-found"),
            }
            self.hidden.insert((tenant, name))
        };
        if changed {
            let action = if show { "show-skill" } else { "hide-skill" };
            let target = format!("tenant:{} global/{}", TENANTS[tenant], NAMES[name]);
            self.record(tenant, who, action, target);
        }
        Expected::Ok(
            200,
            json!({"name": NAMES[name], "tenant": TENANTS[tenant], "hidden": !show, "unchanged": !changed}),
        )
    }

    /// Everything with this digest in the caller's scopes is quarantined, as far as the caller may.
    pub(in crate::laws::machine) fn recall(
        &mut self,
        who: &Actor,
        ground: Ground,
        digest: &str,
    ) -> Expected {
        let mut recalled = Vec::new();
        let mut refused = Vec::new();
        let mut first = None;
        for spot in who.spots() {
            for (name, text) in NAMES.iter().enumerate() {
                let numbers: Vec<u32> = self
                    .skills
                    .get(&(spot, name))
                    .map(|skill| {
                        (1..)
                            .zip(&skill.revisions)
                            .filter(|(_, revision)| revision.digest == digest)
                            .map(|(number, _)| number)
                            .collect()
                    })
                    .unwrap_or_default();
                for number in numbers {
                    let mut found = json!({"scope": spot.text(), "name": text, "revision": number});
                    if let Some(rule) = self.refused(who, ground, spot, false) {
                        self.refuse(who, "quarantine-skill", spot.text(), rule);
                        first = first.or(Some(rule));
                        found["rule"] = rule.into();
                        refused.push(found);
                        continue;
                    }
                    match self.verb(who, spot, name, Verb::Quarantine, Some(number), Pre::None) {
                        Expected::Ok(..) => recalled.push(found),
                        _ => {
                            found["rule"] = "revoked".into();
                            refused.push(found);
                        }
                    }
                }
            }
        }
        match first {
            _ if recalled.is_empty() && refused.is_empty() => Expected::Problem(404, "not-found"),
            Some(rule) if recalled.is_empty() => Expected::Refused(rule),
            _ => Expected::Ok(
                200,
                json!({"action": "quarantine", "recalled": recalled, "refused": refused}),
            ),
        }
    }
}
