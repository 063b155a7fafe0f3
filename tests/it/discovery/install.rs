//! `npx skills add` installs from a running server, by both formats.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use super::{expected, published, skill_md};
use crate::harness::{Directory, node_tools};

/// Runs the installer in a directory of its own, which is its home as well.
async fn add(tools: &Path, url: &str, home: &Directory) -> String {
    let bin = tools.join("node_modules/.bin");
    let output = Command::new(bin.join("node"))
        .arg(tools.join("node_modules/skills/bin/cli.mjs"))
        .args([
            "add",
            url,
            "--skill",
            "*",
            "--agent",
            "claude-code",
            "--copy",
            "--yes",
        ])
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", bin.display()))
        .env("HOME", home.path())
        .env("DISABLE_TELEMETRY", "1")
        .env("DO_NOT_TRACK", "1")
        .env("CI", "1")
        .current_dir(home.path())
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let told = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{told}");
    told
}

/// Every file below a directory, by its path in it.
fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, at: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                found.insert(name.to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

/// A server of older days in front of this one: it knows nothing of the newer paths. Gives its address.
async fn without_the_newer_paths(server: std::net::SocketAddr) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).await? == 1 {
                    head.push(byte[0]);
                }
                let text = String::from_utf8_lossy(&head).into_owned();
                if text.contains(" /.well-known/agent-skills/") {
                    let none =
                        b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                    return client.write_all(none).await;
                }
                // One request a connection, so that every one is looked at.
                let asked = text.replacen("\r\n", "\r\nconnection: close\r\n", 1);
                let kept = asked.replace("connection: keep-alive\r\n", "");
                let mut upstream = TcpStream::connect(server).await?;
                upstream.write_all(kept.as_bytes()).await?;
                tokio::io::copy(&mut upstream, &mut client).await?;
                client.shutdown().await
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn the_installer_installs_the_very_bytes_by_both_formats() {
    let Some(tools) = node_tools() else {
        return;
    };
    let (server, people) = published().await;
    let tools_files = expected(&skill_md(&people.root, "tools").await);
    let plain = skill_md(&people.root, "plain").await.bytes;
    let older = without_the_newer_paths(server.address).await;
    for address in [server.address, older] {
        let home = Directory::new();
        let told = add(&tools, &format!("http://{address}"), &home).await;
        let skills = home.path().join(".claude/skills");
        assert!(skills.is_dir(), "{told}");
        let installed = tree(&skills.join("tools"));
        assert_eq!(
            installed.keys().collect::<Vec<_>>(),
            tools_files.keys().collect::<Vec<_>>(),
            "{told}"
        );
        assert_eq!(installed, tools_files);
        assert_eq!(
            tree(&skills.join("plain")),
            BTreeMap::from([("SKILL.md".to_owned(), plain.to_vec())])
        );
        let names: Vec<String> = std::fs::read_dir(&skills)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
    // A skill that was revoked is not installed any more.
    people
        .root
        .verb("global", "tools", "revoke")
        .await
        .expect(200);
    let home = Directory::new();
    add(&tools, &format!("http://{}", server.address), &home).await;
    let skills = home.path().join(".claude/skills");
    assert!(skills.join("plain").is_dir() && !skills.join("tools").exists());
}
