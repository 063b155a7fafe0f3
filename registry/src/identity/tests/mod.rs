//! Tests of identity.

#![expect(
    clippy::string_slice,
    reason = "tests slice texts that they made, and may panic"
)]

mod forged;
mod keys;
mod offers;
mod secrets;

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use vestry_policies::{ActorId, AgentId, Scope, TenantId, Username};

use super::keys::RawKey;
use super::*;
use crate::clock::{ManualClock, SECOND};
use crate::entropy::SeededEntropy;

/// Noon of some day.
const NOW: i64 = 1_800_000_000;
const ISSUER: &str = "https://vestry.example.org";

/// A world with keys that the test knows.
struct World {
    identity: Identity,
    clock: Arc<ManualClock>,
}

fn secret(ring: Ring) -> Vec<u8> {
    (0..32).map(|i| i * 7 + ring as u8).collect()
}

fn raw_keys() -> Vec<RawKey> {
    Ring::ALL
        .into_iter()
        .map(|ring| RawKey {
            ring,
            kid: ring.to_string(),
            secret: secret(ring),
            state: KeyState::Sign,
        })
        .collect()
}

fn world() -> World {
    let clock = Arc::new(ManualClock::new(Micros(NOW * SECOND)));
    let rings = Arc::new(KeyRings::from_raw(&raw_keys()).unwrap());
    let identity = Identity::new(
        rings,
        ISSUER,
        Arc::clone(&clock) as Arc<dyn Clock>,
        Arc::new(SeededEntropy::new(1)),
        PasswordParams::cheap_for_tests(),
    )
    .unwrap();
    World { identity, clock }
}

/// Signs any two texts with any secret.
fn forge(header: &str, payload: &str, secret: &[u8]) -> String {
    let message = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(header),
        URL_SAFE_NO_PAD.encode(payload)
    );
    let tag = Hmac::<Sha256>::new_from_slice(secret)
        .unwrap()
        .chain_update(&message)
        .finalize()
        .into_bytes();
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(tag))
}

fn tenant(id: &str) -> TenantId {
    TenantId::parse(id).unwrap()
}

fn user(id: &str) -> Username {
    Username::parse(id).unwrap()
}

impl World {
    fn human(&self, name: &str, of: Option<&str>) -> Caller {
        let minted = self
            .identity
            .mint_human(&HumanGrant {
                username: &user(name),
                tenant: of.map(tenant).as_ref(),
                session_id: "ses_1",
                actor_epoch: 3,
            })
            .unwrap();
        self.identity.verify_access(&minted.token).unwrap()
    }

    fn agent(&self, of: &str, actor: &str, agent: &str) -> Caller {
        let minted = self
            .identity
            .mint_agent(&AgentGrant {
                tenant: &tenant(of),
                actor: &ActorId::parse(actor).unwrap(),
                agent: &AgentId::parse(agent).unwrap(),
                service_id: "svc_1",
                service_epoch: 5,
                actor_epoch: 3,
                ttl_seconds: 3600,
            })
            .unwrap();
        self.identity.verify_access(&minted.token).unwrap()
    }

    fn elevate(&self, scope: &Scope, ttl_seconds: i64) -> Result<Minted, MintError> {
        self.identity.mint_elevated(&ElevatedGrant {
            human: HumanGrant {
                username: &user("alice"),
                tenant: Some(&tenant("acme")),
                session_id: "ses_1",
                actor_epoch: 3,
            },
            elevation_id: "elv_1",
            scope,
            ttl_seconds,
        })
    }
}
