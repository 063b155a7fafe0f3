//! `resources/directory/read`.

use serde_json::{Value, json};

use super::{begin, with_files};

fn children(result: &Value) -> Vec<(String, String, String)> {
    let of = |child: &Value, field: &str| child[field].as_str().unwrap().to_owned();
    let found = result["resources"].as_array().unwrap();
    found
        .iter()
        .map(|child| (of(child, "uri"), of(child, "name"), of(child, "mimeType")))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_directory_of_a_skill_lists_its_children() {
    let (_server, _people, maria, tom) = begin().await;
    let files = json!([
        {"path": "references/forms.md", "text": "# F\n"},
        {"path": "references/eu/a b.md", "text": "# E\n"},
        {"path": "run.py", "text": "print(1)\n"},
    ]);
    with_files(&maria, "tenant:acme", "bundled", files).await;
    let read = async |uri: &str| {
        let result = tom
            .get("resources/directory/read", json!({"uri": uri}))
            .await;
        assert_eq!(result["resultType"], "complete");
        children(&result)
    };
    let child = |path: &str, name: &str, kind: &str| {
        (
            format!("skill://tenant/{path}"),
            name.to_owned(),
            kind.to_owned(),
        )
    };
    assert_eq!(
        read("skill://tenant/bundled").await,
        [
            child("bundled/SKILL.md", "SKILL.md", "text/markdown"),
            child("bundled/references", "references", "inode/directory"),
            child("bundled/run.py", "run.py", "text/plain"),
        ]
    );
    assert_eq!(
        read("skill://tenant/bundled/references").await,
        [
            child("bundled/references/eu", "eu", "inode/directory"),
            child("bundled/references/forms.md", "forms.md", "text/markdown"),
        ]
    );
    assert_eq!(
        read("skill://tenant/bundled/references/eu").await,
        [child(
            "bundled/references/eu/a%20b.md",
            "a b.md",
            "text/markdown"
        )]
    );
    assert_eq!(
        read("skill://tenant").await,
        [child("bundled", "bundled", "inode/directory")]
    );
    assert_eq!(read("skill://global").await, []);
    for uri in [
        "skill://tenant/bundled/SKILL.md",
        "skill://tenant/bundled/refer",
        "skill://tenant/bundled/references/",
        "skill://tenant/bundled/",
        "skill://tenant/bundled/references/..",
        "skill://tenant/other",
        "skill://global/bundled",
        "skill://",
        "skill://nobody",
        "file:///etc",
        "",
    ] {
        let error = tom
            .error("resources/directory/read", json!({"uri": uri}))
            .await;
        assert_eq!(error["code"], -32602, "{uri}");
        assert_eq!(error["message"], format!("Nothing is served at {uri}."));
    }
    let paged = json!({"uri": "skill://tenant/bundled", "cursor": "x"});
    assert_eq!(
        tom.error("resources/directory/read", paged).await["code"],
        -32602
    );
}
