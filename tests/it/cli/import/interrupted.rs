//! An import that ends in the middle.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_was_killed_is_finished_by_repeating_it() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let directory = many(120);
    let import = [
        "import",
        directory.path().to_str().unwrap(),
        "--scope",
        "actor:maria",
    ];
    let maria = people.human("maria").await;
    let count = async || -> usize {
        let listed = maria
            .get("/v1/skills?scope=actor:maria&limit=200")
            .await
            .expect(200);
        listed.body["items"].as_array().unwrap().len()
    };
    let mut child = shell
        .command(&[&import[..], &["--jobs", "2", "--json"]].concat())
        .spawn()
        .unwrap();
    while count().await < 10 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    child.kill().await.unwrap();
    let there = count().await;
    assert!(there < 120, "it was killed too late");
    // Once more, ended as Ctrl-C does: what was done is said.
    let child = shell
        .command(&[&import[..], &["--jobs", "2", "--json"]].concat())
        .spawn()
        .unwrap();
    while count().await < there + 10 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let id = child.id().unwrap().to_string();
    tokio::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .await
        .unwrap();
    let output = child.wait_with_output().await.unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    if report["interrupted"] == true {
        assert_eq!(output.status.code(), Some(1));
        let total: usize = ["created", "unchanged"]
            .iter()
            .map(|list| names(&report, list).len())
            .sum();
        assert_eq!(
            total as u64 + report["not_tried"].as_u64().unwrap(),
            120,
            "{report}"
        );
        assert_eq!(names(&report, "refused"), Vec::<String>::new());
    }

    let report = shell.json(&import).await;
    assert_eq!(names(&report, "refused"), Vec::<String>::new());
    assert_eq!(
        names(&report, "created").len() + names(&report, "unchanged").len(),
        120
    );
    let report = shell.json(&import).await;
    assert_eq!(names(&report, "unchanged").len(), 120);
    for skill in ["skill-0", "skill-119"] {
        let read = maria
            .get(&format!("/v1/skills/actor:maria/{skill}"))
            .await
            .expect(200);
        assert_eq!(read.body["revision"], 1, "nothing was published twice");
    }
}
