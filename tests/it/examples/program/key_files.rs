//! The file of the keys, when it is not in order.

use std::time::Duration;

use serde_json::{Value, json};
use vestry::server::keys_file;

use super::one_sentence;
use crate::harness::{Directory, Spawned, run};

#[tokio::test(flavor = "multi_thread")]
async fn weak_or_readable_keys_refuse_the_start() {
    let directory = Directory::new();
    let data = directory.path().to_str().unwrap().to_owned();
    let server = Spawned::start(&directory).await;
    assert_eq!(server.terminate().await, Some(0));
    let file = keys_file(directory.path());
    let good = std::fs::read_to_string(&file).unwrap();
    let start = async || {
        let arguments = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            "warn",
            "--data",
            &data,
        ];
        tokio::time::timeout(Duration::from_secs(30), run(&arguments, ""))
            .await
            .unwrap()
    };
    let edited = |edit: &dyn Fn(&mut Value)| {
        let mut keys: Value = serde_json::from_str(&good).unwrap();
        edit(&mut keys);
        keys.to_string()
    };
    let set = |at: &'static str, secret: String| {
        edited(&|keys| keys["rings"][at][0]["secret"] = secret.clone().into())
    };
    let agent: Value = serde_json::from_str(&good).unwrap();
    let agent = agent["rings"]["agent"][0]["secret"]
        .as_str()
        .unwrap()
        .to_owned();
    for (text, says) in [
        (
            set("human", "c2hvcnQ".to_owned()),
            "bytes, and 32 are the fewest",
        ),
        (set("human", "A".repeat(43)), "too regular to be random"),
        (set("human", agent), "have the same secret"),
        (
            edited(&|keys| keys["rings"]["offer"][0]["state"] = "accept".into()),
            "needs exactly one",
        ),
        (
            edited(&|keys| keys["rings"]["extra"] = json!([])),
            "is not a valid key file",
        ),
        ("not json".to_owned(), "is not a valid key file"),
    ] {
        // Written in place, so that the mode stays.
        std::fs::write(&file, &text).unwrap();
        let sentence = one_sentence(&start().await);
        assert!(sentence.contains(says), "{says:?} is not in {sentence}");
    }
    std::fs::write(&file, &good).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        let sentence = one_sentence(&start().await);
        assert!(
            sentence.contains("can be read by others (mode 640); run `chmod 600"),
            "{sentence}"
        );
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let server = Spawned::start(&directory).await;
    assert_eq!(server.terminate().await, Some(0));
}
