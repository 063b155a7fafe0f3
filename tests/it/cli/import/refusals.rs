//! What does not go in is named with its reason, and what stops everything is said once.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_named_with_its_reason_and_the_rest_goes_in() {
    let (_server, _people, shell) = at_acme().await;
    let directory = Directory::new();
    let root = directory.path();
    put(root, "good/SKILL.md", skill_md("good", "all is well"));
    put(root, "Bad_Name/SKILL.md", skill_md("bad", "x"));
    put(root, "no-frontmatter/SKILL.md", "# Just text\n");
    put(root, "other-name/SKILL.md", skill_md("another-name", "x"));
    put(
        root,
        "latin/SKILL.md",
        b"---\nname: latin\ndescription: caf\xe9\n---\nx\n",
    );
    put(root, "twice/SKILL.md", skill_md("twice", "x"));
    put(root, "deeper/twice/SKILL.md", skill_md("twice", "y"));
    put(
        root,
        "hidden/SKILL.md",
        skill_md("hidden", "x").replace("Do x", "Do\u{202e} x"),
    );
    put(root, "many/SKILL.md", skill_md("many", "x"));
    for number in 0..513 {
        put(root, &format!("many/f{number}"), "");
    }
    std::os::unix::fs::symlink("/etc/passwd", root.join("good/passwd")).unwrap();
    let import = ["import", root.to_str().unwrap(), "--scope", "tenant:acme"];
    let ran = shell.run(&[&import[..], &["--json"]].concat()).await;
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(names(&report, "created"), ["good"]);
    assert_eq!(
        names(&report, "refused"),
        [
            "Bad_Name",
            "hidden",
            "latin",
            "many",
            "no-frontmatter",
            "other-name",
            "twice",
            "twice"
        ]
    );
    assert_eq!(report["skipped"][0]["reason"], "a symbolic link");
    let reason = |name: &str| -> String {
        let refused = report["refused"].as_array().unwrap();
        let found = refused.iter().find(|line| line["name"] == name).unwrap();
        found["reason"].as_str().unwrap().to_owned()
    };
    assert!(
        reason("latin").contains("not UTF-8 (line 3)"),
        "{}",
        reason("latin")
    );
    assert!(reason("many").contains("513 files"), "{}", reason("many"));
    let twice = reason("twice");
    assert!(
        twice.contains("deeper/twice") && twice.contains(" are both called twice"),
        "{twice}"
    );
    for name in ["no-frontmatter", "other-name", "hidden", "Bad_Name"] {
        assert!(reason(name).len() > 20, "{name}: {}", reason(name));
    }
    let ran = shell.run(&import).await;
    assert_eq!(ran.code, 1);
    let text = ran.text();
    assert!(text.contains("refused  latin: "), "{text}");
    assert!(
        text.ends_with("tenant:acme: 0 created, 0 updated, 1 unchanged, 8 refused\n"),
        "{text}"
    );
    // A dry run says the same of what the server would refuse.
    let dry = shell
        .run(&[&import[..], &["--dry-run", "--json"]].concat())
        .await;
    assert_eq!(names(&dry.json(), "refused"), names(&report, "refused"));

    let empty = Directory::new();
    std::fs::create_dir_all(empty.path()).unwrap();
    let sentence = shell
        .run(&[
            "import",
            empty.path().to_str().unwrap(),
            "--scope",
            "tenant:acme",
        ])
        .await
        .sentence(1);
    assert!(sentence.contains("has no skills"), "{sentence}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stops_everything_is_said_once() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let directory = many(40);
    let import = |scope| {
        [
            "import",
            directory.path().to_str().unwrap(),
            "--scope",
            scope,
            "--json",
        ]
    };
    let ran = shell.run(&import("tenant:acme")).await;
    assert_eq!(ran.code, 1);
    let report = ran.json();
    assert_eq!(report["not_tried"], 40, "{report}");
    assert_eq!(
        report["stopped"],
        "this needs an elevation for tenant:acme: run `vestry elevate --scope tenant:acme --reason …` first"
    );
    assert_eq!(names(&report, "refused"), Vec::<String>::new());
    let ran = shell.run(&import("tenant:acme")[..4]).await;
    assert_eq!(
        ran.text(),
        "tenant:acme: 0 created, 0 updated, 0 unchanged, 0 refused, 40 not tried\n"
    );
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);

    // A scope that is full: what fits is there, and the rest is not tried one by one.
    let path = "/v1/tenants/acme/settings";
    let mut settings = people.root.get(path).await.expect(200).body;
    settings["skills_per_actor"] = 5.into();
    people.root.put(path, settings).await.expect(200);
    let ran = shell.run(&import("actor:maria")).await;
    assert_eq!(ran.code, 1);
    let report = ran.json();
    assert_eq!(names(&report, "created").len(), 5, "{report}");
    assert_eq!(report["not_tried"], 35);
    assert!(
        report["stopped"].as_str().unwrap().contains("quota"),
        "{report}"
    );

    // A scope of somebody else is not even listed.
    let sentence = shell.run(&import("tenant:globex")).await.sentence(1);
    assert!(sentence.contains("tenant:globex"), "{sentence}");
}
