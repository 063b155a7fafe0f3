//! Bodies, paths, queries and headers that cannot be read.

use super::*;

#[tokio::test]
async fn refuses_bad_bodies() {
    for (body, field) in [
        (&b"{"[..], None),
        (b"", None),
        (b"null", None),
        (b"[]", None),
        (b"{\"description\":\"\xff\"}", None),
        (b"{\"description\":\"d\"} x", None),
        (
            b"{\"description\":\"d\",\"description\":\"e\"}",
            Some("description"),
        ),
        (b"{}", Some("description")),
        (
            b"{\"description\":\"d\",\"files\":[{\"size\":1},{}]}",
            Some("files[1].size"),
        ),
        (b"{\"description\":7}", Some("description")),
        (b"{\"description\":\"d\",\"other\":1}", Some("other")),
        (
            b"{\"description\":\"d\",\"files\":[{\"size\":-1}]}",
            Some("files[0].size"),
        ),
    ] {
        let document = expect(send(put_json(SKILL, body.to_vec())).await, Code::Malformed);
        assert_eq!(document["field"].as_str(), field, "{document}");
        let detail = document["detail"].as_str().unwrap();
        assert!(
            !detail.contains("struct") && !detail.contains("u32"),
            "{detail}"
        );
    }
    let deep = format!("{{\"description\":{}", "[".repeat(100_000));
    expect(send(put_json(SKILL, deep)).await, Code::Malformed);
    let named = put_json(SKILL, r#"{"description":"d","copy_of":"A b"}"#);
    assert_eq!(
        expect(send(named).await, Code::InvalidName)["field"],
        "copy_of"
    );
}

#[tokio::test]
async fn refuses_other_types_and_large_bodies() {
    for media in [
        "text/plain",
        "application/json; charset=latin1",
        "application/jsonx",
    ] {
        let put = request("PUT", SKILL)
            .header("content-type", media)
            .body(Bytes::from("{}"))
            .unwrap();
        expect(send(put).await, Code::UnsupportedMediaType);
    }
    let untyped = request("PUT", SKILL).body(Bytes::from("{}")).unwrap();
    expect(send(untyped).await, Code::UnsupportedMediaType);

    let announced = request("PUT", SKILL)
        .header("content-length", BODY_LIMIT + 1)
        .body(Bytes::empty())
        .unwrap();
    expect(send(announced).await, Code::TooLarge);
    expect(
        send(put_json(SKILL, "x".repeat(BODY_LIMIT + 1))).await,
        Code::TooLarge,
    );
}

#[tokio::test]
async fn refuses_bad_paths_queries_and_headers() {
    let body = r#"{"description":"d"}"#;
    for (path, code, field) in [
        ("/v1/skills/tenant/refunds", Code::InvalidScope, "scope"),
        (
            "/v1/skills/tenant:null/refunds",
            Code::InvalidScope,
            "scope",
        ),
        ("/v1/skills/global/Refunds", Code::InvalidName, "name"),
        ("/v1/skills/global/a%2Fb", Code::InvalidName, "name"),
    ] {
        let document = expect(send(put_json(path, body)).await, code);
        assert_eq!(document["field"], field);
    }
    expect(
        send(put_json("/v1/skills/global/%ff", body)).await,
        Code::Malformed,
    );
    for query in [
        "limit=0",
        "limit=201",
        "limit=x",
        "limit=1&limit=2",
        "other=1",
        "status=%ff",
        "status=%2",
    ] {
        let get = request("GET", &format!("/v1/skills?{query}"));
        expect(
            send(get.body(Bytes::empty()).unwrap()).await,
            Code::Malformed,
        );
    }
    let mut weak = put_json(SKILL, body);
    weak.headers_mut()
        .insert("if-match", "W/\"a\"".parse().unwrap());
    assert_eq!(
        expect(send(weak).await, Code::Malformed)["field"],
        "If-Match"
    );
}
