//! The client for agents in Rust, which the command line uses as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use vestry::client::agent::{
    Agent, AgentError, Conversation, Evidence, Load, Offer, PromptFile, PromptTerms, Proposal,
    Published, Terms, Turn, Useless, prompt_template, propose, write_own_skill,
};

use super::Stage;

fn content(body: &str) -> Map<String, Value> {
    let content = json!({"description": "Use for it.", "body": body});
    content.as_object().unwrap().clone()
}

fn terms(turn: &str) -> Terms {
    Terms {
        turn: Some(turn.to_owned()),
        cap: Some(10),
        session: Some("s-1".to_owned()),
        ..Terms::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_taken_loaded_from_and_resumed() {
    let mut stage = Stage::set().await;
    let agent = Agent::new(&stage.url(), stage.agent.token()).unwrap();
    let mut turn = Turn::take(&agent, terms("t-1")).await.unwrap();
    assert!(turn.catalog.block.starts_with("<skills>"));
    assert_eq!(turn.catalog.scopes, ["actor:tom", "tenant:acme", "global"]);
    let refunds = turn
        .catalog
        .entries
        .iter()
        .find(|entry| entry.name == "refunds");
    assert_eq!(refunds.unwrap().shadows, ["global"]);

    let loaded = turn.offer.load(&agent, &Load::of("refunds")).await.unwrap();
    assert_eq!(loaded.typed.body.as_deref(), Some("Do at acme.\n"));
    let again = Load {
        have: vec![loaded.typed.rendered_digest],
        ..Load::of("refunds")
    };
    let again = turn.offer.load(&agent, &again).await.unwrap().typed;
    assert!(again.already_loaded && again.body.is_none() && again.block.is_none());
    let context = json!({"organization": {"name": "Acme"}});
    let template = Load {
        context: context.as_object().cloned(),
        tool_call: Some("c-1".to_owned()),
        ..Load::of("greeting")
    };
    let rendered = turn.offer.load(&agent, &template).await.unwrap();
    assert_eq!(rendered.typed.body.as_deref(), Some("For Acme.\n"));
    let file = turn.offer.load_file(&agent, "with-files", "logo.bin").await;
    assert_eq!(file.unwrap().typed.base64.as_deref(), Some("//4="));
    let bytes = turn
        .offer
        .load_bytes(&agent, "with-files", "logo.bin")
        .await;
    assert_eq!(bytes.unwrap()[..], [0xff, 0xfe]);
    let refused = turn
        .offer
        .load(&agent, &Load::of("payroll"))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), "skill-not-offered");

    // The journal has the offer; after a restart, and after later writes, the pins are the same.
    let kept = serde_json::to_string(&turn.offer).unwrap();
    assert!(!kept.contains(stage.agent.token()), "{kept}");
    stage
        .publisher
        .update("tenant:acme", "changing", "otherwise")
        .await
        .expect(200);
    stage.server.restart_in_place().await;
    let kept: Offer = serde_json::from_str(&kept).unwrap();
    let resumed = Turn::resume(&agent, &kept).await.unwrap();
    assert_eq!(resumed.catalog, turn.catalog);
    let mut offer = resumed.offer;
    let old = offer.load(&agent, &Load::of("changing")).await.unwrap();
    assert_eq!(old.typed.body.as_deref(), Some("Old.\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_that_has_ended_is_asked_for_again_if_its_turn_has_a_name() {
    let stage = Stage::set().await;
    let agent = Agent::new(&stage.url(), stage.agent.token()).unwrap();
    let mut named = Turn::take(&agent, terms("t-1")).await.unwrap();
    let mut nameless = Turn::take(&agent, Terms::default()).await.unwrap();
    let before = named.offer.clone();
    stage
        .publisher
        .update("tenant:acme", "changing", "otherwise")
        .await
        .expect(200);
    stage.server.advance(1_000);
    let load = Load::of("changing");
    let loaded = named.offer.load(&agent, &load).await.unwrap();
    assert_eq!(loaded.typed.body.as_deref(), Some("Old.\n"));
    assert_ne!(named.offer, before);
    assert!(named.offer.expires_at() > before.expires_at());
    let error = nameless.offer.load(&agent, &load).await.unwrap_err();
    assert_eq!(error.code(), "offer-expired");
    let error = Turn::resume(&agent, &nameless.offer).await.unwrap_err();
    assert!(
        matches!(error, AgentError::Useless(Useless::Nameless)),
        "{error}"
    );
    // An offer that came without its terms is used as long as it lasts.
    let mut given = Offer::signed_elsewhere(named.offer.as_str().to_owned());
    given.load(&agent, &load).await.unwrap();
    stage.server.advance(1_000);
    let error = given.load(&agent, &load).await.unwrap_err();
    assert_eq!(error.code(), "offer-expired");
}

/// What the server cannot tell of a template, the conversation does; it is kept as JSON, and outlives the turns.
#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_knows_what_it_has_and_what_that_is_replaced_by() {
    let stage = Stage::set().await;
    let agent = Agent::new(&stage.url(), stage.agent.token()).unwrap();
    let mut turn = Turn::take(&agent, terms("t-1")).await.unwrap();
    let for_whom = |name: &str| Load {
        context: json!({"organization": {"name": name}}).as_object().cloned(),
        ..Load::of("greeting")
    };
    let mut conversation = Conversation::default();
    let mut load = async |conversation: &mut Conversation, load| {
        let loaded = conversation.load(&agent, &mut turn.offer, load).await;
        loaded.unwrap().typed
    };
    let first = load(&mut conversation, for_whom("One")).await;
    assert!(!first.already_loaded && !first.changed);
    let node = first.context_node.unwrap();
    assert_eq!(node.skill_path, "skill://tenant/greeting/SKILL.md");
    let kept = serde_json::to_value(&conversation).unwrap();
    assert_eq!(kept, json!({node.skill_path.clone(): node.skill_hash}));
    let mut conversation: Conversation = serde_json::from_value(kept).unwrap();
    let again = load(&mut conversation, for_whom("One")).await;
    assert!(again.already_loaded && !again.changed);
    let other = load(&mut conversation, for_whom("Two")).await;
    assert!(!other.already_loaded && other.changed && other.body.is_some());
    // The first text is replaced: it is not taken for one that is there.
    let back = load(&mut conversation, for_whom("One")).await;
    assert!(!back.already_loaded && back.changed);
    load(&mut conversation, Load::of("refunds")).await;
    for forgotten in ["greeting", "skill://tenant/greeting/SKILL.md"] {
        conversation.forget(forgotten);
        let anew = load(&mut conversation, for_whom("One")).await;
        assert!(!anew.already_loaded && !anew.changed && anew.body.is_some());
    }
    assert!(
        load(&mut conversation, Load::of("refunds"))
            .await
            .already_loaded
    );
    conversation.forget_all();
    assert_eq!(conversation.have().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_write_their_own_and_propose_the_rest() {
    let stage = Stage::set().await;
    let agent = Agent::new(&stage.url(), stage.agent.token()).unwrap();
    let first = write_own_skill(&agent, "mine", &content("One.\n"), None)
        .await
        .unwrap();
    let Published::Revision {
        revision: 1,
        digest,
    } = first.typed
    else {
        panic!("{first:?}");
    };
    let error = write_own_skill(&agent, "mine", &content("Two.\n"), None)
        .await
        .unwrap_err();
    assert_eq!(error.code(), "precondition-failed");
    for (body, replaces) in [("Two.\n", digest.as_str()), ("Three.\n", "*")] {
        write_own_skill(&agent, "mine", &content(body), Some(replaces))
            .await
            .unwrap();
    }
    let proposal = Proposal {
        scope: "tenant:acme".to_owned(),
        name: "lesson".to_owned(),
        rationale: "It came up.".to_owned(),
        evidence: Evidence {
            turn: Some("t-1".to_owned()),
            links: Vec::new(),
        },
        content: content("Do as learned.\n"),
    };
    let made = propose(&agent, &proposal, "key-1").await.unwrap();
    assert_eq!(made.typed.state, "open");
    let again = propose(&agent, &proposal, "key-1").await.unwrap();
    assert_eq!(again.json, made.json);
    let other = Proposal {
        scope: "tenant:globex".to_owned(),
        ..proposal
    };
    let error = propose(&agent, &other, "key-2").await.unwrap_err();
    assert_eq!(error.code(), "refused");
    let shown = format!("{agent:?}");
    assert!(!shown.contains(stage.agent.token()), "{shown}");
    // A person without a tenant has nothing of its own.
    let error = Agent::new("ftp://x", "t").unwrap_err();
    assert!(error.to_string().contains("http"), "{error}");
}

/// A server that cuts the first connections, and gives an empty catalog on later ones; and how many there were.
async fn cutting(first: usize) -> (String, Arc<AtomicUsize>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            // The request is small: it comes at once.
            let _ = connection.read(&mut [0; 4096]).await;
            if count.fetch_add(1, Ordering::SeqCst) < first {
                continue;
            }
            let catalog = json!({
                "turn": "t-1", "entries": [], "block": "", "etag": "e", "offer": "o", "expires_at": "2100-01-01T00:00:00Z",
            });
            let catalog = catalog.to_string();
            let length = catalog.len();
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
            );
            let answer = [head, catalog].concat();
            connection.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, connections)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_with_a_name_is_asked_for_again_when_the_connection_breaks() {
    let (url, connections) = cutting(2).await;
    let agent = Agent::new(&url, "t").unwrap();
    let turn = Turn::take(&agent, terms("t-1")).await.unwrap();
    assert_eq!(turn.offer.as_str(), "o");
    assert_eq!(connections.load(Ordering::SeqCst), 3);
    // One without a name may have been taken already, and nobody could find it again.
    let (url, connections) = cutting(2).await;
    let agent = Agent::new(&url, "t").unwrap();
    let error = Turn::take(&agent, Terms::default()).await.unwrap_err();
    assert!(matches!(error, AgentError::Unanswered(_)), "{error}");
    assert_eq!(connections.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_template_is_asked_for_by_what_a_library_is_for() {
    let stage = Stage::set().await;
    let agent = Agent::new(&stage.url(), stage.agent.token()).unwrap();
    let mut terms = PromptTerms {
        workflow: "bugfix".to_owned(),
        role: "review".to_owned(),
        ..PromptTerms::default()
    };
    let answer = prompt_template(&agent, &terms).await.unwrap().typed;
    assert_eq!(answer.selected, None);
    assert_eq!(answer.bundled.unwrap().source, "bundled:review");
    let file = |name: &str, frontmatter: Option<&str>| PromptFile {
        file: name.to_owned(),
        frontmatter: frontmatter.map(str::to_owned),
    };
    terms.library = vec![file("a.md", None), file("b.md", Some("field: review\n"))];
    let answer = prompt_template(&agent, &terms).await.unwrap().typed;
    assert_eq!(answer.selected.unwrap().source, "user:b.md");
    terms.library.push(file("c.md", Some("field: review\n")));
    let error = prompt_template(&agent, &terms).await.unwrap_err();
    assert_eq!(error.code(), "conflict");
}
