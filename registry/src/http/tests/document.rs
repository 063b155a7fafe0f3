//! The OpenAPI document.

use super::*;

#[test]
fn describes_itself() {
    let table = table();
    assert_eq!(table.lenient(), Vec::<String>::new());
    let document = table.openapi("0.1.0");
    let put = &document["paths"]["/v1/skills/{scope}/{name}"]["put"];
    assert_eq!(put["operationId"], "put_skills_by_scope_by_name");
    assert_eq!(put["security"], json!([{ "bearer": [] }]));
    assert_eq!(put["x-action"], "publish-skill");
    assert_eq!(
        put["requestBody"]["content"]["application/json"]["schema"]["$ref"],
        "#/components/schemas/Put"
    );
    assert_eq!(put["parameters"][1]["name"], "name");
    assert_eq!(put["parameters"][2]["name"], "If-Match");
    assert_eq!(
        put["responses"]["412"]["x-codes"],
        json!(["precondition-failed"])
    );
    let list = &document["paths"]["/v1/skills"]["get"];
    let queries: Vec<_> = list["parameters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| &p["name"])
        .collect();
    assert_eq!(queries, ["status", "cursor", "limit"]);
    assert!(document["paths"]["/openapi.json"]["get"]["security"] == json!([]));

    // Every reference leads somewhere.
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1) {
        let pointer = reference.split('"').next().unwrap();
        assert!(document.pointer(pointer).is_some(), "{pointer}");
    }
    let codes =
        document["components"]["schemas"]["Problem"]["properties"]["code"]["enum"].as_array();
    assert_eq!(codes.unwrap().len(), Code::ALL.len());
}

#[derive(Deserialize, JsonSchema)]
struct Loose {
    #[expect(dead_code, reason = "only its schema is read")]
    a: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LooseInside {
    #[expect(dead_code, reason = "only its schema is read")]
    inner: Vec<Loose>,
}

#[test]
fn finds_bodies_that_let_unknown_fields_pass() {
    let post = |path, operation| Route::<()>::post(path, Access::Public, slow, operation);
    let table = Table(vec![
        post("/a", Operation::new("a").body::<Loose>()),
        post("/b", Operation::new("b").body::<LooseInside>()),
        post("/c", Operation::new("c").body::<Put>()),
        post("/d", Operation::new("d").query::<Loose>()),
    ]);
    assert_eq!(table.lenient(), ["POST /a", "POST /b", "POST /d"]);
}
