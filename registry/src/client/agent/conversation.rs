//! Which skills are in a conversation right now: what loads need not give again, and what they replace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::load::{Load, Loaded};
use super::offer::Offer;
use super::{AgentError, Answered, Caller};

/// The most digests that a load names.
const MOST: usize = 1_000;

/// The skills that are in a conversation, by their URIs, with the digests of their texts. It outlives the turns: keep it with
/// the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Conversation(BTreeMap<String, String>);

impl Conversation {
    /// The digests of what is in it, for [`Load::have`].
    pub fn have(&self) -> impl Iterator<Item = &str> {
        self.0.values().map(String::as_str)
    }

    /// Loads an offered skill for this conversation: without its body where that is in it, and as `changed` where another
    /// text of it is, which then counts as gone. The texts of templates are told apart here as well; the server keeps none.
    ///
    /// # Errors
    /// As [`Offer::load`]. A skill that has been recalled is no longer in the conversation.
    pub async fn load<C: Caller>(
        &mut self,
        caller: &C,
        offer: &mut Offer,
        mut load: Load,
    ) -> Result<Answered<Loaded>, AgentError<C::Error>> {
        load.have = self.have().take(MOST).map(str::to_owned).collect();
        match offer.load(caller, &load).await {
            Ok(mut answer) => {
                self.note(&mut answer.typed);
                Ok(answer)
            }
            Err(error) => {
                if error.code() == "skill-recalled" {
                    self.forget(&load.name);
                }
                Err(error)
            }
        }
    }

    /// Takes a loaded skill in, and says whether it replaces another text of it.
    fn note(&mut self, loaded: &mut Loaded) {
        // Older servers say nothing of nodes: then scope and name have to do.
        let path = match &loaded.context_node {
            Some(node) => node.skill_path.clone(),
            None => format!("{}/{}/SKILL.md", loaded.scope, loaded.name),
        };
        let before = self.0.insert(path, loaded.rendered_digest.clone());
        let is_other = before.is_some_and(|before| before != loaded.rendered_digest);
        loaded.changed |= is_other && !loaded.already_loaded;
    }

    /// Says that a skill of this name, or URI, has left the conversation, as by compaction: the next load gives it again.
    pub fn forget(&mut self, skill: &str) {
        let ending = format!("/{skill}/SKILL.md");
        self.0
            .retain(|path, _| path != skill && !path.ends_with(&ending));
    }

    /// Says that all skills have left the conversation.
    pub fn forget_all(&mut self) {
        self.0.clear();
    }
}
