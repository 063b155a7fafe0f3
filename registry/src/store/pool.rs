//! Connections to the database, and how long it is waited for.
//!
//! A machine that vanishes ends no connection: nothing comes back, and TCP goes on trying for a quarter of an hour. So each round
//! trip with PostgreSQL is given up after [`SILENCE`], which is longer than the database itself lets any statement take. Whoever
//! waited is told that the database is away, or, of a commit, that its outcome is not known.
//!
//! After that no connection of the pool is used for anything new: each of them would have to be found out, and one that is being
//! given back is waited for by the pool without end. A new pool takes the place of the old one, which goes with the last that
//! still uses it. The same is done where no connection is to be had and none has said anything meanwhile: clients that leave
//! in the middle of a read leave connections behind that are being given back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use sea_orm::prelude::async_trait::async_trait;
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbBackend,
    DbErr, ExecResult, QueryResult, RuntimeErr, Statement, TransactionOptions,
    TransactionTrait as _, sqlx,
};

use super::error::StoreError;

/// How long a round trip may take; see `super::postgres` for how long the database lets a statement take.
pub(super) const SILENCE: Duration = Duration::from_secs(18);
/// How long a pool is waited for that is closed.
const CLOSING: Duration = Duration::from_secs(5);

/// Connections of one kind. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct Pool(Arc<Shared>);

struct Shared {
    current: RwLock<Current>,
    /// How connections are made; none where they are waited for without end.
    options: Option<ConnectOptions>,
    began: Instant,
    /// When the database answered last, in milliseconds since the beginning.
    heard: AtomicU64,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pool")
    }
}

/// The connections that are used now. Those before them have lower numbers.
#[derive(Clone)]
struct Current {
    number: u64,
    connections: DatabaseConnection,
}

impl Pool {
    /// Connections that are waited for without end: the embedded database cannot vanish, and a command has nothing else to do.
    pub(super) fn patient(connections: DatabaseConnection) -> Self {
        Self::of(connections, None)
    }

    /// Connections to PostgreSQL, of which one is made at once.
    pub(super) async fn connect(options: ConnectOptions) -> Result<Self, DbErr> {
        let connections = Database::connect(options.clone()).await?;
        Ok(Self::of(connections, Some(options)))
    }

    fn of(connections: DatabaseConnection, options: Option<ConnectOptions>) -> Self {
        let current = Current {
            number: 0,
            connections,
        };
        Self(Arc::new(Shared {
            current: RwLock::new(current),
            options,
            began: Instant::now(),
            heard: AtomicU64::new(0),
        }))
    }

    pub(super) fn backend(&self) -> DbBackend {
        self.current().connections.get_database_backend()
    }

    /// The connections as they are now, for what is done at a start, and on the embedded database.
    pub(super) fn connections(&self) -> DatabaseConnection {
        self.current().connections
    }

    /// Tells a test the text of each statement, until the pool is replaced.
    pub(super) fn observe(&self, seen: impl Fn(&str) + Send + Sync + 'static) {
        let mut current = self
            .0
            .current
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        current
            .connections
            .set_metric_callback(move |info| seen(&info.statement.sql));
    }

    pub(super) async fn begin(&self, options: TransactionOptions) -> Result<Transaction, DbErr> {
        let current = self.current();
        let trip = current.connections.begin_with_options(options);
        let tx = self.bounded(current.number, SILENCE, trip).await?;
        Ok(Transaction {
            tx,
            of: Some((self.clone(), current.number)),
            is_silent: AtomicBool::new(false),
        })
    }

    /// One row of a statement outside of a transaction.
    pub(super) async fn query_one(
        &self,
        statement: &Statement,
    ) -> Result<Option<QueryResult>, DbErr> {
        let current = self.current();
        let trip = current.connections.query_one_raw(statement.clone());
        self.bounded(current.number, SILENCE, trip).await
    }

    /// As [`Self::query_one`], for somebody who waits only so long.
    pub(super) async fn query_one_within(
        &self,
        patience: Duration,
        statement: &Statement,
    ) -> Result<Option<QueryResult>, DbErr> {
        let current = self.current();
        let trip = current.connections.query_one_raw(statement.clone());
        self.bounded(current.number, patience, trip).await
    }

    pub(super) async fn ping_within(&self, patience: Duration) -> Result<(), DbErr> {
        let current = self.current();
        let trip = current.connections.ping();
        self.bounded(current.number, patience, trip).await
    }

    pub(super) async fn close(&self) {
        let connections = self.connections();
        if self.0.options.is_none() {
            let _ = connections.close_by_ref().await;
        } else {
            let _ = tokio::time::timeout(CLOSING, connections.close_by_ref()).await;
        }
    }

    /// Waits for the database only so long.
    async fn bounded<T>(
        &self,
        number: u64,
        patience: Duration,
        trip: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        if self.0.options.is_none() {
            return trip.await;
        }
        let asked_at = self.elapsed();
        match tokio::time::timeout(patience, trip).await {
            Ok(Ok(answer)) => {
                self.0.heard.store(self.elapsed(), Ordering::Relaxed);
                Ok(answer)
            }
            Ok(Err(error)) => {
                let said_nothing = self.0.heard.load(Ordering::Relaxed) <= asked_at;
                if StoreError::is_without_connection(&error) && said_nothing {
                    self.replace(number).await;
                }
                Err(error)
            }
            Err(_) => {
                self.replace(number).await;
                Err(silent(patience))
            }
        }
    }

    /// Has new connections take the place of these, unless that was done already.
    async fn replace(&self, number: u64) {
        let Some(options) = &self.0.options else {
            return;
        };
        // None is made before it is needed: whoever needs it learns whether it can be.
        let mut options = options.clone();
        options.connect_lazy(true).min_connections(0);
        let connections = match Database::connect(options).await {
            Ok(connections) => connections,
            Err(error) => {
                tracing::error!(error = %error, "new connections to the database could not be prepared");
                return;
            }
        };
        let before = {
            let mut current = self
                .0
                .current
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            if current.number != number {
                return;
            }
            let next = Current {
                number: number + 1,
                connections,
            };
            std::mem::replace(&mut *current, next)
        };
        tracing::warn!("the database says nothing; its connections are replaced");
        // What still uses one of them goes on; that it is given back may never be done.
        tokio::spawn(async move { before.connections.close_by_ref().await });
    }

    fn current(&self) -> Current {
        let current = self.0.current.read();
        current.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn elapsed(&self) -> u64 {
        u64::try_from(self.0.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

fn silent(patience: Duration) -> DbErr {
    let error = std::io::Error::new(
        std::io::ErrorKind::TimedOut,
        format!("nothing came from the database for {patience:?}"),
    );
    DbErr::Conn(RuntimeErr::SqlxError(Arc::new(sqlx::Error::Io(error))))
}

/// A transaction that waits for the database only so long.
pub(super) struct Transaction {
    tx: DatabaseTransaction,
    /// The connections that its own is one of; none where it is not of a pool that is replaced.
    of: Option<(Pool, u64)>,
    /// Whether it was waited for in vain: nothing more is asked of it then.
    is_silent: AtomicBool,
}

impl std::fmt::Debug for Transaction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transaction")
    }
}

impl Transaction {
    /// One that waits without end, for a command that has nothing else to do.
    pub(super) fn patient(tx: DatabaseTransaction) -> Self {
        Self {
            tx,
            of: None,
            is_silent: AtomicBool::new(false),
        }
    }

    /// What waits without end, for tools that want that.
    pub(super) fn unbounded(&self) -> &DatabaseTransaction {
        &self.tx
    }

    pub(super) async fn commit(self) -> Result<(), DbErr> {
        let Self { tx, of, is_silent } = self;
        bounded(of.as_ref(), &is_silent, tx.commit()).await
    }

    pub(super) async fn rollback(self) -> Result<(), DbErr> {
        let Self { tx, of, is_silent } = self;
        bounded(of.as_ref(), &is_silent, tx.rollback()).await
    }

    async fn trip<T>(&self, trip: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
        bounded(self.of.as_ref(), &self.is_silent, trip).await
    }
}

async fn bounded<T>(
    of: Option<&(Pool, u64)>,
    is_silent: &AtomicBool,
    trip: impl Future<Output = Result<T, DbErr>>,
) -> Result<T, DbErr> {
    let Some((pool, number)) = of else {
        return trip.await;
    };
    if is_silent.load(Ordering::Relaxed) {
        return Err(silent(SILENCE));
    }
    let answer = pool.bounded(*number, SILENCE, trip).await;
    if let Err(error) = &answer
        && StoreError::is_silence(error)
    {
        is_silent.store(true, Ordering::Relaxed);
    }
    answer
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.tx.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.trip(self.tx.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.trip(self.tx.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.trip(self.tx.query_one_raw(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.trip(self.tx.query_all_raw(statement)).await
    }
}
