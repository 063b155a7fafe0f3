//! The harness of PostgreSQL itself: that it does what the tests which stand on it believe.

mod clusters;
mod databases;
mod leftovers;
mod proxies;
mod standbys;

use crate::harness::postgres::Cluster;

/// A table with a few rows.
async fn with_rows(cluster: &Cluster) {
    let sql =
        "CREATE TABLE kept (n int PRIMARY KEY);\nINSERT INTO kept SELECT generate_series(1, 10);\n";
    cluster.sql("postgres", sql).await;
}

async fn rows(cluster: &Cluster) -> String {
    cluster.sql("postgres", "SELECT count(*) FROM kept").await
}
