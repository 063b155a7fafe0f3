//! The principals of the authorization matrix: every kind of caller, with every elevation that it can come to have.
//!
//! Each has a credential that the server takes, and the facts that the rules are asked with, written down here
//! independently of what the server reads from its rows.

mod humans;
mod machines;
mod seat;
mod shut_out;

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use vestry::entropy::SeededEntropy;
use vestry::identity::{Identity, KeyRings, PasswordParams};
use vestry::server::{DEFAULT_ISSUER, keys_file};
use vestry_policies::TenantId;

pub(crate) use self::seat::Seat;
use crate::harness::{Builder, Client, PASSWORD, People, TestServer, elevate, login};

/// The home tenant of the cast.
pub(crate) const HOME: &str = "acme";
/// The other tenant.
pub(crate) const OTHER: &str = "globex";
/// A tenant that does not exist.
pub(crate) const ABSENT: &str = "nowhere";

const SEED: u64 = 41;

/// One principal with one elevation.
#[derive(Clone)]
pub(crate) struct Player {
    pub(crate) label: &'static str,
    pub(crate) client: Client,
    /// What the rules know of it; none for a credential that lets nobody in.
    pub(crate) seat: Option<Seat>,
    /// The code of the 401, when there is no seat.
    pub(crate) shut_out: &'static str,
    /// The actor id that is its own, or would be.
    pub(crate) actor: &'static str,
    /// Of whom it is a session, and how elevated.
    pub(crate) session: Option<Session>,
}

/// How to log the same human in again, with the same elevation.
#[derive(Clone, Copy)]
pub(crate) struct Session {
    pub(crate) username: &'static str,
    pub(crate) tenant: Option<&'static str>,
    pub(crate) elevation: Shown,
}

/// An elevation as the session shows it.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shown {
    None,
    /// Got by `POST /v1/elevate`.
    For(&'static str),
    /// Got while the human was a publisher, which it is not any more.
    Demoted(&'static str),
    /// Its row has ended, although the token has not.
    Expired(&'static str),
    /// Given up by `DELETE /v1/elevate`.
    Revoked(&'static str),
}

/// The server with the whole cast.
pub(crate) struct Cast {
    pub(crate) server: TestServer,
    pub(crate) people: People,
    pub(crate) players: Vec<Player>,
    signer: Identity,
    /// The claims of elevated tokens that have ended, by username.
    ended: BTreeMap<&'static str, Value>,
}

pub(crate) fn tenant(id: &str) -> TenantId {
    TenantId::parse(id).unwrap()
}

impl Cast {
    pub(crate) async fn new() -> Self {
        println!("seed {SEED}");
        let server = Builder {
            seed: SEED,
            sealed_per_scope: Some(100_000),
            ..Builder::default()
        }
        .start()
        .await;
        let mut people = People::usual(&server).await;
        server.make_admin("boss", PASSWORD).await;
        people.member(HOME, "boss", "member").await.expect(200);
        people.user("rob").await;
        people.member(HOME, "rob", "member").await.expect(200);
        for tenant in [HOME, OTHER] {
            people
                .root
                .put(&format!("/v1/tenants/{tenant}/settings"), settings())
                .await
                .expect(200);
        }
        // Elevations that will have ended.
        let mut ended = BTreeMap::new();
        for (username, scope) in [("maria", "tenant:acme"), ("root", "global")] {
            let token = people.elevated(username, scope).await;
            ended.insert(username, claims(token.token()));
        }
        let expired_token = people.elevated("maria", "tenant:acme").await;
        // And the leeway of five seconds that tokens have.
        server.advance(15 * 60 + 5);
        people.root = elevate(&login(&server.client(), "root", None).await, "global").await;

        let rings = Arc::new(KeyRings::load(&keys_file(server.directory.path())).unwrap());
        let signer = Identity::new(
            rings,
            DEFAULT_ISSUER,
            server.clock.clone(),
            Arc::new(SeededEntropy::new(SEED + 1)),
            PasswordParams::cheap_for_tests(),
        )
        .unwrap();
        let mut cast = Self {
            server,
            people,
            players: Vec::new(),
            signer,
            ended,
        };
        cast.shut_out(expired_token).await;
        cast.humans().await;
        cast.machines().await;
        cast
    }

    /// The time, in microseconds.
    pub(crate) fn now(&self) -> i64 {
        use vestry::clock::Clock as _;
        self.server.clock.now().0
    }
}

/// The claims of a token, unverified.
pub(crate) fn claims(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

/// Settings under which no cell of the matrix meets a quota.
pub(crate) fn settings() -> Value {
    json!({
        "max_cap": 200, "agent_own_scope": "allow", "skills_per_actor": 100_000,
        "skills_per_tenant": 100_000, "revisions_per_skill": 100_000,
    })
}
