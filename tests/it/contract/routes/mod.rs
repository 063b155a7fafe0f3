//! Every route is in the table, in the authorization matrix and in the OpenAPI document; and every one that changes
//! something leaves exactly one record of it (invariant 16).

mod bench;
mod recipe;
mod records;

use std::collections::BTreeSet;

use vestry::http::route::Access;
use vestry::http::routes::table;

use crate::access::matrix;
use crate::harness::TestServer;

fn rows() -> Vec<(String, &'static str, Access)> {
    let rows = table().rows().into_iter();
    rows.map(|(method, path, access)| (method.to_string(), path, access))
        .collect()
}

#[test]
fn every_route_has_its_rows_in_the_matrix() {
    let of_table: BTreeSet<(String, &str)> = rows()
        .into_iter()
        .map(|(method, path, _)| (method, path))
        .collect();
    assert_eq!(
        of_table.len(),
        rows().len(),
        "a route is in the table twice"
    );
    let asked = matrix::routes();
    let of_matrix: BTreeSet<(String, &str)> = asked
        .iter()
        .map(|(method, path)| ((*method).to_owned(), *path))
        .collect();
    assert_eq!(
        of_matrix.len(),
        asked.len(),
        "a route is in the matrix twice"
    );
    let missing: Vec<_> = of_table.difference(&of_matrix).collect();
    assert!(
        missing.is_empty(),
        "routes without rows in the matrix: {missing:?}"
    );
    let unknown: Vec<_> = of_matrix.difference(&of_table).collect();
    assert!(
        unknown.is_empty(),
        "the matrix has routes that do not exist: {unknown:?}"
    );

    // And the reviewed table says of each what the table of routes says.
    let reviewed = include_str!("../../access/matrix.txt");
    for (method, path, access) in rows() {
        let action = match access {
            // MCP stands in no table of this kind; `mcp::rules` holds it to the same verdicts.
            Access::PerMessage | Access::Public | Access::Published => "(public)",
            Access::Does(action) => action.as_str(),
        };
        let found = reviewed.lines().any(|line| {
            line.strip_prefix("## ").is_some_and(|heading| {
                let words: Vec<&str> = heading
                    .split([' ', ','])
                    .filter(|word| !word.is_empty())
                    .collect();
                words.starts_with(&[&method, path]) && words[2..].contains(&action)
            })
        });
        assert!(found, "matrix.txt has no {method} {path} with {action}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_route_is_in_the_openapi_document_and_back() {
    let server = TestServer::start().await;
    let document = server.client().get("/openapi.json").await.expect(200).body;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    let mut described = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in [
            "get", "put", "post", "delete", "patch", "head", "options", "trace",
        ] {
            if item[method].is_object() {
                described.insert((method.to_uppercase(), path.clone()));
            }
        }
    }
    let served: BTreeSet<(String, String)> = rows()
        .into_iter()
        .map(|(method, path, _)| (method, path.to_owned()))
        .collect();
    assert_eq!(served, described);
}

#[test]
fn no_route_lets_an_unknown_field_pass() {
    assert_eq!(table().lenient(), Vec::<String>::new());
}
