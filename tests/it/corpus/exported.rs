//! What `vestry export` writes, the reference validator accepts.

use std::path::{Path, PathBuf};

use hyper::Method;

use super::files::accepted;
use super::reference::verdicts;
use super::{BEYOND_THE_SPECIFICATION, MARKDOWN, codes, path_of};
use crate::harness::{Builder, Client, Directory, People, run};

/// Exports a scope, and gives the folders that are there then.
async fn export(client: &Client, server: &str, scope: &str, out: &Path) -> Vec<PathBuf> {
    let out = out.join(scope.replace(':', "-"));
    let arguments = [
        "export",
        out.to_str().unwrap(),
        "--scope",
        scope,
        "--server",
        server,
        "--token",
        client.token(),
    ];
    let ran = run(&arguments, "").await;
    let told = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{told}");
    let entries = std::fs::read_dir(&out).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Every skill of the corpus, the templates to copy, and those that come with the program.
#[tokio::test(flavor = "multi_thread")]
async fn the_reference_validator_accepts_every_export() {
    let builder = Builder {
        built_in_skills: true,
        ..Builder::default()
    };
    let server = builder.start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let mut beyond = Vec::new();
    for case in accepted() {
        let headers = [MARKDOWN, ("if-none-match", "*")];
        let made = maria
            .raw(
                Method::PUT,
                &path_of(&case),
                &headers,
                case.skill_md.clone(),
            )
            .await
            .expect(201);
        let warned = codes(&made);
        if warned
            .iter()
            .any(|code| BEYOND_THE_SPECIFICATION.contains(&code.as_str()))
        {
            beyond.push(case.name);
        }
    }
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/templates");
    let mut copied = 0;
    for entry in std::fs::read_dir(&templates).unwrap() {
        let Ok(source) = std::fs::read(entry.unwrap().path().join("SKILL.md")) else {
            continue;
        };
        let text = String::from_utf8(source.clone()).unwrap();
        let name = text
            .lines()
            .find_map(|line| line.strip_prefix("name: "))
            .unwrap()
            .to_owned();
        let path = format!("/v1/skills/tenant:acme/{name}");
        let headers = [MARKDOWN, ("if-match", "*")];
        let known = maria.get(&path).await.status == 200;
        let headers = if known {
            headers
        } else {
            [MARKDOWN, ("if-none-match", "*")]
        };
        maria
            .raw(Method::PUT, &path, &headers, source)
            .await
            .expect_one_of(&[200, 201]);
        copied += 1;
    }
    assert!(copied >= 5, "{copied}");
    // A skill that was sent as JSON, with files.
    let body = serde_json::json!({"description": "Use when \"it\" is: odd, & <so> #on.", "body": "Do it.\n",
        "frontmatter": {"license": "MIT", "compatibility": "any", "allowed-tools": "Bash(git:*) Read",
            "metadata": {"version": "1.10", "on": "yes"}},
        "files": [{"path": "scripts/run.sh", "text": "true\n"}]});
    let path = "/v1/skills/tenant:acme/sent-as-json";
    maria
        .send(Method::PUT, path, &[("if-none-match", "*")], Some(body))
        .await
        .expect(201);

    let out = Directory::new();
    let address = format!("http://{}", server.address);
    let mut directories = export(&maria, &address, "tenant:acme", out.path()).await;
    let built_in = export(&people.root, &address, "global", out.path()).await;
    assert!(built_in.len() >= 6, "{built_in:?}");
    directories.extend(built_in);
    let directories: Vec<String> = directories
        .iter()
        .map(|directory| directory.to_str().unwrap().to_owned())
        .collect();
    assert!(directories.len() > 150, "{}", directories.len());
    let Some(verdicts) = verdicts(&directories) else {
        return;
    };
    assert_eq!(verdicts.len(), directories.len());
    let wrong: Vec<String> = verdicts
        .iter()
        .filter(|(directory, errors)| {
            let name = Path::new(directory).file_name().unwrap().to_str().unwrap();
            !errors.is_empty() && !beyond.iter().any(|beyond| beyond == name)
        })
        .map(|(directory, errors)| format!("{directory}: {errors:?}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!(
        "{} exported, {} of them with a warning of the frontmatter",
        directories.len(),
        beyond.len()
    );
}
