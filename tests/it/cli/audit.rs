//! Keeping and verifying the audit log from the command line.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Ran, Shell};
use crate::harness::{People, TestServer};

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

impl Shell {
    async fn verify(&self, arguments: &[&str]) -> Ran {
        self.verify_at(&[], arguments).await
    }

    /// As `verify`, of the database that these flags name.
    async fn verify_at(&self, flags: &[String], arguments: &[&str]) -> Ran {
        let flags = flags.iter().map(String::as_str);
        let all: Vec<&str> = ["audit", "verify"]
            .into_iter()
            .chain(flags)
            .chain(arguments.iter().copied())
            .collect();
        self.run(&all).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checkpoint_that_was_kept_elsewhere_shows_what_was_cut() {
    let mut server = TestServer::start().await;
    let people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let key = shell.ok(&["audit", "key"]).await.trim().to_owned();
    assert!(key.starts_with("vestry/audit+"), "{key}");
    let data = server.directory.path().to_str().unwrap().to_owned();
    let flags = server.directory.flags().await;
    assert_eq!(
        shell.ok(&["audit", "key", "--data", &data]).await.trim(),
        key
    );
    // The tenant's own, by its publisher; and all, by the operator.
    let own = shell.home.path().join("acme.checkpoint");
    let own = own.to_str().unwrap();
    shell.ok(&["audit", "checkpoint", "--out", own]).await;
    let again = shell.run(&["audit", "checkpoint", "--out", own]).await;
    assert!(again.sentence(1).contains("cannot write"));
    assert!(
        shell
            .ok(&["audit", "checkpoint"])
            .await
            .starts_with("vestry/audit/acme\n")
    );
    let refused = shell
        .run(&["audit", "checkpoint", "--log", "global"])
        .await
        .sentence(1);
    assert!(refused.contains("needs-role"), "{refused}");
    // That refusal is in the log before all of it is signed.
    people.root.get("/v1/audit?log=global").await.expect(200);
    let elsewhere = shell.home.path().join("kept");
    let elsewhere = elsewhere.to_str().unwrap();
    let sign: Vec<&str> = ["audit", "checkpoint", "--checkpoint-dir", elsewhere]
        .into_iter()
        .chain(flags.iter().map(String::as_str))
        .collect();
    let said = shell.ok(&sign).await;
    assert!(said.contains("keep a copy elsewhere"), "{said}");
    assert!(
        shell.ok(&sign).await.contains("nothing has changed"),
        "twice"
    );
    let all = format!("{elsewhere}/checkpoint");

    people
        .root
        .create("global", "more", "more")
        .await
        .expect(201);
    server.stop().await;
    let good = shell
        .verify_at(
            &flags,
            &["--checkpoint", own, "--checkpoint", &all, "--key", &key],
        )
        .await;
    assert_eq!(good.code, 0, "{}{}", good.text(), good.stderr);
    assert!(good.text().contains("ok     acme: "), "{}", good.text());
    assert!(
        good.text().contains("ok     checkpoint "),
        "{}",
        good.text()
    );
    let lines = shell
        .verify_at(&flags, &["--checkpoint", own, "--json"])
        .await;
    let lines: Vec<Value> = lines
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        lines
            .iter()
            .any(|line| line["chain"] == "acme" && line["faults"] == serde_json::json!([])),
        "{lines:?}"
    );

    // A checkpoint of somebody else, and one that was changed.
    let other = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    let wrong = shell
        .verify_at(&flags, &["--checkpoint", own, "--key", other])
        .await;
    assert_eq!(wrong.code, 1);
    assert!(
        wrong.text().contains("the given key did not sign it"),
        "{}",
        wrong.text()
    );
    let changed = shell.home.path().join("changed");
    std::fs::write(
        &changed,
        text(Path::new(own)).replacen("acme\n", "acme\n1", 1),
    )
    .unwrap();
    let wrong = shell
        .verify_at(&flags, &["--checkpoint", changed.to_str().unwrap()])
        .await;
    assert_eq!(wrong.code, 1);
    assert!(
        wrong.text().contains("its signature does not fit its text"),
        "{}",
        wrong.text()
    );
    let usage = shell.verify_at(&flags, &["--key", "x"]).await;
    assert_eq!(usage.code, 2);

    // The data directory as it was before any of it: what a thief of its end would leave.
    let fresh = TestServer::start().await;
    People::only_root(&fresh).await;
    let stolen = fresh.directory.flags().await;
    let cut = shell
        .verify_at(&stolen, &["--checkpoint", own, "--key", &key])
        .await;
    assert_eq!(cut.code, 1);
    assert!(
        cut.text()
            .contains("FAULT  acme: the checkpoint of 2027-01-15T07:53:20Z")
            && cut.text().contains("and it is missing"),
        "{}",
        cut.text()
    );
}

/// An export of acme's log, and the key that it is checked with.
async fn exported() -> (TestServer, Shell, PathBuf, String) {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for number in 0..3 {
        maria
            .create("tenant:acme", &format!("skill-{number}"), "a skill")
            .await
            .expect(201);
    }
    let shell = Shell::at(&server);
    shell.login("ines").await;
    let key = shell.ok(&["audit", "key"]).await.trim().to_owned();
    let path = shell.home.path().join("acme.ndjson");
    let ran = shell
        .run(&["audit", "export", "--out", path.to_str().unwrap()])
        .await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("exported "), "{}", ran.stderr);
    (server, shell, path, key)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_verifies_offline_and_no_change_of_it_does() {
    let (server, shell, path, key) = exported().await;
    let export = path.to_str().unwrap();
    let good = shell.verify(&["--export", export, "--key", &key]).await;
    assert_eq!(good.code, 0, "{}{}", good.text(), good.stderr);
    assert!(good.text().contains("ok     acme: "), "{}", good.text());
    // Without a key it says on whose word it relies.
    let trusting = shell.verify(&["--export", export]).await;
    assert_eq!(trusting.code, 0);
    assert!(
        trusting
            .text()
            .contains("note   the key is the one that the export itself names")
    );
    assert_eq!(
        shell.ok(&["audit", "export"]).await.lines().next(),
        text(&path).lines().next(),
        "without --out it is printed"
    );

    let lines: Vec<String> = text(&path).lines().map(ToOwned::to_owned).collect();
    assert!(lines.len() > 12, "{}", lines.len());
    let broken = shell.home.path().join("broken.ndjson");
    let mut tried = 0;
    for position in 1..lines.len() {
        let flip = |line: &String| line.replacen("\\\"at\\\":1", "\\\"at\\\":2", 1);
        let mut variants: Vec<Vec<String>> = Vec::new();
        let mut changed = lines.clone();
        changed[position] = flip(&changed[position]);
        assert_ne!(changed[position], lines[position]);
        variants.push(changed);
        let mut deleted = lines.clone();
        deleted.remove(position);
        variants.push(deleted);
        let mut inserted = lines.clone();
        inserted.insert(position, lines[position].clone());
        variants.push(inserted);
        if position + 1 < lines.len() {
            let mut swapped = lines.clone();
            swapped.swap(position, position + 1);
            variants.push(swapped);
        }
        for variant in variants {
            std::fs::write(&broken, variant.join("\n") + "\n").unwrap();
            let ran = shell
                .verify(&["--export", broken.to_str().unwrap(), "--key", &key])
                .await;
            assert_eq!(ran.code, 1, "line {position}: {}", ran.text());
            assert!(ran.text().contains("FAULT  "), "{}", ran.text());
            tried += 1;
        }
    }
    // Cut off: all but what came after the checkpoint of the export itself.
    for kept in 1..lines.len() {
        std::fs::write(&broken, lines[..kept].join("\n") + "\n").unwrap();
        let ran = shell
            .verify(&["--export", broken.to_str().unwrap(), "--key", &key])
            .await;
        assert_eq!(ran.code, 1, "{kept} lines: {}", ran.text());
        tried += 1;
    }
    println!("{tried} changes of an export, all detected");
    for (bad, sentence) in [
        (String::new(), "is no exported audit log"),
        ("hello\n".to_owned(), "is no exported audit log"),
    ] {
        std::fs::write(&broken, bad).unwrap();
        let ran = shell.verify(&["--export", broken.to_str().unwrap()]).await;
        assert!(ran.sentence(1).contains(sentence));
    }
    drop(server);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_listed_by_time() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria.create("tenant:acme", "one", "one").await.expect(201);
    server.advance(60);
    maria.create("tenant:acme", "two", "two").await.expect(201);
    let shell = Shell::at(&server);
    shell.login("ines").await;
    let targets = async |arguments: &[&str]| -> Vec<String> {
        let mut all = vec!["audit", "list", "--action", "publish-skill"];
        all.extend(arguments);
        let log = shell.json(&all).await;
        let items = log["items"].as_array().unwrap().iter();
        items
            .map(|record| record["target"].as_str().unwrap().to_owned())
            .collect()
    };
    let (first, second) = ("2027-01-15T07:53:20Z", "2027-01-15T08:54:20+01:00");
    let (one, two) = ("tenant:acme/one", "tenant:acme/two");
    assert_eq!(targets(&["--since", first]).await, [one, two]);
    assert_eq!(targets(&["--since", second]).await, [two]);
    assert_eq!(targets(&["--until", second]).await, [one]);
    assert_eq!(
        targets(&["--since", first, "--until", first]).await,
        [""; 0]
    );
    let sentence = shell
        .run(&["audit", "list", "--since", "yesterday"])
        .await
        .sentence(1);
    assert!(sentence.contains("since"), "{sentence}");
}
