//! Single values of single rows, for changing them one at a time.

use super::{File, as_bytes};

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Text,
    Bytes,
}

impl File {
    /// What names each row of a table, until it is changed.
    pub(crate) async fn row_ids(&self, table: &str) -> Vec<String> {
        let rows = self
            .rows(&format!("SELECT {} FROM {table}", self.row_id()))
            .await;
        rows.iter()
            .map(|row| row.try_get_by_index(0).unwrap())
            .collect()
    }

    /// The condition that a row is the one of this name.
    pub(crate) fn is_row(&self, id: &str) -> String {
        if self.is_postgres() {
            format!("ctid = '{id}'::tid")
        } else {
            format!("rowid = {id}")
        }
    }

    /// What a value is, and its bytes; those of a number are its digits.
    pub(crate) async fn value(&self, table: &str, column: &str, row: &str) -> (Kind, Vec<u8>) {
        let (kind, hex) = if self.is_postgres() {
            let bytes = format!(
                "CASE pg_typeof({column})::text WHEN 'bytea' THEN substr({column}::text, 3) \
                 ELSE encode(convert_to({column}::text, 'UTF8'), 'hex') END"
            );
            (format!("pg_typeof({column})::text"), bytes)
        } else {
            (format!("typeof({column})"), format!("hex({column})"))
        };
        let sql = format!(
            "SELECT {kind}, {hex} FROM {table} WHERE {}",
            self.is_row(row)
        );
        let row = &self.rows(&sql).await[0];
        let kind: String = row.try_get_by_index(0).unwrap();
        let hex: String = row.try_get_by_index(1).unwrap();
        let bytes = (0..hex.len() / 2)
            .map(|at| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        let kind = match kind.as_str() {
            "integer" | "bigint" | "smallint" => Kind::Number,
            "text" => Kind::Text,
            "blob" | "bytea" => Kind::Bytes,
            other => panic!("{table}.{column} is {other}"),
        };
        (kind, bytes)
    }

    /// A text or bytes as a statement has them.
    pub(crate) fn literal(&self, kind: Kind, bytes: &[u8]) -> String {
        let literal = as_bytes(bytes);
        match kind {
            Kind::Text if self.is_postgres() => format!("convert_from({literal}, 'UTF8')"),
            Kind::Text => format!("CAST({literal} AS TEXT)"),
            Kind::Number | Kind::Bytes => literal,
        }
    }

    /// Sets a value of a row. Gives what names the row from then on.
    pub(crate) async fn set(&self, table: &str, column: &str, to: &str, row: &str) -> String {
        let sql = format!(
            "UPDATE {table} SET {column} = {to} WHERE {} RETURNING {}",
            self.is_row(row),
            self.row_id()
        );
        let rows = self.rows(&sql).await;
        assert_eq!(rows.len(), 1, "{sql}");
        rows[0].try_get_by_index(0).unwrap()
    }

    fn row_id(&self) -> &'static str {
        if self.is_postgres() {
            "ctid::text"
        } else {
            "CAST(rowid AS TEXT)"
        }
    }
}
