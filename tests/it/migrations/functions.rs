//! The functions of which one call is one round trip.

use sea_orm::{ConnectionTrait as _, DbBackend, QueryResult, Statement, TransactionTrait as _};

use super::{APP, OWNER};
use super::{as_tenants, migrated, refusal, value};

async fn current(db: &sea_orm::DatabaseConnection, of: [&str; 6]) -> QueryResult {
    let asked = Statement::from_sql_and_values(
        DbBackend::Postgres,
        "SELECT * FROM vestry_current($1, $2, $3, $4, $5, $6)",
        of.map(Into::into),
    );
    db.query_one_raw(asked).await.unwrap().unwrap()
}

fn number(row: &QueryResult, name: &str) -> Option<i64> {
    row.try_get("", name).unwrap()
}

fn truth(row: &QueryResult, name: &str) -> Option<bool> {
    row.try_get("", name).unwrap()
}

#[tokio::test]
async fn what_is_current_is_found_in_one_round_trip() {
    let Some(database) = migrated().await else {
        return;
    };
    let app = database.connect(APP).await;
    let nobody = current(&app, ["acme,~", "acme", "tom", "", "", ""]).await;
    for zero in [
        "own_version",
        "tenant_version",
        "global_version",
        "tenant_head",
        "global_head",
    ] {
        assert_eq!(number(&nobody, zero), Some(0), "{zero}");
    }
    for none in [
        "actor_epoch",
        "service_epoch",
        "session_expires",
        "max_cap",
        "schema_number",
    ] {
        assert_eq!(number(&nobody, none), None, "{none}");
    }
    for none in ["actor_ended", "service_revoked"] {
        assert_eq!(truth(&nobody, none), None, "{none}");
    }
    for no in ["session_revoked", "key_revoked"] {
        assert_eq!(truth(&nobody, no), Some(false), "{no}");
    }

    let tx = as_tenants(&app, "*").await;
    for sql in [
        "INSERT INTO scope_versions VALUES ('acme', 2, 'tom', 5), ('acme', 1, '', 6), ('~', 0, '', 7), ('other', 2, 'tom', 8)",
        "INSERT INTO actor_epochs VALUES ('acme', 'tom', 3, true), ('other', 'tom', 4, false)",
        "INSERT INTO services VALUES ('acme', 'svc', 'n', 'h1', 'h', 9, 1, NULL), ('acme', 'gone', 'n', 'h2', 'h', 10, 1, 2)",
        "INSERT INTO sessions VALUES ('ses', 'acme', 'tom', 1, 20, NULL), ('ended', 'acme', 'tom', 1, 21, 2)",
        "INSERT INTO user_keys VALUES ('acme', 'tom', 'key', 'n', 'k1', 'h', 0, 1, NULL), ('acme', 'tom', 'dead', 'n', 'k2', 'h', 0, 1, 2)",
        "INSERT INTO tenants (tenant_key, tenant, name, max_cap, agent_own_scope, skills_per_actor, skills_per_tenant, \
         revisions_per_skill, settings_version, created_at) VALUES ('acme', 'acme', 'n', 30, 0, 1, 1, 1, 1, 1)",
        "INSERT INTO context_schemas VALUES (1, 9, 'd', 't', 'a', 1), (2, 4, 'd', 't', 'a', 1)",
        "INSERT INTO audit VALUES ('acme', 1, 1, 'p', 'a', 't', NULL, '', 'h'), ('acme', 2, 1, 'p', 'a', 't', NULL, '', 'h')",
        "INSERT INTO audit VALUES ('~', 1, 1, 'p', 'a', 't', NULL, '', 'h')",
    ] {
        tx.execute_unprepared(sql).await.unwrap();
    }
    tx.commit().await.unwrap();

    let tom = current(&app, ["acme,~", "acme", "tom", "svc", "ses", "key"]).await;
    for (name, wanted) in [
        ("own_version", 5),
        ("tenant_version", 6),
        ("global_version", 7),
        ("actor_epoch", 3),
        ("service_epoch", 9),
        ("session_expires", 20),
        ("max_cap", 30),
        ("schema_number", 2),
        ("tenant_head", 2),
        ("global_head", 1),
    ] {
        assert_eq!(number(&tom, name), Some(wanted), "{name}");
    }
    for (name, wanted) in [
        ("actor_ended", true),
        ("service_revoked", false),
        ("session_revoked", false),
        ("unchanged", false),
        ("key_revoked", false),
    ] {
        assert_eq!(truth(&tom, name), Some(wanted), "{name}");
    }
    let ended = current(&app, ["acme,~", "acme", "tom", "gone", "ended", "dead"]).await;
    for name in ["service_revoked", "session_revoked", "key_revoked"] {
        assert_eq!(truth(&ended, name), Some(true), "{name}");
    }
    // A key that is not there, or not to be seen, is none that stands.
    for tenants in ["acme,~", "other,~", ""] {
        let key = if tenants == "acme,~" {
            "unknown"
        } else {
            "key"
        };
        let row = current(&app, [tenants, "acme", "tom", "svc", "ses", key]).await;
        assert_eq!(truth(&row, "key_revoked"), Some(true), "{tenants}");
    }
    let hidden = current(&app, ["other,~", "acme", "tom", "svc", "ses", ""]).await;
    for none in ["actor_epoch", "service_epoch", "session_expires", "max_cap"] {
        assert_eq!(number(&hidden, none), None, "{none}");
    }
    assert_eq!(number(&hidden, "own_version"), Some(0));
    assert_eq!(number(&hidden, "global_version"), Some(7));
    for (known, unchanged) in [
        ((2, 1), true),
        ((1, 1), false),
        ((2, 0), false),
        ((0, 0), false),
    ] {
        let asked = format!(
            "SELECT * FROM vestry_current('acme,~', 'acme', 'tom', '', '', '', {}, {})",
            known.0, known.1
        );
        let asked = Statement::from_string(DbBackend::Postgres, asked);
        let row = app.query_one_raw(asked).await.unwrap().unwrap();
        assert_eq!(truth(&row, "unchanged"), Some(unchanged), "{known:?}");
        assert_eq!(number(&row, "own_version"), (!unchanged).then_some(5));
        assert_eq!(number(&row, "tenant_head"), Some(2));
        assert_eq!(number(&row, "global_head"), Some(1));
    }
    // It ends with its statement where there is no transaction.
    assert_eq!(
        value::<i64, _>(&app, "SELECT count(*) FROM tenants").await,
        0
    );
}

#[tokio::test]
async fn writes_of_one_tenant_wait_for_each_other_and_those_at_global_for_all() {
    let Some(database) = migrated().await else {
        return;
    };
    let (app, owner) = (database.connect(APP).await, database.connect(OWNER).await);
    let begin = |lock: &str| format!("SELECT vestry_begin('{lock},~', '{lock}')");
    // What each lock lets through while it is held.
    for (held, free, taken) in [
        (
            "acme",
            &["beta", "beta,gamma", ""][..],
            &["acme", "acme,beta", "beta,acme", "~", "*"][..],
        ),
        ("acme,beta", &["gamma"], &["acme", "beta", "~"]),
        ("~", &[""], &["acme", "~", "*"]),
        ("*", &[""], &["acme", "~", "*"]),
        ("", &["acme", "~"], &[]),
    ] {
        let holder = app.begin().await.unwrap();
        holder.execute_unprepared(&begin(held)).await.unwrap();
        for wanted in free {
            let tx = owner.begin().await.unwrap();
            tx.execute_unprepared("SET LOCAL lock_timeout = '5s'")
                .await
                .unwrap();
            tx.execute_unprepared(&begin(wanted)).await.unwrap();
            tx.rollback().await.unwrap();
        }
        for wanted in taken {
            let tx = owner.begin().await.unwrap();
            tx.execute_unprepared("SET LOCAL lock_timeout = '30ms'")
                .await
                .unwrap();
            let error = refusal(&tx, &begin(wanted)).await;
            assert!(error.contains("lock timeout"), "{held}, {wanted}: {error}");
            tx.rollback().await.unwrap();
        }
        holder.commit().await.unwrap();
        let tx = owner.begin().await.unwrap();
        tx.execute_unprepared(&begin("~")).await.unwrap();
        assert_eq!(
            value::<String, _>(&tx, "SELECT current_setting('vestry.tenants')").await,
            "~,~"
        );
        tx.rollback().await.unwrap();
    }
}
