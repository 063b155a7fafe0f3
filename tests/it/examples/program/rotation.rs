//! `vestry admin keys`.

use serde_json::{Value, json};
use vestry::server::keys_file;

use super::{PASSWORD, code, create_admin, elevated, one_sentence};
use crate::harness::{Client, Directory, Spawned, run};

#[tokio::test(flavor = "multi_thread")]
async fn keys_rotate_in_steps_and_old_tokens_live_until_the_last() {
    let directory = Directory::new();
    let data = directory.path().to_str().unwrap().to_owned();
    assert_eq!(code(&create_admin(&directory, "root", PASSWORD).await), 0);
    let server = Spawned::start(&directory).await;
    let root = elevated(server.address, "root").await;
    root.post("/v1/tenants", json!({"id": "acme", "name": "Acme"}))
        .await
        .expect(201);
    let body = json!({"tenant": "acme", "name": "platform"});
    let key = root
        .post("/v1/services", body)
        .await
        .expect(201)
        .text("key");
    let mint = async |address| {
        let service = Client::new(address).with_token(key.clone());
        let body = json!({"actor": {"id": "u"}, "agent": "bot"});
        service
            .post("/v1/token", body)
            .await
            .expect(200)
            .text("access_token")
    };
    let me = async |address, token: &str| {
        let client = Client::new(address).with_token(token);
        client.get("/v1/me").await.status.as_u16()
    };
    let keys = async |arguments: &[&str]| {
        let mut all = vec!["admin", "keys"];
        all.extend(arguments);
        all.extend(["--data", &data]);
        run(&all, "").await
    };
    let shown = async || {
        let output = keys(&["show"]).await;
        assert_eq!(code(&output), 0);
        String::from_utf8(output.stdout).unwrap()
    };
    let of_agents = |text: &str| {
        text.lines()
            .filter(|line| line.starts_with("agent "))
            .count()
    };

    let old = mint(server.address).await;
    let first = shown().await;
    assert_eq!(first.lines().count(), 5, "{first}");
    for line in first.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!((words.len(), words[2]), (4, "sign"), "{line}");
    }
    let secrets = std::fs::read_to_string(keys_file(directory.path())).unwrap();
    let secrets: Value = serde_json::from_str(&secrets).unwrap();
    assert!(!first.contains(secrets["rings"]["agent"][0]["secret"].as_str().unwrap()));
    assert_eq!(server.terminate().await, Some(0));

    let sentence = one_sentence(&keys(&["promote", "--ring", "agent"]).await);
    assert!(sentence.contains("begin the rotation first"), "{sentence}");
    let sentence = one_sentence(&keys(&["begin", "--ring", "nonsense"]).await);
    assert_eq!(
        sentence,
        "there is no ring `nonsense`; choose one of human, elevated, agent, offer, cursor"
    );

    // Step 1: accepted, and not signing.
    assert_eq!(code(&keys(&["begin", "--ring", "agent"]).await), 0);
    assert_eq!(of_agents(&shown().await), 2);
    let server = Spawned::start(&directory).await;
    assert_eq!(me(server.address, &old).await, 200);
    let still_old = mint(server.address).await;
    assert_eq!(kid(&still_old), kid(&old));
    assert_eq!(server.terminate().await, Some(0));

    // Step 2: the new one signs, the old one is still accepted.
    assert_eq!(code(&keys(&["promote", "--ring", "agent"]).await), 0);
    let server = Spawned::start(&directory).await;
    assert_eq!(me(server.address, &old).await, 200);
    let new = mint(server.address).await;
    assert_ne!(kid(&new), kid(&old));
    assert_eq!(me(server.address, &new).await, 200);
    assert_eq!(server.terminate().await, Some(0));

    // Step 3: what the old one signed is worth nothing any more.
    assert_eq!(code(&keys(&["retire", "--ring", "agent"]).await), 0);
    assert_eq!(of_agents(&shown().await), 1);
    let server = Spawned::start(&directory).await;
    assert_eq!(me(server.address, &old).await, 401);
    assert_eq!(me(server.address, &new).await, 200);
    // The other rings have kept their keys.
    assert_eq!(root_me(&root, server.address).await, 200);
    assert_eq!(server.terminate().await, Some(0));
    // Nobody but the owner can read the file, after all this.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(keys_file(directory.path()))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

async fn root_me(root: &Client, address: std::net::SocketAddr) -> u16 {
    let client = Client::new(address).with_token(root.token());
    client.get("/v1/me").await.status.as_u16()
}

/// The key id of a token.
fn kid(token: &str) -> String {
    use base64::Engine as _;
    let head = token.split('.').next().unwrap();
    let head = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(head)
        .unwrap();
    let head: Value = serde_json::from_slice(&head).unwrap();
    head["kid"].as_str().unwrap().to_owned()
}
