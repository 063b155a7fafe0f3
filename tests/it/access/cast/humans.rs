//! The humans: their sessions, elevations and keys.

use serde_json::json;
use vestry::identity::{ElevatedGrant, HumanGrant};
use vestry_policies::{
    ActorId, Credential, Elevation, Principal, PrincipalKind, Role, Scope, Username,
};

use super::{Cast, HOME, Player, Seat, Session, Shown, tenant};
use crate::harness::{Client, elevate, login};

impl Cast {
    pub(super) async fn humans(&mut self) {
        use Shown::{Demoted, Expired, For, None as Plain, Revoked};
        let home = Some(HOME);
        for (label, username, tenant, elevation) in [
            ("member", "mia", home, Plain),
            (
                "member +tenant (demoted)",
                "mia",
                home,
                Demoted("tenant:acme"),
            ),
            ("auditor", "ines", home, Plain),
            (
                "auditor +tenant (demoted)",
                "ines",
                home,
                Demoted("tenant:acme"),
            ),
            ("publisher", "maria", home, Plain),
            ("publisher +tenant", "maria", home, For("tenant:acme")),
            (
                "publisher +tenant, expired",
                "maria",
                home,
                Expired("tenant:acme"),
            ),
            (
                "publisher +tenant, revoked",
                "maria",
                home,
                Revoked("tenant:acme"),
            ),
            ("admin", "root", None, Plain),
            ("admin +global", "root", None, For("global")),
            ("admin +global, expired", "root", None, Expired("global")),
            ("admin +global, revoked", "root", None, Revoked("global")),
            ("admin +tenant", "root", None, For("tenant:acme")),
            ("admin & member", "boss", home, Plain),
            ("admin & member +global", "boss", home, For("global")),
            ("admin & member +tenant", "boss", home, For("tenant:acme")),
            (
                "admin & member +other tenant",
                "boss",
                home,
                For("tenant:globex"),
            ),
        ] {
            let session = Session {
                username,
                tenant,
                elevation,
            };
            let client = self.log_in(session).await;
            self.players.push(Player {
                label,
                client,
                seat: Some(self.seat_of(session, Credential::Session)),
                shut_out: "",
                actor: username,
                session: Some(session),
            });
        }
        for (label, username, tenant) in [
            ("member's key", "mia", home),
            ("publisher's key", "maria", home),
            ("admin's key", "root", None),
        ] {
            let session = Session {
                username,
                tenant,
                elevation: Plain,
            };
            let made = self
                .log_in(session)
                .await
                .post("/v1/keys", json!({"name": "matrix"}))
                .await
                .expect(201);
            self.players.push(Player {
                label,
                client: self.server.client().with_token(made.text("key")),
                seat: Some(self.seat_of(session, Credential::ApiKey)),
                shut_out: "",
                actor: username,
                session: None,
            });
        }
    }

    /// The facts of a human, as the test knows them.
    fn seat_of(&self, session: Session, credential: Credential) -> Seat {
        let now = self.now();
        let home = session.tenant.map(tenant);
        let actor = home
            .is_some()
            .then(|| ActorId::parse(session.username).unwrap());
        let elevation = |scope: &str, expires_at| {
            Some(Elevation {
                scope: Scope::parse(scope, None).unwrap(),
                expires_at,
            })
        };
        Seat {
            principal: Principal {
                kind: PrincipalKind::Human,
                name: session.username.into(),
                credential,
                scopes: Scope::of_caller(actor.as_ref(), home.as_ref()),
                tenant: home,
                acts_for: None,
            },
            role: match session.username {
                "mia" | "boss" => Some(Role::Member),
                "ines" => Some(Role::Auditor),
                "maria" => Some(Role::Publisher),
                _ => None,
            },
            global_admin: matches!(session.username, "root" | "boss"),
            elevation: match session.elevation {
                Shown::None | Shown::Revoked(_) => None,
                Shown::For(scope) | Shown::Demoted(scope) => elevation(scope, now + 1),
                Shown::Expired(scope) => elevation(scope, now),
            },
        }
    }

    /// Logs a human in as the session says.
    pub(crate) async fn log_in(&self, session: Session) -> Client {
        let Session {
            username,
            tenant,
            elevation,
        } = session;
        let plain = login(&self.server.client(), username, tenant).await;
        match elevation {
            Shown::None => plain,
            Shown::For(scope) => elevate(&plain, scope).await,
            Shown::Demoted(scope) => {
                let role = if username == "ines" {
                    "auditor"
                } else {
                    "member"
                };
                self.people
                    .member(HOME, username, "publisher")
                    .await
                    .expect(200);
                let elevated = elevate(&plain, scope).await;
                self.people.member(HOME, username, role).await.expect(200);
                elevated
            }
            Shown::Revoked(scope) => {
                let elevated = elevate(&plain, scope).await;
                elevated.delete("/v1/elevate").await.expect(204);
                elevated
            }
            Shown::Expired(scope) => {
                // The token of an elevation ends with it, so that the server is shown one that it never gives.
                let claims = &self.ended[username];
                let home = tenant.map(super::tenant);
                let minted = self
                    .signer
                    .mint_elevated(&ElevatedGrant {
                        human: HumanGrant {
                            username: &Username::parse(username).unwrap(),
                            tenant: home.as_ref(),
                            session_id: claims["sid"].as_str().unwrap(),
                            actor_epoch: u32::try_from(claims["aep"].as_u64().unwrap()).unwrap(),
                        },
                        elevation_id: claims["elv"]["id"].as_str().unwrap(),
                        scope: &Scope::parse(scope, None).unwrap(),
                        ttl_seconds: 600,
                    })
                    .unwrap();
                plain.with_token(minted.token)
            }
        }
    }
}
