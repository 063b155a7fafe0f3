//! `vestry admin create`.

use super::{PASSWORD, code, create_admin, elevated, one_sentence};
use crate::harness::{Directory, Spawned};

#[tokio::test(flavor = "multi_thread")]
async fn admin_create_works_before_and_beside_a_server() {
    let directory = Directory::new();
    let output = create_admin(&directory, "root", &format!("{PASSWORD}\n")).await;
    assert_eq!(
        code(&output),
        0,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "root is a global administrator now\n"
    );

    let server = Spawned::start(&directory).await;
    // Without the line break, which is not part of the password; and without a restart.
    let output = create_admin(&directory, "second", PASSWORD).await;
    assert_eq!(
        code(&output),
        0,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for username in ["root", "second"] {
        let admin = elevated(server.address, username).await;
        assert_eq!(
            admin.get("/v1/me").await.expect(200).body["global_admin"],
            true
        );
    }

    let sentence = one_sentence(&create_admin(&directory, "ROOT", PASSWORD).await);
    assert!(sentence.contains("exists already"), "{sentence}");
    let sentence = one_sentence(&create_admin(&directory, "third", "short").await);
    assert!(
        sentence.starts_with("the password is refused: "),
        "{sentence}"
    );
    let sentence = one_sentence(&create_admin(&directory, "not a name", PASSWORD).await);
    assert!(
        sentence.starts_with("the username is refused: "),
        "{sentence}"
    );
    let admin = elevated(server.address, "root").await;
    let users = admin.get("/v1/users").await.expect(200);
    assert_eq!(users.body["items"].as_array().unwrap().len(), 2);
    assert_eq!(server.terminate().await, Some(0));
}
