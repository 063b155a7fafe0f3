//! A backup that is killed leaves no file of its name.

use std::time::Duration;

use super::{FILE, Place, Shell, grown, names, text};
use crate::api::files::upload;
use crate::harness::{TestServer, sqlite_only};

/// What makes the copy take longer than it takes to kill it.
const FILES: u8 = 6;
const SIZE: usize = 8 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_leaves_no_file_that_is_no_backup() {
    if sqlite_only(FILE) {
        return;
    }
    let server = TestServer::start().await;
    let (people, _) = grown(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for number in 0..FILES {
        upload(&maria, &vec![0x80 + number; SIZE]).await.expect(201);
    }
    let (shell, place) = (Shell::alone(), Place::new());
    let data = text(server.directory.path());
    let mut killed = 0;
    for (number, wait) in [0, 5, 20, 60, 100].into_iter().enumerate() {
        let directory = place.path(&number.to_string());
        std::fs::create_dir(&directory).unwrap();
        let file = directory.join("backup");
        let name = text(&file);
        let mut command = shell.command(&["backup", &name, "--data", &data]);
        let mut child = command.spawn().unwrap();
        // It has begun when there is something in the directory.
        while names(&directory).is_empty() && child.try_wait().unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(Duration::from_millis(wait)).await;
        child.kill().await.unwrap();
        if file.exists() {
            // It was done already.
            shell.ok(&["verify", &name]).await;
        } else {
            killed += 1;
            let left = names(&directory);
            assert!(
                left.len() == 1 && left[0].starts_with(".backup.") && left[0].ends_with(".partial"),
                "{left:?}"
            );
        }
        // What is left keeps nobody from trying again.
        if !file.exists() {
            shell.backup(server.directory.path(), &name).await;
        }
        shell.ok(&["verify", &name]).await;
        std::fs::remove_dir_all(&directory).unwrap();
    }
    assert!(killed > 0, "none was killed while it wrote");
    shell.ok(&["verify", "--data", &data]).await;
}
