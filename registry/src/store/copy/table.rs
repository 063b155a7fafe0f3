//! Copying one table, a page at a time, and comparing what arrived.

use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DbBackend, EntityName, EntityTrait, FromQueryResult,
    IntoActiveModel, Iterable as _, Statement,
};
use sha2::{Digest as _, Sha256};

use crate::store::error::{StoreError, StoreResult};
use crate::store::pool::Transaction;

/// Rows of a page.
const PAGE: usize = 500;
/// Rows of a page of what may be large: a file has up to 16 MiB.
const LARGE: usize = 4;
/// PostgreSQL's most parameters of a statement.
const PARAMETERS: usize = 65_535;

/// A table that was copied.
#[derive(Debug)]
pub(super) struct Copied {
    pub(super) table: &'static str,
    pub(super) rows: u64,
}

/// The rows of a table as a whole, whatever their order: how many, and the sum of their digests.
#[derive(Debug, Default, PartialEq, Eq)]
struct Whole {
    rows: u64,
    sum: [u64; 4],
}

impl Whole {
    fn add(&mut self, row: &impl std::fmt::Debug) {
        self.rows += 1;
        // Every column, as the store reads it.
        let digest = Sha256::digest(format!("{row:?}"));
        for (sum, bytes) in self.sum.iter_mut().zip(digest.chunks_exact(8)) {
            let word = bytes
                .iter()
                .fold(0, |word, byte| word << 8 | u64::from(*byte));
            *sum = sum.wrapping_add(word);
        }
    }
}

/// Copies all rows of a table in the order in which they were written.
pub(super) async fn copy<E>(from: &Transaction, to: &Transaction) -> StoreResult<Copied>
where
    E: EntityTrait + EntityName,
    E::Model: IntoActiveModel<E::ActiveModel> + FromQueryResult + std::fmt::Debug + Clone + Sync,
    E::ActiveModel: ActiveModelTrait<Entity = E> + Send,
{
    let table = name_of::<E>();
    let columns = E::Column::iter().count();
    let page = match table {
        "blobs" => LARGE,
        "contents" | "journal" | "snapshots" => 32,
        _ => PAGE.min(PARAMETERS / columns.max(1)),
    };
    let sql = format!(
        "SELECT *, rowid AS written FROM {table} WHERE rowid > $1 ORDER BY rowid LIMIT {page}"
    );
    let (mut sent, mut read_to) = (Whole::default(), i64::MIN);
    loop {
        let statement = Statement::from_sql_and_values(DbBackend::Sqlite, &sql, [read_to.into()]);
        let rows = from.query_all_raw(statement).await?;
        let Some(last) = rows.last() else {
            break;
        };
        read_to = last.try_get("", "written")?;
        let mut models = Vec::with_capacity(rows.len());
        for row in &rows {
            let model = E::Model::from_query_result(row, "")?;
            sent.add(&model);
            models.push(model.into_active_model().reset_all());
        }
        E::insert_many(models).exec_without_returning(to).await?;
    }
    let arrived = read_back::<E>(to, table, page).await?;
    if arrived != sent {
        return Err(StoreError::Internal(format!(
            "the table `{table}` arrived otherwise than it was sent ({} rows of {}), and nothing is kept",
            arrived.rows, sent.rows
        )));
    }
    Ok(Copied {
        table,
        rows: sent.rows,
    })
}

/// Reads all rows of a table that was written.
async fn read_back<E>(to: &Transaction, table: &str, page: usize) -> StoreResult<Whole>
where
    E: EntityTrait,
    E::Model: FromQueryResult + std::fmt::Debug,
{
    let mut arrived = Whole::default();
    // Named for the table: the driver keeps what it knows of a statement's columns by its text.
    to.execute_unprepared(&format!(
        "DECLARE copied_{table} NO SCROLL CURSOR FOR SELECT * FROM {table}"
    ))
    .await?;
    loop {
        let fetch = Statement::from_string(
            DbBackend::Postgres,
            format!("FETCH {page} FROM copied_{table}"),
        );
        let rows = to.query_all_raw(fetch).await?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            arrived.add(&E::Model::from_query_result(row, "")?);
        }
    }
    to.execute_unprepared(&format!("CLOSE copied_{table}"))
        .await?;
    Ok(arrived)
}

/// The name of an entity's table.
fn name_of<E: EntityTrait + EntityName>() -> &'static str {
    E::default().table_name()
}
