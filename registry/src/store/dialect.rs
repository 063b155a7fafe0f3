//! What statements that are written by hand call differently on the two databases.

use std::borrow::Cow;

use sea_orm::DbBackend;

/// SQLite's name for gathering values into one JSON array.
const GATHER: &str = "json_group_array(";

/// A statement that is written for SQLite, as this database has it: only the functions that make JSON are named differently.
/// Of no rows SQLite makes an empty array, and PostgreSQL none.
pub(super) fn json(sql: &str, backend: DbBackend) -> Cow<'_, str> {
    if backend != DbBackend::Postgres {
        return Cow::Borrowed(sql);
    }
    let mut made = String::with_capacity(sql.len() + 64);
    let mut rest = sql;
    while let Some((before, after)) = rest.split_once(GATHER) {
        made.push_str(before);
        let (argument, after) = to_its_end(after);
        made.push_str("coalesce(json_agg(");
        made.push_str(argument);
        made.push_str("), '[]')::text");
        rest = after;
    }
    made.push_str(rest);
    Cow::Owned(made.replace("json_array(", "json_build_array("))
}

/// What is before the parenthesis that ends it, and what comes after that.
fn to_its_end(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => {
                let (argument, after) = text.split_at_checked(at).unwrap_or((text, ""));
                return (argument, after.strip_prefix(')').unwrap_or(after));
            }
            ')' => depth -= 1,
            _ => {}
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use sea_orm::DbBackend;

    use super::json;

    #[test]
    fn json_is_made_by_other_functions_on_postgresql() {
        let sql = "SELECT (SELECT json_group_array(json_array(a, b)) FROM x) AS one, json_group_array(c) AS two";
        assert_eq!(json(sql, DbBackend::Sqlite), sql);
        assert_eq!(
            json(sql, DbBackend::Postgres),
            "SELECT (SELECT coalesce(json_agg(json_build_array(a, b)), '[]')::text FROM x) AS one, \
             coalesce(json_agg(c), '[]')::text AS two"
        );
    }
}
