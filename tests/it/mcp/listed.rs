//! `skills/list` and `skills/get`: complete manifests of the very bytes that a read gives.

use serde_json::{Value, json};

use super::speaker::{bytes, names};
use super::{begin, skill_md, with_files};
use crate::api::files::digest;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_listed_is_what_is_read() {
    let (_server, people, maria, tom) = begin().await;
    let files = json!([
        {"path": "references/a b.md", "text": "# A\n"},
        {"path": "references/deep/é.txt", "text": "é\n"},
        {"path": "data.bin", "base64": "AAECAwQ="},
        {"path": "crlf.txt", "text": "one\r\ntwo\r\n"},
        {"path": "empty.md", "text": ""},
    ]);
    with_files(&maria, "tenant:acme", "bundled", files).await;
    let root = people.root.clone();
    root.create("global", "wide", "Wide.").await.expect(201);
    root.create("global", "bundled", "Shadowed.")
        .await
        .expect(201);
    let own = tom.client();
    own.create("actor:tom", "own", "Own.").await.expect(201);
    root.verb("global", "wide", "seal").await.expect(200);

    let page = tom.get("skills/list", json!({})).await;
    assert_eq!(page["resultType"], "complete");
    assert_eq!(page["ttlMs"], 0);
    assert_eq!(page["cacheScope"], "private");
    let skills = page["skills"].as_array().unwrap().clone();
    let uris: Vec<&str> = skills
        .iter()
        .map(|skill| skill["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        uris,
        [
            "skill://global/wide/SKILL.md",
            "skill://actor/own/SKILL.md",
            "skill://tenant/bundled/SKILL.md"
        ]
    );
    for skill in &skills {
        let uri = skill["uri"].as_str().unwrap();
        // The entry of one is the entry of the list.
        let got = tom.get("skills/get", json!({"uri": uri})).await;
        assert_eq!(got["skill"], *skill);
        assert_eq!(got["cacheScope"], "private");
        let resources = skill["resources"].as_array().unwrap();
        assert_eq!(
            resources[0]["uri"], uri,
            "the SKILL.md itself is among them"
        );
        for resource in resources {
            let content = tom.read(resource["uri"].as_str().unwrap()).await;
            let bytes = bytes(&content);
            assert_eq!(resource["size"], bytes.len());
            assert_eq!(resource["digest"], digest(&bytes));
        }
    }
    let bundled = &skills[2];
    let paths: Vec<&str> = bundled["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| resource["uri"].as_str().unwrap())
        .collect();
    assert_eq!(
        paths,
        [
            "skill://tenant/bundled/SKILL.md",
            "skill://tenant/bundled/crlf.txt",
            "skill://tenant/bundled/data.bin",
            "skill://tenant/bundled/empty.md",
            "skill://tenant/bundled/references/a%20b.md",
            "skill://tenant/bundled/references/deep/%C3%A9.txt",
        ]
    );
    // Where it comes from, and what it overrides, under a prefix of ours.
    let meta = &bundled["_meta"];
    assert_eq!(meta["dev.vestry/scope"], "tenant:acme");
    assert_eq!(meta["dev.vestry/shadows"], json!(["global"]));
    assert_eq!(meta["dev.vestry/sealed"], false);
    assert_eq!(meta["dev.vestry/author_kind"], "human");
    assert_eq!(skills[0]["_meta"]["dev.vestry/sealed"], true);
    assert_eq!(skills[1]["_meta"]["dev.vestry/author_kind"], "agent");
    assert_eq!(skills[1]["_meta"]["dev.vestry/acts_for"], "tom");
    // Those that know no skills see their SKILL.md as resources.
    let listed = tom.get("resources/list", json!({})).await;
    let found: Vec<&Value> = listed["resources"].as_array().unwrap().iter().collect();
    assert_eq!(found.len(), 3);
    assert_eq!(found[2]["uri"], "skill://tenant/bundled/SKILL.md");
    assert_eq!(found[2]["name"], "bundled");
    assert_eq!(found[2]["mimeType"], "text/markdown");
}

/// The frontmatter of an entry is that of the SKILL.md, as a reader of YAML 1.2 has it; nothing is left out or made nicer.
#[tokio::test(flavor = "multi_thread")]
async fn the_frontmatter_is_that_of_the_file() {
    let (_server, _people, maria, tom) = begin().await;
    let text = "---\nname: odd\ndescription: >-\n  Use it\n  here.\nlicense: Apache-2.0\nversion: 1.10\ncount: 0x1F\nanswer: yes\nwhen: 2026-11-30\nquoted: \"1.10\"\nnothing:\nmetadata:\n  author: \"Jo\"\n  level: 007\nallowed-tools: Read Bash\n---\nBody.\n";
    skill_md(&maria, "tenant:acme", "odd", text).await;
    skill_md(
        &maria,
        "tenant:acme",
        "123",
        "---\nname: 123\ndescription: 456\n---\nBody.\n",
    )
    .await;
    let skills = tom.skills().await;
    assert_eq!(names(&skills), ["123", "odd"]);
    assert_eq!(
        skills[0]["frontmatter"],
        json!({"name": "123", "description": "456"})
    );
    assert_eq!(
        skills[1]["frontmatter"],
        json!({
            "name": "odd", "description": "Use it here.", "license": "Apache-2.0", "version": 1.1, "count": 31,
            "answer": "yes", "when": "2026-11-30", "quoted": "1.10", "nothing": null,
            "metadata": {"author": "Jo", "level": 7}, "allowed-tools": "Read Bash",
        })
    );
    assert_eq!(tom.read("skill://tenant/odd/SKILL.md").await["text"], text);
}

/// A listing of many pages is of one catalog, whatever is written in between; a cursor is its caller's.
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_of_one_catalog() {
    let (_server, mut people, maria, tom) = begin().await;
    for number in 0..120 {
        let name = format!("s{number:03}");
        maria.create("tenant:acme", &name, "x").await.expect(201);
    }
    let tom = tom.at("?cap=200");
    let first = tom.get("skills/list", json!({})).await;
    assert_eq!(first["skills"].as_array().unwrap().len(), 50);
    let cursor = first["nextCursor"].as_str().unwrap().to_owned();
    maria
        .create("tenant:acme", "a-new-one", "x")
        .await
        .expect(201);
    maria
        .update("tenant:acme", "s060", "changed")
        .await
        .expect(200);
    // Another that has the same token lists anew; what this one goes through stays what it was.
    let anew = tom.get("skills/list", json!({})).await;
    assert_eq!(names(anew["skills"].as_array().unwrap())[0], "a-new-one");
    let mut seen = names(first["skills"].as_array().unwrap());
    let mut next = Some(cursor.clone());
    while let Some(cursor) = next {
        let page = tom.get("skills/list", json!({"cursor": cursor})).await;
        for skill in page["skills"].as_array().unwrap() {
            if skill["frontmatter"]["name"] == "s060" {
                assert_eq!(skill["_meta"]["dev.vestry/revision"], 1);
            }
        }
        seen.extend(names(page["skills"].as_array().unwrap()));
        next = page["nextCursor"].as_str().map(ToOwned::to_owned);
    }
    let expected: Vec<String> = (0..120).map(|number| format!("s{number:03}")).collect();
    assert_eq!(seen, expected);
    assert_eq!(tom.skills().await.len(), 121);
    // Others, and other terms, have no use for it; nor is there a page that nobody gave a cursor for.
    let mia = super::Speaker::new(&people.agent("acme", "mia", "bot").await).at("?cap=200");
    for (speaker, cursor) in [
        (&mia, cursor.as_str()),
        (&tom.at("?cap=100"), cursor.as_str()),
        (&tom, ""),
        (&tom, "x"),
        (&tom, "50."),
        (&tom, "50.unknown"),
        (&tom, &cursor.replace("50.", "5000.")),
        (&tom, &cursor.replace("50.", "-1.")),
    ] {
        for method in ["skills/list", "resources/list"] {
            let error = speaker.error(method, json!({"cursor": cursor})).await;
            assert_eq!(error["code"], -32602, "{method} {cursor}: {error}");
        }
    }
}
