//! Users, tenants, members, services, keys, settings and the audit log.

use serde_json::Value;

use super::Shell;
use crate::harness::{PASSWORD, People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_is_set_up_from_the_command_line_alone() {
    let server = TestServer::start().await;
    server.make_admin("root", PASSWORD).await;
    let root = Shell::at(&server);
    root.login("root").await;
    let sentence = root.run(&["tenants", "create", "acme"]).await.sentence(1);
    assert!(
        sentence.contains("run `vestry elevate --scope global"),
        "{sentence}"
    );
    root.elevate("global").await;
    assert_eq!(
        root.ok(&["tenants", "create", "acme", "--name", "Acme Inc."])
            .await,
        "created the tenant acme\n"
    );
    let sentence = root.run(&["tenants", "create", "ACME"]).await.sentence(1);
    assert!(!sentence.is_empty());
    for user in ["maria", "tom"] {
        let ran = root
            .run_with(&["users", "create", user, "--password-stdin"], PASSWORD)
            .await;
        assert_eq!(
            ran.text(),
            format!("created the user {user}\n"),
            "{}",
            ran.stderr
        );
    }
    let sentence = root
        .run_with(&["users", "create", "eve", "--password-stdin"], "short")
        .await
        .sentence(1);
    assert!(sentence.contains("password"), "{sentence}");
    // A global administrator elevated for `global` sets members; without a tenant of its own it names one.
    let sentence = root
        .run(&["members", "set", "maria", "--role", "publisher"])
        .await
        .sentence(2);
    assert!(sentence.contains("--tenant"), "{sentence}");
    let set = [
        "members",
        "set",
        "maria",
        "--role",
        "publisher",
        "--tenant",
        "acme",
    ];
    assert_eq!(root.ok(&set).await, "maria is publisher of acme\n");
    assert_eq!(root.json(&set).await["unchanged"], true);

    let users = root.json(&["users", "list"]).await;
    assert_eq!(users["items"].as_array().unwrap().len(), 3);
    let text = root.ok(&["users", "list"]).await;
    assert!(text.starts_with("USERNAME  ADMIN  CREATED"), "{text}");
    assert!(text.contains("\nroot      yes    2027-01-15T"), "{text}");
    let text = root.ok(&["tenants", "list"]).await;
    assert!(
        text.contains("acme  2027-01-15T") && text.contains("  Acme Inc.\n"),
        "{text}"
    );

    // A publisher does the rest for its tenant.
    let maria = Shell::at(&server);
    maria.login("maria").await;
    maria.elevate("tenant:acme").await;
    assert_eq!(
        maria
            .ok(&["members", "set", "tom", "--role", "auditor"])
            .await,
        "tom is auditor of acme\n"
    );
    assert_eq!(
        maria.ok(&["members", "remove", "tom"]).await,
        "tom is no member of acme any more\n"
    );
    let members = maria.json(&["members", "list"]).await;
    assert_eq!(members["items"][0]["role"], "publisher");
    assert!(
        maria
            .ok(&["members", "list"])
            .await
            .contains("maria     publisher  ")
    );

    let text = maria.ok(&["settings", "show"]).await;
    assert!(text.contains("max_cap              200\n"), "{text}");
    let set = maria
        .json(&["settings", "set", "max_cap=50", "agent_own_scope=deny"])
        .await;
    assert_eq!(
        (&set["max_cap"], &set["agent_own_scope"]),
        (&50.into(), &"deny".into())
    );
    let sentence = maria.run(&["settings", "set", "caps=50"]).await.sentence(2);
    assert!(
        sentence.contains("there are agent_own_scope, approvers, distinct_human, max_cap"),
        "{sentence}"
    );
    let sentence = maria
        .run(&["settings", "set", "max_cap=9999"])
        .await
        .sentence(1);
    assert!(sentence.contains("max_cap"), "{sentence}");

    let log = maria
        .json(&["audit", "list", "--action", "write-settings"])
        .await;
    assert_eq!(log["items"].as_array().unwrap().len(), 1);
    let text = maria.ok(&["audit", "list"]).await;
    assert!(text.contains("write-settings  allow"), "{text}");
    let ran = maria.run(&["audit", "list", "--limit", "1"]).await;
    assert_eq!(ran.text().lines().count(), 2);
    assert!(ran.stderr.contains("--limit 0 for all"), "{}", ran.stderr);
    assert_eq!(
        maria.json(&["audit", "list", "--limit", "1"]).await["has_more"],
        true
    );
    assert_eq!(
        root.json(&[
            "audit",
            "list",
            "--log",
            "global",
            "--action",
            "create-tenant"
        ])
        .await["items"]
            .as_array()
            .unwrap()
            .iter()
            // The refusals before it are there too, once the journal has written them.
            .find(|record| record["verdict"] == "allow")
            .unwrap()["target"],
        "tenant:acme"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_printed_by_the_command_that_makes_it_and_by_no_other() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let made = shell.run(&["keys", "create", "laptop"]).await;
    assert_eq!(made.code, 0, "{}", made.stderr);
    let key = made.text().trim().to_owned();
    assert!(key.starts_with("vst_usr_"), "{key}");
    assert!(made.stderr.contains("this once"), "{}", made.stderr);
    // It works as a token, from the environment.
    let mut whoami = shell.command(&["whoami", "--json", "--server", &shell.server]);
    whoami.env("VESTRY_TOKEN", &key);
    assert_eq!(
        super::run(whoami, "").await.json()["principal"],
        "human:maria"
    );

    shell.elevate("tenant:acme").await;
    let service = shell.json(&["services", "create", "desk"]).await;
    let service_key = service["key"].as_str().unwrap();
    let mint = [
        "token",
        "mint",
        "--actor",
        "cust-1",
        "--agent",
        "bot",
        "--ttl",
        "60",
        "--server",
        &shell.server,
    ];
    let mut minted = shell.command(&mint);
    minted.env("VESTRY_TOKEN", service_key);
    let minted = super::run(minted, "").await;
    assert_eq!(minted.code, 0, "{}", minted.stderr);
    let token = minted.text().trim().to_owned();
    let mut whoami = shell.command(&["whoami", "--json", "--server", &shell.server]);
    whoami.env("VESTRY_TOKEN", &token);
    assert_eq!(super::run(whoami, "").await.json()["acts_for"], "cust-1");
    assert!(shell.run(&mint).await.sentence(2).contains("VESTRY_TOKEN"));

    for arguments in [
        &["keys", "list"][..],
        &["services", "list"],
        &["whoami"],
        &["doctor"],
        &["audit", "list"],
    ] {
        for json in [false, true] {
            let mut all = arguments.to_vec();
            if json {
                all.push("--json");
            }
            let ran = shell.run(&all).await;
            let printed = format!("{}{}", ran.text(), ran.stderr);
            for secret in [&key, service_key, &token] {
                assert!(!printed.contains(secret), "{arguments:?}");
            }
            assert!(
                !printed.contains("eyJ"),
                "{arguments:?} shows a token: {printed}"
            );
        }
    }
    let keys = shell.json(&["keys", "list"]).await;
    let id = keys["items"][0]["id"].as_str().unwrap();
    assert_eq!(
        shell.ok(&["keys", "revoke", id]).await,
        format!("revoked the key {id}\n")
    );
    let id = service["id"].as_str().unwrap();
    shell.ok(&["services", "revoke", id]).await;
    let services = shell.json(&["services", "list"]).await;
    let revoked: Vec<&Value> = services["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|service| service["id"] == id)
        .map(|service| &service["revoked_at"])
        .collect();
    assert!(revoked[0].is_string());
    shell.run(&["services", "revoke", ".."]).await.sentence(1);
}
