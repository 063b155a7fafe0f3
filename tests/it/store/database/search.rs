//! Where a text is among everything that is stored.

use super::{File, as_bytes};
use crate::harness::Directory;

/// The tables of PostgreSQL.
const TABLES: &str = "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace";

/// Whether a text is anywhere in what servers on a directory keep: in a file of it, or in a row.
pub(crate) async fn is_stored(directory: &Directory, text: &str) -> bool {
    let in_files = std::fs::read_dir(directory.path()).unwrap().any(|file| {
        let path = file.unwrap().path();
        let is_in = |bytes: Vec<u8>| {
            let mut windows = bytes.windows(text.len());
            windows.any(|window| window == text.as_bytes())
        };
        path.is_file() && is_in(std::fs::read(&path).unwrap())
    });
    if in_files || directory.postgres().await.is_none() {
        return in_files;
    }
    let database = File::of(directory).await;
    let found = database.holds(text).await;
    database.close().await;
    found
}

impl File {
    /// Changes the first byte of a text wherever it is stored, so that it is another character; the triggers are suspended.
    /// Gives in how many rows it was. Only for PostgreSQL: in the file of SQLite the bytes themselves are changed.
    pub(crate) async fn flip_first_byte(&self, text: &str) -> usize {
        let needle = as_bytes(text.as_bytes());
        let mut found = 0;
        for (table, column) in self.columns_of_type("bytea").await {
            let place = format!("position({needle} in {column})");
            let rows = self
                .rows(&format!(
                    "UPDATE {table} SET {column} = set_byte({column}, {place} - 1, get_byte({column}, {place} - 1) # 1) \
                     WHERE {place} > 0 RETURNING 1"
                ))
                .await;
            found += rows.len();
        }
        found
    }

    /// Whether a text is in any column of any row: what a search of the bytes of SQLite's file shows. Only for PostgreSQL.
    pub(crate) async fn holds(&self, text: &str) -> bool {
        let needle = as_bytes(text.as_bytes());
        for (table, column) in self.columns_of_type("bytea").await {
            let sql =
                format!("SELECT count(*) FROM {table} WHERE position({needle} in {column}) > 0");
            if self.number(&sql).await > 0 {
                return true;
            }
        }
        for row in self.rows(TABLES).await {
            let table: String = row.try_get_by_index(0).unwrap();
            let sql = format!(
                "SELECT count(*) FROM {table} AS one WHERE position('{text}' in one::text) > 0"
            );
            if self.number(&sql).await > 0 {
                return true;
            }
        }
        false
    }

    /// Table and column of each column of a type. Only for PostgreSQL.
    async fn columns_of_type(&self, name: &str) -> Vec<(String, String)> {
        let sql = format!(
            "SELECT c.oid::regclass::text, a.attname::text FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid \
             WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 \
             AND a.atttypid = '{name}'::regtype"
        );
        let rows = self.rows(&sql).await;
        rows.iter()
            .map(|row| {
                (
                    row.try_get_by_index(0).unwrap(),
                    row.try_get_by_index(1).unwrap(),
                )
            })
            .collect()
    }
}
