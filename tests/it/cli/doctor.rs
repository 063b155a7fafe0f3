//! `vestry doctor`.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::Shell;
use super::fake::{Fake, Said};
use crate::harness::{Builder, Directory, People, TestServer, sqlite_only};

/// The level of a check.
fn level(report: &Value, check: &str) -> &'static str {
    let checks = report["checks"].as_array().unwrap();
    let levels: Vec<&str> = checks
        .iter()
        .filter(|found| found["check"] == check)
        .map(|found| found["level"].as_str().unwrap())
        .collect();
    // The worst one counts.
    for worst in ["fail", "warn", "ok"] {
        if levels.contains(&worst) {
            return worst;
        }
    }
    panic!("no check {check} in {report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_order_is_said_to_be_so() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let data = server.directory.path();
    std::fs::set_permissions(data, std::fs::Permissions::from_mode(0o700)).unwrap();
    let flags = server.directory.flags().await;
    let doctor = |more: &[&'static str]| -> Vec<&str> {
        let flags = flags.iter().map(String::as_str);
        let all = ["doctor"].into_iter().chain(flags);
        all.chain(more.iter().copied()).collect()
    };
    let report = shell.json(&doctor(&["--audit"])).await;
    assert_eq!(report["ok"], true);
    for check in [
        "configuration",
        "profile",
        "server",
        "clock",
        "identity",
        "permissions",
        "keys",
        "database",
        "audit",
    ] {
        assert_eq!(level(&report, check), "ok", "{report}");
    }
    let text = shell.ok(&doctor(&[])).await;
    assert!(
        text.contains("ok    database") || text.contains("ok  database"),
        "{text}"
    );
    assert!(text.contains("a server has it open"), "{text}");
    assert!(text.contains(", not elevated; kept in "), "{text}");
    shell.elevate("tenant:acme").await;
    let text = shell.ok(&doctor(&[])).await;
    assert!(
        text.contains(", elevated for tenant:acme; kept in "),
        "{text}"
    );
    // A profile that others can read is said to be so once.
    let profile = shell.profile("default");
    std::fs::set_permissions(&profile, std::fs::Permissions::from_mode(0o644)).unwrap();
    let ran = shell.run(&doctor(&["--json"])).await;
    assert_eq!(ran.code, 1);
    let report = ran.json();
    let checks = report["checks"].as_array().unwrap();
    let found = checks.iter().filter(|found| found["check"] == "profile");
    let said = found.map(Value::to_string).collect::<String>();
    assert_eq!(said.matches("chmod").count(), 1, "{said}");
    let advice = report.to_string().matches("chmod").count();
    assert_eq!(advice, 1, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_with_what_to_do() {
    if sqlite_only("the faults are those of the database's file") {
        return;
    }
    let mut server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    server.stop().await;
    let data = server.directory.path();
    std::fs::set_permissions(
        data.join("vestry.db"),
        std::fs::Permissions::from_mode(0o644),
    )
    .unwrap();
    let ran = shell
        .run(&["doctor", "--data", data.to_str().unwrap(), "--json"])
        .await;
    assert_eq!(ran.code, 1);
    let report = ran.json();
    assert_eq!(report["ok"], false);
    assert_eq!(level(&report, "server"), "fail", "{report}");
    assert_eq!(level(&report, "permissions"), "fail", "{report}");
    assert_eq!(level(&report, "database"), "ok", "{report}");
    for found in report["checks"].as_array().unwrap() {
        assert_eq!(found["level"] == "ok", found["todo"] == "", "{found}");
    }
    // A file that is no database, keys that are gone, no directory at all.
    std::fs::write(data.join("vestry.db"), [7_u8; 8192]).unwrap();
    std::fs::remove_file(data.join("keys.json")).unwrap();
    let report = shell
        .run(&["doctor", "--data", data.to_str().unwrap(), "--json"])
        .await
        .json();
    assert_eq!(level(&report, "database"), "fail", "{report}");
    assert_eq!(level(&report, "keys"), "fail", "{report}");
    let ran = shell.run(&["doctor", "--data", "/nowhere", "--json"]).await;
    assert_eq!(level(&ran.json(), "data"), "fail");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_no_server_would_serve_is_said_to_be_so() {
    let Some(directory) = Directory::in_postgres() else {
        return;
    };
    let server = Builder::default().start_on(directory).await;
    let shell = Shell::at(&server);
    let data = server.directory.path().to_str().unwrap();
    let database = server.directory.postgres().await.unwrap();
    for (url, why) in [
        (
            database.superuser_url.clone(),
            "is a superuser or has BYPASSRLS",
        ),
        (
            format!("{}_not", database.application_url),
            "does not exist",
        ),
    ] {
        let arguments = ["doctor", "--data", data, "--database-url", &url, "--json"];
        let report = shell.run(&arguments).await.json();
        assert_eq!(level(&report, "database"), "fail", "{report}");
        assert!(report.to_string().contains(why), "{report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clocks_that_differ_are_warned_of() {
    let fake = Fake::start(|asked| {
        let said = if asked.ends_with("/readyz") {
            Said::json(200, &json!({"status": "ok"}))
        } else {
            Said::json(200, &json!({"principal": "human:x"}))
        };
        said.header("date", "Sun, 06 Nov 1994 08:49:37 GMT")
    })
    .await;
    let shell = Shell::of(fake.url());
    let ran = shell
        .run(&[
            "doctor",
            "--server",
            &shell.server,
            "--token",
            "x",
            "--json",
        ])
        .await;
    assert_eq!(ran.code, 0, "a warning is no failure: {}", ran.text());
    let report = ran.json();
    assert_eq!(level(&report, "clock"), "warn", "{report}");
    assert!(
        report.to_string().contains("behind this machine's"),
        "{report}"
    );
}
