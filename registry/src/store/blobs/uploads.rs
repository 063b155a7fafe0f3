//! What was uploaded and waits to be published.

use sea_orm::{ConnectionTrait, FromQueryResult, Statement};

use crate::identity::Caller;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::tenant_key;

/// One uploader may have this share of what its tenant may have waiting: nobody keeps the others from uploading.
const SHARE: u64 = 4;

/// What an upload counts at least, in bytes: uploads are for what does not fit a JSON body, and rows cost room too.
const LEAST: u64 = 64 << 10;

/// Whose upload it is. One agent that acts for two actors is two uploaders.
pub(in crate::store) fn uploader(caller: &Caller) -> String {
    match caller.acts_for() {
        Some(actor) => format!("{} for {actor}", caller.principal_text()),
        None => caller.principal_text().to_owned(),
    }
}

#[derive(Debug, FromQueryResult)]
struct Waiting {
    own: i64,
    tenant: i64,
}

/// Refuses so many more bytes where too much waits already. What counts is what was sent and not published, also where
/// the same bytes are there already: else the quota would tell who else has them.
pub(in crate::store) async fn check_room<C: ConnectionTrait>(
    db: &C,
    caller: &Caller,
    more: u64,
    limit: u64,
) -> StoreResult<()> {
    let statement = Statement::from_sql_and_values(
        db.get_database_backend(),
        "SELECT CAST(COALESCE(SUM(counted), 0) AS BIGINT) AS tenant, \
         CAST(COALESCE(SUM(CASE WHEN principal = $2 THEN counted ELSE 0 END), 0) AS BIGINT) AS own \
         FROM (SELECT principal, CASE WHEN size < $3 THEN $3 ELSE size END AS counted \
         FROM uploads WHERE tenant = $1 AND used = $4) AS waiting",
        [
            tenant_key(caller.tenant()).into(),
            uploader(caller).into(),
            i64::try_from(LEAST).unwrap_or(i64::MAX).into(),
            false.into(),
        ],
    );
    let waiting = Waiting::find_by_statement(statement)
        .one(db)
        .await?
        .ok_or_else(|| StoreError::Internal("a sum gave no row".to_owned()))?;
    let more = more.max(LEAST);
    let exceeds =
        |used: i64, limit: u64| u64::try_from(used).unwrap_or(0).saturating_add(more) > limit;
    if exceeds(waiting.own, limit / SHARE) || exceeds(waiting.tenant, limit) {
        return Err(StoreError::LimitReached(
            "Too many bytes were uploaded and not published. Publish skills with them, or wait: what is not published within 24 hours is dropped."
                .to_owned(),
        ));
    }
    Ok(())
}
