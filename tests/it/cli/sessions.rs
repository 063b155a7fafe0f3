//! Logging in and out, stepping up and down, and what a profile does with tokens.

use serde_json::Value;

use super::fake::{Fake, Said};
use super::{Shell, mode, run};
use crate::harness::{PASSWORD, People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_kept_in_a_profile_for_its_owner_only() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    assert_eq!(mode(&shell.profile("default")), 0o600);
    assert_eq!(mode(&shell.config()), 0o700);
    // Nothing is left of the writing but the profile and its lock.
    let mut names: Vec<_> = std::fs::read_dir(shell.config())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["default.lock", "default.profile.json"]);

    let me = shell.json(&["whoami"]).await;
    assert_eq!(me["principal"], "human:maria");
    let text = shell.ok(&["whoami"]).await;
    assert!(text.contains("principal   human:maria\n"), "{text}");
    assert!(
        text.contains("scopes      actor:maria, tenant:acme, global\n"),
        "{text}"
    );

    // A second profile is another one.
    let arguments = [
        "login",
        "--profile",
        "other",
        "--server",
        &shell.server,
        "--username",
        "tom",
        "--password-stdin",
        "--json",
    ];
    let said = shell
        .run_with(&arguments, &format!("{PASSWORD}\n"))
        .await
        .json();
    assert_eq!(said["tenant"], "acme");
    assert_eq!(said["profile"], "other");
    assert!(
        !said.to_string().contains("ey"),
        "no token is shown: {said}"
    );
    let me = shell.json(&["whoami", "--profile", "other"]).await;
    assert_eq!(me["principal"], "human:tom");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_keeps_a_login_from_working_is_said() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    let login = [
        "login",
        "--server",
        &shell.server,
        "--username",
        "maria",
        "--password-stdin",
    ];
    let sentence = shell.run_with(&login, "a wrong password").await.sentence(1);
    assert!(
        sentence.ends_with("does not know maria with this password"),
        "{sentence}"
    );
    assert!(!shell.profile("default").exists());

    for (arguments, code, part) in [
        (&["whoami"][..], 2, "run `vestry login --server URL`"),
        (
            &["login", "--username", "maria", "--password-stdin"],
            2,
            "Give --server URL",
        ),
        (
            &[
                "elevate",
                "--scope",
                "global",
                "--reason",
                "x",
                "--password-stdin",
            ],
            1,
            "run `vestry login` first",
        ),
        (&["logout"], 1, "nobody is logged in with profile default"),
        (
            &["whoami", "--server", "http://127.0.0.1:1", "--token", "x"],
            1,
            "check the address, and that the server runs",
        ),
    ] {
        let sentence = shell.run(arguments).await.sentence(code);
        assert!(sentence.contains(part), "{arguments:?}: {sentence}");
    }
    // Without a terminal and without --password-stdin there is nobody to ask.
    let sentence = shell
        .run(&["login", "--server", &shell.server, "--username", "maria"])
        .await
        .sentence(2);
    assert!(sentence.ends_with("give --password-stdin"), "{sentence}");
    let sentence = shell
        .run(&["whoami", "--server", &shell.server, "--token", "nonsense"])
        .await
        .sentence(1);
    assert!(sentence.contains("run `vestry login`"), "{sentence}");
    for arguments in [
        &["whoami", "--server", "127.0.0.1:7700"][..],
        &["whoami", "--profile", "../x"],
        &["whoami", "--color", "sometimes"],
        &["skill", "show", "refunds"],
        &["skill", "show", "global/Refunds"],
    ] {
        assert_eq!(shell.run(arguments).await.code, 2, "{arguments:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_goes_to_the_server_that_it_is_for_and_nowhere_else() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let fake = Fake::start(|_| Said::status(302).header("location", "http://127.0.0.1:1/")).await;
    let sentence = shell
        .run(&["whoami", "--server", &fake.url()])
        .await
        .sentence(2);
    assert!(sentence.contains("logged in to"), "{sentence}");
    assert_eq!(fake.requests(), Vec::<String>::new());
    // Nor is a redirect followed.
    let sentence = shell
        .run(&["whoami", "--server", &fake.url(), "--token", "secret"])
        .await
        .sentence(1);
    assert!(
        sentence.contains("sends on to http://127.0.0.1:1/"),
        "{sentence}"
    );
    assert_eq!(fake.requests(), ["GET /v1/me Bearer secret"]);

    // A profile that others can read is not used.
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(0o640);
    std::fs::set_permissions(shell.profile("default"), permissions).unwrap();
    let sentence = shell.run(&["whoami"]).await.sentence(1);
    assert!(sentence.contains("others can read"), "{sentence}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_elevation_is_used_for_its_scope_until_it_is_given_up_or_ends() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "somebody asks")
        .await
        .expect(201);
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let seal = ["skill", "seal", "tenant:acme/refunds", "--reason", "a test"];
    let unseal = [
        "skill",
        "unseal",
        "tenant:acme/refunds",
        "--reason",
        "a test",
    ];
    let needs = "this needs an elevation for tenant:acme: run `vestry elevate --scope tenant:acme --reason …` first";
    assert_eq!(shell.run(&seal).await.sentence(1), needs);
    shell.elevate("tenant:acme").await;
    assert_eq!(shell.json(&seal).await["sealed"], true);
    // It is not used for anything else: reading is done as oneself.
    assert_eq!(shell.json(&["whoami"]).await["elevation"], Value::Null);
    assert_eq!(shell.json(&["stepdown"]).await["ended"][0], "tenant:acme");
    assert_eq!(shell.run(&unseal).await.sentence(1), needs);
    assert_eq!(shell.ok(&["stepdown"]).await, "there was no elevation\n");

    // One that has ended at the server is dropped, and what to do is said.
    shell.elevate("tenant:acme").await;
    server.advance(16 * 60);
    assert_eq!(shell.run(&unseal).await.sentence(1), needs);
    let profile: Value =
        serde_json::from_slice(&std::fs::read(shell.profile("default")).unwrap()).unwrap();
    assert_eq!(profile["elevations"].as_array().unwrap().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_processes_share_one_refresh_token() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let read = || -> Value {
        serde_json::from_slice(&std::fs::read(shell.profile("default")).unwrap()).unwrap()
    };
    // First by the server's clock alone, which is ahead of this machine's; then by the profile, which says that the
    // token has ended.
    for by_the_profile in [false, true] {
        server.advance(16 * 60);
        let mut before = read();
        if by_the_profile {
            before["expires_at"] = "2020-01-01T00:00:00Z".into();
            std::fs::write(shell.profile("default"), before.to_string()).unwrap();
        }
        let runs: Vec<_> = (0..6)
            .map(|_| tokio::spawn(run(shell.command(&["whoami", "--json"]), "")))
            .collect();
        for ran in runs {
            let ran = ran.await.unwrap();
            assert_eq!(ran.code, 0, "{}", ran.stderr);
            assert_eq!(ran.json()["principal"], "human:maria");
        }
        let after = read();
        assert_ne!(after["refresh_token"], before["refresh_token"]);
        assert_eq!(mode(&shell.profile("default")), 0o600);
    }
    // The session lives: nobody used a refresh token twice.
    server.advance(16 * 60);
    shell.ok(&["whoami"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_logout_ends_the_session_and_a_session_that_has_ended_says_so() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let copy = std::fs::read(shell.profile("default")).unwrap();
    assert_eq!(
        shell.ok(&["logout"]).await,
        "logged out; the session has ended\n"
    );
    assert!(!shell.profile("default").exists());
    // What somebody kept of the profile is worth nothing.
    std::fs::write(shell.profile("default"), copy).unwrap();
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(shell.profile("default"), permissions).unwrap();
    let sentence = shell.run(&["whoami"]).await.sentence(1);
    assert!(sentence.contains("run `vestry login`"), "{sentence}");
}
