//! Catalogs and loads.

use super::Shell;
use super::import::{put, skill_md};
use crate::harness::{Directory, People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_catalog_is_taken_and_what_it_offers_is_loaded() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    people
        .root
        .create("global", "refunds", "globally")
        .await
        .expect(201);
    people
        .root
        .create("global", "secrets", "secretly")
        .await
        .expect(201);
    people
        .root
        .verb("global", "secrets", "seal")
        .await
        .expect(200);
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "at acme")
        .await
        .expect(201);
    let tom = people.human("tom").await;
    tom.create("actor:tom", "secrets", "otherwise")
        .await
        .expect(201);

    let shell = Shell::at(&server);
    shell.login("tom").await;
    assert!(
        shell
            .run(&["load", "refunds"])
            .await
            .sentence(1)
            .contains("run `vestry catalog` first")
    );
    let catalog = shell
        .json(&["catalog", "--turn", "t-1", "--cap", "5"])
        .await;
    assert_eq!(catalog["entries"][0]["name"], "secrets");
    let text = shell.ok(&["catalog", "--turn", "t-1", "--cap", "5"]).await;
    assert_eq!(
        text.lines().take(5).collect::<Vec<_>>(),
        [
            "NAME     SCOPE        REV                    DESCRIPTION",
            "secrets  global       1    sealed            Use when secretly.",
            "refunds  tenant:acme  1    overrides global  Use when at acme.",
            "secrets of actor:tom is blocked by the sealed one of global",
            "turn t-1, offered until 2027-01-15T08:08:20Z; `vestry load NAME` loads one",
        ]
    );
    assert_eq!(
        shell.ok(&["catalog", "--block"]).await,
        catalog["block"].as_str().unwrap()
    );

    // The offer of the last catalog is kept, for its owner only.
    assert_eq!(
        super::mode(&shell.config().join("default.offer.json")),
        0o600
    );
    assert_eq!(shell.ok(&["load", "refunds"]).await, "Do at acme.\n");
    let loaded = shell.json(&["load", "refunds"]).await;
    assert_eq!(loaded["scope"], "tenant:acme");
    let sentence = shell.run(&["load", "payroll"]).await.sentence(1);
    assert_eq!(
        sentence,
        "No skill named \"payroll\" is available to you. Available: secrets, refunds."
    );
    // Or one is given, as the answer or by itself.
    let answer = shell.run(&["catalog", "--json"]).await.text();
    let offer = catalog["offer"].as_str().unwrap();
    for input in [answer.as_str(), offer] {
        let ran = shell
            .run_with(&["load", "secrets", "--offer-file", "-"], input)
            .await;
        assert_eq!(ran.text(), "Do secretly.\n", "{}", ran.stderr);
    }
    let sentence = shell
        .run_with(&["load", "x", "--offer-file", "-"], "")
        .await
        .sentence(1);
    assert!(sentence.contains("holds no offer"), "{sentence}");
    assert!(
        shell
            .run(&["catalog", "--cap", "100000"])
            .await
            .sentence(1)
            .contains("cap")
    );

    server.advance(16 * 60);
    let sentence = shell.run(&["load", "refunds"]).await.sentence(1);
    assert_eq!(
        sentence,
        "the offer has ended or is not yours: run `vestry catalog` again"
    );
    // A budget says what it cut.
    let text = shell.ok(&["catalog", "--token-budget", "1"]).await;
    assert!(text.contains("the budget of 1 tokens kept"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_offer_of_a_named_turn_is_asked_for_again_when_it_has_ended() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "at first")
        .await
        .expect(201);
    let shell = Shell::at(&server);
    shell.login("tom").await;
    shell.ok(&["catalog", "--turn", "t-1", "--cap", "5"]).await;
    let kept = shell.config().join("default.offer.json");
    let first = std::fs::read_to_string(&kept).unwrap();
    maria
        .update("tenant:acme", "refunds", "since")
        .await
        .expect(200);
    server.advance(16 * 60);
    // The turn keeps what it had, and its fresh offer serves the next load as well.
    assert_eq!(shell.ok(&["load", "refunds"]).await, "Do at first.\n");
    let second = std::fs::read_to_string(&kept).unwrap();
    assert_ne!(first, second);
    assert_eq!(super::mode(&kept), 0o600);
    assert_eq!(shell.ok(&["load", "refunds"]).await, "Do at first.\n");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), second);
    // One that came in a file has no turn to ask, and what was kept stays.
    let answer: serde_json::Value = serde_json::from_str(&first).unwrap();
    let offer = answer["offer"].as_str().unwrap();
    let load = ["load", "refunds", "--offer-file", "-"];
    let sentence = shell.run_with(&load, offer).await.sentence(1);
    assert!(
        sentence.contains("run `vestry catalog` again"),
        "{sentence}"
    );
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), second);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_an_offered_skill_is_loaded_byte_for_byte() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let directory = Directory::new();
    let root = directory.path();
    put(
        root,
        "refunds/SKILL.md",
        skill_md("refunds", "money is due"),
    );
    put(root, "refunds/steps.md", "First this,\r\nthen \"that\".");
    put(root, "refunds/logo.bin", [0, 159, 146, 150, 255, 10]);
    let import = ["import", root.to_str().unwrap(), "--scope", "actor:maria"];
    shell.ok(&import).await;
    shell.ok(&["catalog"]).await;
    for file in ["steps.md", "logo.bin"] {
        let bytes = std::fs::read(root.join("refunds").join(file)).unwrap();
        let load = ["load", "refunds", "--file", file];
        let ran = shell.run(&load).await;
        assert_eq!((ran.code, &ran.stdout), (0, &bytes), "{}", ran.stderr);
        let show = ["skill", "show", "actor:maria/refunds", "--file", file];
        assert_eq!(shell.run(&show).await.stdout, bytes);
    }
    let sentence = shell
        .run(&["load", "refunds", "--file", "other.md"])
        .await
        .sentence(1);
    assert!(sentence.contains("other.md"), "{sentence}");
}
