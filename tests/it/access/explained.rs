//! Explanations over the worlds of the matrix: what `GET /v1/explain` says is what the rules say, and what happens.

use vestry_policies::{Action, Scope, Target, TenantId, Verdict, decide};

use super::cast::{Cast, HOME, OTHER};
use crate::harness::content;

/// Every so many of the cells are asked for.
const STRIDE: usize = 5;

/// Each player asks about itself, with the elevation that it shows.
#[tokio::test(flavor = "multi_thread")]
async fn an_explanation_says_what_the_rules_say_of_every_player() {
    let cast = Cast::new().await;
    let (mut asked, mut number) = (0, 0);
    for player in cast.players.iter() {
        let Some(seat) = &player.seat else { continue };
        let mut targets = vec![("server".to_owned(), vec![Target::Server])];
        for tenant in [HOME, OTHER] {
            let id = TenantId::parse(tenant).unwrap();
            targets.push((
                format!("tenant:{tenant}"),
                vec![Target::Scope(Scope::Tenant(id.clone())), Target::Tenant(id)],
            ));
        }
        targets.push(("global".to_owned(), vec![Target::Scope(Scope::Global)]));
        let own = format!("actor:{}", player.actor);
        if let Ok(scope) = Scope::parse(&own, seat.tenant()) {
            targets.push((own, vec![Target::Scope(scope)]));
        }
        for &action in Action::ALL {
            for (text, meant) in &targets {
                number += 1;
                if number % STRIDE != 0 {
                    continue;
                }
                // What is written as a tenant's scope is the tenant where the action is about tenants.
                let verdicts = meant.iter().map(|target| {
                    decide(action, target, &seat.facts(target, None, None, cast.now()))
                });
                let verdict = verdicts
                    .reduce(|first, second| {
                        if first.rule() == vestry_policies::Rule::WrongTarget {
                            second
                        } else {
                            first
                        }
                    })
                    .unwrap();
                let path = format!("/v1/explain?action={}&target={text}", action.as_str());
                let said = player.client.get(&path).await.expect(200).body;
                let word = match verdict {
                    Verdict::Allow(_) => "allow",
                    Verdict::Review(_) => "review",
                    Verdict::Deny(_) => "deny",
                };
                assert_eq!(
                    (said["verdict"].as_str(), said["rule"].as_str()),
                    (Some(word), Some(verdict.rule().as_str())),
                    "{}: {path}",
                    player.label
                );
                asked += 1;
            }
        }
    }
    println!("{asked} explanations");
    assert!(asked > 500);
}

/// And then the player does it.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_explained_is_what_happens() {
    let cast = Cast::new().await;
    let mut allowed = 0;
    for (index, player) in cast.players.iter().enumerate() {
        if player.seat.is_none() {
            continue;
        }
        let own = format!("actor:{}", player.actor);
        for scope in ["global", "tenant:acme", "tenant:globex", own.as_str()] {
            let name = format!("explained-{index}");
            let path = format!("/v1/explain?action=publish-skill&target={scope}/{name}");
            let said = player.client.get(&path).await.expect(200).body;
            let path = format!("/v1/skills/{scope}/{name}");
            let sent = [("if-none-match", "*")];
            let done = player
                .client
                .send(hyper::Method::PUT, &path, &sent, Some(content("it")))
                .await;
            let what = format!("{}: {scope} {said} {}", player.label, done.body);
            match said["verdict"].as_str().unwrap() {
                "allow" => {
                    allowed += 1;
                    // Two players may have one actor.
                    assert!(matches!(done.status.as_u16(), 201 | 412), "{what}");
                }
                _ => {
                    assert_eq!(done.status, 403, "{what}");
                    assert_eq!(said["rule"], done.rule(), "{what}");
                }
            }
            for (action, method, path) in [
                ("read-audit", "GET", "/v1/audit?log=global".to_owned()),
                ("list-users", "GET", "/v1/users".to_owned()),
            ] {
                let query = format!("/v1/explain?action={action}&target=server");
                let said = player.client.get(&query).await.expect(200).body;
                let method = hyper::Method::from_bytes(method.as_bytes()).unwrap();
                let done = player.client.send(method, &path, &[], None).await;
                assert_eq!(
                    said["verdict"] == "allow",
                    done.status == 200,
                    "{}: {action}",
                    player.label
                );
            }
        }
    }
    assert!(allowed > 10, "{allowed}");
}
