//! What was imported comes out as it was.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_what_was_imported_byte_for_byte() {
    let (_server, _people, shell) = at_acme().await;
    let repository = repository();
    let root = repository.path();
    shell
        .ok(&["import", root.to_str().unwrap(), "--scope", "tenant:acme"])
        .await;
    let out = Directory::new();
    let export = [
        "export",
        out.path().to_str().unwrap(),
        "--scope",
        "tenant:acme",
    ];
    assert_eq!(
        shell.ok(&export).await,
        "tenant:acme: 4 written, 0 unchanged, 0 refused\n"
    );
    for (exported, imported) in [
        ("refunds/SKILL.md", "refunds/SKILL.md"),
        ("refunds/scripts/check.sh", "refunds/scripts/check.sh"),
        ("refunds/assets/logo.bin", "refunds/assets/logo.bin"),
        ("escalation/SKILL.md", "refunds/nested/escalation/SKILL.md"),
        ("triage/SKILL.md", ".claude/skills/triage.md"),
        ("large/SKILL.md", "large/SKILL.md"),
        ("large/data.bin", "large/data.bin"),
    ] {
        let (exported, imported) = (out.path().join(exported), root.join(imported));
        assert_eq!(
            std::fs::read(&exported).unwrap(),
            std::fs::read(imported).unwrap(),
            "{exported:?}"
        );
    }
    assert_eq!(
        shell.ok(&export).await,
        "tenant:acme: 0 written, 4 unchanged, 0 refused\n"
    );
    // And what was exported is what is there.
    let again = shell
        .json(&[
            "import",
            out.path().to_str().unwrap(),
            "--scope",
            "tenant:acme",
        ])
        .await;
    assert_eq!(names(&again, "unchanged").len(), 4, "{again}");

    // A file that differs is left, unless it is asked for.
    put(out.path(), "triage/SKILL.md", "mine");
    std::fs::remove_file(out.path().join("refunds/SKILL.md")).unwrap();
    let ran = shell.run(&[&export[..], &["--json"]].concat()).await;
    assert_eq!(ran.code, 1);
    let report = ran.json();
    assert_eq!(report["written"], json!(["refunds"]));
    assert_eq!(names(&report, "refused"), ["triage"]);
    assert_eq!(
        std::fs::read(out.path().join("triage/SKILL.md")).unwrap(),
        b"mine"
    );
    shell
        .ok(&[&export[..], &["--force", "--name", "triage"]].concat())
        .await;
    assert_ne!(
        std::fs::read(out.path().join("triage/SKILL.md")).unwrap(),
        b"mine"
    );
}
