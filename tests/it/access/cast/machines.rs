//! The agents and the service.

use vestry_policies::{ActorId, Credential, Principal, PrincipalKind, Scope};

use super::{Cast, HOME, Player, Seat, tenant};
use crate::harness::Client;

impl Cast {
    pub(super) async fn machines(&mut self) {
        let home = tenant(HOME);
        for (label, actor) in [
            ("agent for a member", "tom"),
            ("agent for a publisher", "maria"),
            ("agent for an admin", "boss"),
            ("agent for an external actor", "cust-4711"),
        ] {
            let client = self.people.agent(HOME, actor, "support-bot").await;
            let id = ActorId::parse(actor).unwrap();
            let principal = Principal {
                kind: PrincipalKind::Agent,
                name: "support-bot".into(),
                credential: Credential::Minted,
                tenant: Some(home.clone()),
                scopes: Scope::of_caller(Some(&id), Some(&home)),
                acts_for: Some(id),
            };
            self.machine(label, client, principal, actor);
        }
        let client = self.people.service(HOME).await;
        let principal = Principal {
            kind: PrincipalKind::Service,
            name: "platform".into(),
            credential: Credential::ApiKey,
            tenant: Some(home.clone()),
            scopes: Scope::of_caller(None, Some(&home)),
            acts_for: None,
        };
        self.machine("service", client, principal, "tom");
    }

    fn machine(
        &mut self,
        label: &'static str,
        client: Client,
        principal: Principal,
        actor: &'static str,
    ) {
        self.players.push(Player {
            label,
            client,
            seat: Some(Seat {
                principal,
                role: None,
                global_admin: false,
                elevation: None,
            }),
            shut_out: "",
            actor,
            session: None,
        });
    }
}
