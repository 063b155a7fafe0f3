//! Row-level security, as the role that a server connects as meets it: the second wall between tenants (threat 8).

use std::collections::BTreeSet;

use serde_json::json;

use super::database::File;
use crate::api::files::{bundle, publish};
use crate::api::roles::{attach, instruct};
use crate::harness::{Builder, Directory, People, content};

/// Tables with a column `tenant`.
const OF_TENANTS: &str = "SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid \
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND a.attname = 'tenant' ORDER BY 1";

async fn texts(file: &File, sql: &str) -> Vec<String> {
    let rows = file.rows(sql).await;
    rows.iter()
        .map(|row| row.try_get_by_index(0).unwrap())
        .collect()
}

async fn tenants(file: &File, table: &str) -> BTreeSet<String> {
    let sql = format!("SELECT DISTINCT tenant FROM {table}");
    texts(file, &sql).await.into_iter().collect()
}

/// Both tenants do a bit of everything.
async fn grow(people: &mut People) {
    for (tenant, publisher, actor) in [("acme", "maria", "tom"), ("globex", "greta", "gus")] {
        let scope = format!("tenant:{tenant}");
        let client = people.elevated(publisher, &scope).await;
        let files = json!([{"path": "a", "text": format!("a file of {tenant}")}]);
        publish(&client, &scope, "refunds", bundle("refunds", files))
            .await
            .expect(201);
        instruct(&client, &scope, "support", content("be kind"))
            .await
            .expect(201);
        let skills = json!([{"name": "refunds", "mode": "triggered"}]);
        attach(&client, &scope, "support", skills).await.expect(200);
        let body = json!({"tenant": tenant, "reason": "a test"});
        client
            .post("/v1/skills/global/handbook/hide", body)
            .await
            .expect(200);
        let agent = people.agent(tenant, actor, "bot").await;
        let made = agent
            .propose(&scope, "refunds", "a lesson")
            .await
            .expect(201);
        client
            .on_proposal(&made.text("id"), "comments", json!({"text": "why?"}))
            .await
            .expect(201);
        client.approve(&made.text("id")).await.expect(200);
        let turn = json!({"turn": "t-1", "role": "support"});
        let catalog = agent.post("/v1/catalog", turn).await.expect(200);
        agent
            .load(&catalog.text("offer"), "refunds")
            .await
            .expect(200);
        let context = crate::harness::context("task-start");
        let body = json!({"turn": "t-1", "role": "support", "context": context});
        agent.post("/v1/openings", body).await.expect(200);
        let human = people.human(actor).await;
        human
            .post("/v1/keys", json!({"name": "mine"}))
            .await
            .expect(201);
        client.get("/v1/audit?limit=1").await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_role_sees_and_writes_no_tenant_that_it_did_not_name() {
    let Some(directory) = Directory::in_postgres() else {
        return;
    };
    let mut server = Builder::default().start_on(directory).await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "handbook", "the handbook")
        .await
        .expect(201);
    grow(&mut people).await;
    server.stop().await;

    let all = File::of(&server.directory).await;
    let database = server.directory.postgres().await.unwrap();
    let file = File::at_url(&database.application_url).await;
    let tables = texts(&file, OF_TENANTS).await;
    assert_eq!(tables, texts(&all, OF_TENANTS).await);
    assert!(tables.len() >= 20, "{tables:?}");
    let mut of_both = 0;
    for table in &tables {
        let there = tenants(&all, table).await;
        let count = async |of: &str| {
            let sql = format!("SELECT count(*) FROM {table} WHERE {of}");
            all.number(&sql).await
        };
        of_both += usize::from(there.contains("acme") && there.contains("globex"));
        for (named, expected) in [
            (None, BTreeSet::new()),
            (Some(""), BTreeSet::new()),
            (Some("acme"), BTreeSet::from(["acme"])),
            (Some("globex"), BTreeSet::from(["globex"])),
            (Some("acme,~"), BTreeSet::from(["acme", "~"])),
            (Some("acm"), BTreeSet::new()),
            (Some("acme%"), BTreeSet::new()),
            (Some("*"), BTreeSet::from(["acme", "globex", "~"])),
        ] {
            file.run(&match named {
                None => "RESET vestry.tenants".to_owned(),
                Some(tenants) => format!("SET vestry.tenants = '{tenants}'"),
            })
            .await;
            let expected: BTreeSet<String> = expected.into_iter().map(str::to_owned).collect();
            let expected = if named == Some("*") {
                there.clone()
            } else {
                there.intersection(&expected).cloned().collect()
            };
            let seen = tenants(&file, table).await;
            assert_eq!(seen, expected, "{table}, of {named:?}");
            // All rows of theirs, and not only some.
            let names: Vec<String> = seen.iter().map(|tenant| format!("'{tenant}'")).collect();
            let rows = file.number(&format!("SELECT count(*) FROM {table}")).await;
            let theirs = match names.len() {
                0 => 0,
                _ => count(&format!("tenant IN ({})", names.join(", "))).await,
            };
            assert_eq!(rows, theirs, "{table}, of {named:?}");
        }
    }
    assert!(of_both >= 15, "{of_both} tables have rows of both tenants");

    // A row of acme, written as one of globex.
    file.run("SET vestry.tenants = 'acme,~'").await;
    let mut walls = 0;
    for table in &tables {
        let whole = format!(
            "SELECT coalesce(md5(string_agg(one::text, ',' ORDER BY one::text)), '') FROM {table} AS one"
        );
        let before = texts(&all, &whole).await;
        // The first record of a chain is what its guard lets in.
        let first = if table == "audit" {
            "WHERE seq = 1"
        } else {
            ""
        };
        let moved = format!(
            "INSERT INTO {table} SELECT (jsonb_populate_record(one, '{{\"tenant\": \"globex\"}}')).* \
             FROM {table} AS one {first} LIMIT 1"
        );
        if file.number(&format!("SELECT count(*) FROM {table}")).await == 0 {
            continue;
        }
        let error = file.try_run(&moved).await.unwrap_err();
        // Heads only follow their chain, which is asked first.
        let why = if table == "audit_heads" {
            "only follow it"
        } else {
            "violates row-level security policy"
        };
        assert!(error.contains(why), "{table}: {error}");
        walls += 1;
        // Nor is a row of theirs moved, changed or dropped.
        for sql in [
            format!("UPDATE {table} SET tenant = 'globex'"),
            format!("UPDATE {table} SET tenant = tenant WHERE tenant = 'globex'"),
            format!("DELETE FROM {table} WHERE tenant = 'globex'"),
        ] {
            let _ = file.try_run(&sql).await;
        }
        assert_eq!(before, texts(&all, &whole).await, "{table}");
    }
    assert!(walls >= 15, "{walls}");
    file.close().await;
    all.close().await;
}
