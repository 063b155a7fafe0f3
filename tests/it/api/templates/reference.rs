//! What authors of templates read: the schema and the reference, in all its forms.

use super::begin;
use crate::api::schemas::built_in;
use crate::harness::{Client, Response};
use hyper::Method;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_and_the_reference_say_what_there_is() {
    let (_server, _people, agent, _) = begin(&[]).await;
    let schema = agent.get("/v1/context-schema").await.expect(200);
    assert_eq!(schema.body["schema"]["type"], "object");
    assert_eq!(schema.body["version"], schema.body["schema"]["x-version"]);
    assert_eq!(schema.body["built_in"], true);
    assert!(schema.text("activated_at").starts_with("2027-01-15T"));
    assert_eq!(schema.etag(), schema.text("digest"));
    let reference = agent.get("/v1/reference").await.expect(200);
    let paths: Vec<&str> = reference.body["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field["path"].as_str().unwrap())
        .collect();
    for path in ["organization.name", "task.title", "opening.kind"] {
        assert!(paths.contains(&path), "{path} of {paths:?}");
    }
    let headers = [("accept", "text/markdown")];
    let text = agent
        .send(Method::GET, "/v1/reference", &headers, None)
        .await
        .expect(200);
    let text = String::from_utf8(text.bytes.to_vec()).unwrap();
    for path in paths {
        let last = path.rsplit('.').next().unwrap().trim_end_matches("[]");
        assert!(text.contains(last), "{path}");
    }
    assert!(text.contains("default"));
}

async fn reference(agent: &Client, accept: &str) -> Response {
    let headers = [("accept", accept)];
    agent
        .send(Method::GET, "/v1/reference", &headers, None)
        .await
        .expect(200)
}

fn html(answer: &Response) -> String {
    assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
    String::from_utf8(answer.bytes.to_vec()).unwrap()
}

/// A text as it stands in a page.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_is_a_page_too() {
    let (server, _people, agent, _) = begin(&[]).await;
    let answer = reference(&agent, "text/html").await;
    let page = html(&answer);
    assert!(!page.contains("<script") && !page.contains(" style=\""));
    let docs = server.client().get("/docs").await.expect(200);
    let policy = "content-security-policy";
    assert_eq!(answer.headers[policy], docs.headers[policy]);
    assert_eq!(answer.headers["vary"], "accept");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert!(page.contains("href=\"/docs/style.css\"") && page.contains("href=\"/docs\""));
    assert!(html(&docs).contains("href=\"/v1/reference\""));
    // Everything that programs are told is told to people.
    let data = reference(&agent, "application/json").await.body;
    let texts = |list: &str, members: &[&str]| -> Vec<String> {
        let list = data[list].as_array().unwrap();
        assert!(list.len() >= 5);
        list.iter()
            .flat_map(|one| members.iter().map(|member| one[member].as_str().unwrap()))
            .map(|text| escaped(&text.replace('`', "")))
            .collect()
    };
    let plain = page.replace("<code>", "").replace("</code>", "");
    for text in [
        texts("situations", &["name", "about"]),
        texts("fields", &["path", "type", "description"]),
        texts(
            "helpers",
            &["name", "signature", "description", "example", "result"],
        ),
        texts("guards", &["rule", "example"]),
        texts("refusals", &["example", "code", "why", "instead"]),
    ]
    .concat()
    {
        assert!(plain.contains(&text), "{text}");
    }
    for field in data["fields"].as_array().unwrap() {
        if let Some(sample) = field.get("sample") {
            assert!(page.contains(&escaped(&sample.to_string())), "{field}");
        }
    }
    // Every link within the page leads somewhere.
    for target in page.split("href=\"#").skip(1) {
        let id = target.split('"').next().unwrap();
        assert_eq!(page.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_the_reference_is_negotiated() {
    let (server, _people, agent, _) = begin(&[]).await;
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
    for (accept, kind) in [
        ("text/html", "text/html; charset=utf-8"),
        (browser, "text/html; charset=utf-8"),
        (
            "text/html;q=0.9, text/markdown",
            "text/markdown; charset=utf-8",
        ),
        (
            "text/html;q=0.4, text/markdown;q=0.3, application/json;q=0.5",
            "application/json",
        ),
        (
            "text/markdown;q=0, text/html;q=0.1",
            "text/html; charset=utf-8",
        ),
        ("text/html;q=0, */*", "application/json"),
        ("*/*", "application/json"),
        ("image/png", "application/json"),
    ] {
        let answer = reference(&agent, accept).await;
        assert_eq!(answer.headers["content-type"], kind, "{accept}");
        assert_eq!(answer.headers["vary"], "accept", "{accept}");
    }
    assert_eq!(
        agent.get("/v1/reference").await.expect(200).headers["content-type"],
        "application/json"
    );
    let headers = [("accept", "text/html")];
    let nobody = server
        .client()
        .send(Method::GET, "/v1/reference", &headers, None)
        .await;
    nobody.expect_problem(401, "unauthenticated");
    let document = server.client().get("/openapi.json").await.expect(200).body;
    let content = &document["paths"]["/v1/reference"]["get"]["responses"]["200"]["content"];
    let mut forms: Vec<&String> = content.as_object().unwrap().keys().collect();
    forms.sort_unstable();
    assert_eq!(forms, ["application/json", "text/html", "text/markdown"]);
}

/// What an operator's schema says is text on the page, whatever it looks like.
#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_schema_writes_nothing_into_the_page() {
    let (_server, people, agent, _) = begin(&[]).await;
    let hostile =
        "</code></td><script>alert(1)</script><img src=x onerror=\"alert(1)\"> `</code><b>` &amp;";
    let mut schema = built_in(2);
    let organization = &mut schema["properties"]["organization"];
    organization["description"] = hostile.into();
    organization["properties"]["name"]["description"] = hostile.into();
    organization["properties"]["name"]["examples"] = json!([hostile]);
    schema["description"] = hostile.into();
    schema["x-situations"]["task-start"]["description"] = hostile.into();
    let body = json!({"schema": schema, "accept_breaking": true});
    people
        .root
        .put("/v1/context-schema", body)
        .await
        .expect(200);
    let page = html(&reference(&agent, "text/html").await);
    assert_eq!(page.matches("&lt;script&gt;alert(1)").count(), 5, "{page}");
    for tag in ["<script", "<img", "<b>"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains("<code>&lt;/code&gt;&lt;b&gt;</code> &amp;amp;"));
}
