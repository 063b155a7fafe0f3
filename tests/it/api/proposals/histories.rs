//! Two agents and three humans in any order never have anything published that nobody eligible approved (invariant 6).
//!
//! The rules are held to this over many more histories in `policies/tests/laws/review.rs`; here the same is asked of a
//! server, which also keeps what it is told. `VESTRY_HISTORIES` runs more.

use std::collections::BTreeSet;

use serde_json::json;
use vestry::entropy::{Entropy, SeededEntropy};

use super::{approval, set};
use crate::harness::{Client, People, TestServer, content, knob};

const SEED: u64 = 64;
/// Steps of one history.
const STEPS: usize = 24;

/// What is chosen next, by the seed.
struct Dice(SeededEntropy);

impl Dice {
    fn below(&self, most: usize) -> usize {
        let mut bytes = [0_u8; 8];
        self.0.fill(&mut bytes).unwrap();
        usize::try_from(u64::from_be_bytes(bytes) % u64::try_from(most).unwrap()).unwrap()
    }
}

/// Someone who takes part.
struct Player {
    client: Client,
    /// The human itself, or the one acted for.
    human: &'static str,
    is_agent: bool,
}

/// What was heard of a proposal: who wrote it, who approved which content against which base.
#[derive(Default)]
struct Heard {
    id: String,
    wrote: BTreeSet<&'static str>,
    had_written: BTreeSet<&'static str>,
    approved: Vec<(&'static str, String, String)>,
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_published_that_nobody_eligible_approved() {
    println!("seed {SEED}");
    let dice = Dice(SeededEntropy::new(SEED));
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people.member("acme", "mia", "publisher").await.expect(200);
    let mut players = Vec::new();
    for human in ["maria", "pavel", "mia"] {
        players.push(Player {
            client: people.elevated(human, "tenant:acme").await,
            human,
            is_agent: false,
        });
    }
    for (human, agent) in [("maria", "maria-bot"), ("tom", "tom-bot")] {
        players.push(Player {
            client: people.agent("acme", human, agent).await,
            human,
            is_agent: true,
        });
    }
    let mut published = 0;
    for history in 0..knob("VESTRY_HISTORIES", 12) {
        let required = 1 + dice.below(2);
        let distinct = ["auto", "always"][dice.below(2)];
        set(
            &people,
            "acme",
            json!({"required_approvals": required, "distinct_human": distinct, "max_open_proposals": 10_000}),
        )
        .await;
        published += live(&dice, &players, &format!("skill-{history}"), required).await;
    }
    assert!(published > 0, "the histories reach what they are about");
    println!("{published} publications");
}

/// One history, about one skill. Gives how often a proposal was published.
async fn live(dice: &Dice, players: &[Player], name: &str, required: usize) -> usize {
    let mut heard: Vec<Heard> = Vec::new();
    let mut published = 0;
    let path = format!("/v1/skills/tenant:acme/{name}");
    let watcher = &players[0].client;
    for number in 0..STEPS {
        let player = &players[dice.below(players.len())];
        let text = format!("{name} {number}");
        let choice = dice.below(10);
        if heard.is_empty() || choice == 0 {
            let made = player.client.propose("tenant:acme", name, &text).await;
            if made.status == 201 {
                let mut new = Heard {
                    id: made.text("id"),
                    ..Heard::default()
                };
                note(&mut new, player);
                heard.push(new);
            }
            continue;
        }
        let at = dice.below(heard.len());
        let id = heard[at].id.clone();
        match choice {
            1 => {
                let path = format!("/v1/proposals/{id}");
                let edited = player.client.put(&path, content(&text)).await;
                if edited.status == 200 && edited.body["unchanged"] != true {
                    note(&mut heard[at], player);
                }
            }
            2 => drop(player.client.on_proposal(&id, "rebase", json!({})).await),
            3 if number % 4 == 0 => {
                drop(player.client.on_proposal(&id, "withdraw", json!({})).await);
            }
            3 if !player.is_agent => {
                // A publication beside the proposals moves their base.
                drop(player.client.update("tenant:acme", name, &text).await);
            }
            _ => {
                // What the watcher read; sometimes it is not what is there any more when it is decided.
                let page = watcher.proposal(&id).await.expect(200).body;
                let body = approval(&page);
                let base = body["base"].as_str().unwrap_or_default().to_owned();
                let digest = body["digest"].as_str().unwrap().to_owned();
                let answer = player.client.on_proposal(&id, "decision", body).await;
                if answer.status != 200 {
                    continue;
                }
                assert!(!player.is_agent, "an agent decided");
                heard[at]
                    .approved
                    .push((player.human, digest.clone(), base.clone()));
                let now = answer.text("state");
                if now == "published" && answer.body["unchanged"] != true {
                    published += 1;
                    hold(&heard[at], &digest, &base, required);
                    let skill = watcher.get(&path).await.expect(200);
                    assert_eq!(
                        skill.text("digest"),
                        digest,
                        "what is published was approved"
                    );
                }
            }
        }
    }
    published
}

fn note(heard: &mut Heard, player: &Player) {
    if player.is_agent {
        heard.had_written.insert(player.human);
    } else {
        heard.wrote.insert(player.human);
    }
}

/// Those who approved exactly this, none of whom wrote it or had it written, are enough. All three are publishers all the
/// time, so that nobody whom an agent acted for is the only one who could.
fn hold(heard: &Heard, digest: &str, base: &str, required: usize) {
    let eligible: BTreeSet<&str> = heard
        .approved
        .iter()
        .filter(|(_, of, against)| of == digest && against == base)
        .map(|(human, ..)| *human)
        .filter(|human| !heard.wrote.contains(human) && !heard.had_written.contains(human))
        .collect();
    assert!(
        eligible.len() >= required,
        "{} was published by {eligible:?} of {:?}",
        heard.id,
        heard.approved
    );
}
