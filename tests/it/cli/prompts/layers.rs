//! Which layer a prompt comes from, and what is recorded of it.

use serde_json::{Value, json};

use super::{Worker, registry};
use crate::api::files::hex;

const REVIEW: &str = "---\nname: review\ndescription: How acme reviews.\nfields: [review]\n---\nReview as acme: {{diff}}\n";

/// Issue 8, A.1: the first that applies, of five layers, the upper ones taken away one by one.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_layer_that_has_one_is_used() {
    let (_server, _people, worker) = registry().await;
    worker.put("review.md", REVIEW);
    let publish = [
        "skill",
        "publish",
        "review.md",
        "--prompt",
        "--scope",
        "tenant:acme",
    ];
    worker.shell.ok(&publish).await;
    worker.library("mine.md", "---\nrepos: [github.com/acme/app]\n---\nMine.\n");
    worker.tree(".conductor/review.md", "Of the repository.\n");
    worker.tree("docs/prompt.md", "Of a path.\n");
    let inline = ["--inline-prompt", "Inline {{diff}}."];

    let all = |more: &[&'static str]| [&inline[..], more].concat();
    let source = async |more: &[&'static str]| worker.source(&all(more)).await;
    assert_eq!(source(&["--template", "Text."]).await, "input:inline");
    assert_eq!(
        source(&["--template", "@docs/prompt.md"]).await,
        "repo:@docs/prompt.md"
    );
    let app = ["--repository", "git@github.com:Acme/App.git"];
    assert_eq!(source(&app).await, "user:mine.md");
    assert_eq!(source(&[]).await, "registry:tenant:acme/review@1");
    // A blank input is none.
    assert_eq!(
        source(&["--template", " \n"]).await,
        "registry:tenant:acme/review@1"
    );
    let archive = ["skill", "archive", "tenant:acme/prompt:review"];
    worker.shell.ok(&archive).await;
    assert_eq!(source(&[]).await, "repo:.conductor/review.md");
    assert_eq!(
        source(&["--key", "../x/other.md"]).await,
        "workflow:inline-prompt"
    );
    std::fs::remove_file(worker.path("tree/.conductor/review.md")).unwrap();
    assert_eq!(source(&[]).await, "bundled:review");
    assert_eq!(source(&["--key", "fix"]).await, "bundled:fix");
    assert_eq!(
        source(&["--role", "deploy"]).await,
        "workflow:inline-prompt"
    );
    let none = worker.refusal(&["--role", "deploy"]).await;
    assert!(
        none.contains("nothing has a prompt for the role `deploy`"),
        "{none}"
    );
}

/// What was selected of the registry is copied into the launch, and is explicit from then on: also after a later write.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_selected_is_kept_with_the_launch() {
    let (_server, _people, worker) = registry().await;
    worker.put("review.md", REVIEW.replace("Review as", "@team, review as"));
    let publish = [
        "skill",
        "publish",
        "review.md",
        "--prompt",
        "--scope",
        "tenant:acme",
    ];
    worker.shell.ok(&publish).await;
    worker.put("context.json", r#"{"note": "n", "diff": "{{note}}"}"#);
    let context = ["--context", "context.json"];
    let first = worker
        .prompt(&[&context[..], &["--turn", "launch-7"]].concat())
        .await;
    let template = "@team, review as acme: {{diff}}\n";
    let prompt = "@team, review as acme: {{note}}\n\n## Context\n\n### note\n\nn\n";
    assert_eq!(
        first,
        json!({
            "workflow": "bugfix", "role": "review", "replaces": "user-prompt",
            "requestedSource": null, "resolvedSource": "registry:tenant:acme/review@1", "templateKey": "review",
            "templateSha256": hex(template.as_bytes()), "renderedSha256": hex(prompt.as_bytes()),
            "template": template, "prompt": prompt,
            "unknownPlaceholders": [], "appendedContext": ["note"],
            "inputs": {
                "reviewPromptTemplate": format!("@{template}"),
                "reviewPromptTemplateSource": "registry:tenant:acme/review@1",
            },
        })
    );
    worker.put("review.md", REVIEW.replace("Review as acme", "Otherwise"));
    worker.shell.ok(&publish).await;
    worker.put("inputs.json", first["inputs"].to_string());
    let again = worker
        .prompt(&[&context[..], &["--inputs", "inputs.json"]].concat())
        .await;
    assert_eq!(again["resolvedSource"], "input:inline");
    // The label is provenance, and nothing more.
    assert_eq!(again["requestedSource"], "registry:tenant:acme/review@1");
    for same in [
        "template",
        "prompt",
        "templateSha256",
        "renderedSha256",
        "inputs",
    ] {
        assert_eq!(again[same], first[same], "{same}");
    }
    // The label alone changes nothing.
    worker.put(
        "inputs.json",
        r#"{"reviewPromptTemplateSource": "bundled:review", "planPromptTemplate": "x"}"#,
    );
    let labelled = worker.prompt(&["--inputs", "inputs.json"]).await;
    assert_eq!(labelled["resolvedSource"], "registry:tenant:acme/review@2");
    assert_eq!(labelled["requestedSource"], "bundled:review");
}

/// Issue 8, A.2, by the command: what the rules say is tested in `policies`.
#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_is_rendered_in_one_pass() {
    let worker = Worker::alone();
    worker.put(
        "context.json",
        r#"{"zeta": "Z", "blank": " ", "feedback": "F", "a": "{{feedback}}"}"#,
    );
    let of = async |template: &str, more: &[&str]| -> Value {
        worker
            .prompt(
                &[
                    &["--template", template, "--context", "context.json"][..],
                    more,
                ]
                .concat(),
            )
            .await
    };
    let prompt = of("{{a}} {{missing}} {{ a }}", &[]).await;
    assert_eq!(
        prompt["prompt"],
        "{{feedback}} {{missing}} {{ a }}\n\n## Context\n\n### zeta\n\nZ\n\n### feedback\n\nF\n"
    );
    assert_eq!(prompt["unknownPlaceholders"], json!(["missing"]));
    assert_eq!(prompt["appendedContext"], json!(["zeta", "feedback"]));
    let all = "{{zeta}}{{feedback}}{{a}}{{blank}}";
    assert_eq!(of(all, &[]).await["prompt"], "ZF{{feedback}}");
    let subtask = of(
        &format!("{all}{{{{subtask}}}}"),
        &["--inline-prompt", "Do {{a}}"],
    )
    .await;
    assert_eq!(subtask["prompt"], "ZF{{feedback}}Do {{a}}");
    // The workflow's own prompt is verbatim.
    let inline = worker
        .prompt(&[
            "--role",
            "deploy",
            "--inline-prompt",
            "Deploy {{a}}",
            "--context",
            "context.json",
        ])
        .await;
    assert_eq!(
        (&inline["prompt"], &inline["inputs"]),
        (&json!("Deploy {{a}}"), &json!({}))
    );
    for (context, words) in [
        (r#"{"a": 1}"#, "is no text"),
        (r#"{"a": "x", "a": "y"}"#, "twice"),
        (r#"{"a b": "x"}"#, "`a b` is refused"),
    ] {
        worker.put("bad.json", context);
        let said = worker.refusal(&["--context", "bad.json"]).await;
        assert!(said.contains(words), "{said}");
    }
    // Without `--json` the prompt is all that is on standard output.
    let plain = [
        "prompt",
        "resolve",
        "--no-registry",
        "--workflow",
        "w",
        "--role",
        "x",
        "--template",
        "Hi",
    ];
    let ran = worker.shell.run(&plain).await;
    assert_eq!((ran.code, ran.text().as_str()), (0, "Hi"));
    assert!(ran.stderr.contains("from input:inline"), "{}", ran.stderr);
}

/// Where no server is known, that is said, and what would apply is not passed over.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_nobody_guesses() {
    let worker = Worker::alone();
    let asked = ["prompt", "resolve", "--workflow", "w", "--role", "review"];
    let ran = worker.shell.run(&asked).await;
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("`--no-registry` asks none"),
        "{}",
        ran.stderr
    );
    let gone = ["--server", "http://127.0.0.1:9", "--token", "x"];
    let ran = worker.shell.run(&[&asked[..], &gone].concat()).await;
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stdout.is_empty());
    // What is explicit needs none.
    worker
        .shell
        .ok(&[&asked[..], &["--template", "Hi"]].concat())
        .await;
}
