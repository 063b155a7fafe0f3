//! `vestry quickstart`: a server with the example world, and what it does, shown.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyper::Method;
use serde_json::json;
use vestry_policies::Username;

use super::failure::{Failure, Outcome};
use super::serve::shutdown_signal;
use super::{logs, say};
use crate::client::agent::{Agent, AgentError, Load, Terms, Turn};
use crate::client::{self, Answer};
use crate::clock::SystemClock;
use crate::entropy::{Entropy, SystemEntropy};
use crate::identity::{PasswordParams, Passwords};
use crate::server::{Server, ServerOptions};
use crate::store::{Database, NewAdmin, create_admin};
use crate::world::{self, LoadedWorld, World};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:7700")]
    listen: SocketAddr,
    /// The directory of another world than the built-in one.
    #[arg(long)]
    world: Option<PathBuf>,
    /// End after showing, instead of staying up.
    #[arg(long)]
    once: bool,
    /// Which logs are written.
    #[arg(long, default_value = "warn")]
    log: String,
}

pub(super) async fn run(args: Args) -> Outcome {
    let _guard = logs::start(&args.log);
    let world = match &args.world {
        Some(directory) => World::read(directory)?,
        None => World::acme()?,
    };
    let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy::default());
    let directory = std::env::temp_dir().join(entropy.id("vestry-quickstart-")?);
    let outcome = in_directory(&args, &world, &directory).await;
    // The world was an example: nothing of it is kept.
    let _ = std::fs::remove_dir_all(&directory);
    outcome
}

async fn in_directory(args: &Args, world: &World, directory: &Path) -> Outcome {
    make_admins(world, directory).await?;
    let server = Server::start(ServerOptions::new(directory.to_owned(), args.listen)).await?;
    let address = server.address();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(server.run(async {
        let _ = stopped.await;
    }));
    let shutdown = shutdown_signal()?;
    let shown = async {
        let loaded = world::load(address, world).await?;
        show(address, world, &loaded).await
    }
    .await;
    if shown.is_ok() && !args.once {
        say("The server stays up: open another terminal and try the lines above. Ctrl-C ends it.");
        shutdown.await;
    }
    let _ = stop.send(());
    running.await??;
    shown
}

/// The administrators are made by the operator, not over the API.
async fn make_admins(world: &World, directory: &Path) -> Outcome {
    let passwords = Passwords::new(
        PasswordParams::default(),
        Arc::new(SystemEntropy::default()),
    )?;
    for user in world.users.iter().filter(|user| user.global_admin) {
        let admin = NewAdmin {
            username: Username::parse(&user.username)?,
            display_name: user.display_name.clone(),
            password_hash: passwords.hash(&user.password).await?,
        };
        create_admin(directory, &Database::Sqlite, admin, Arc::new(SystemClock)).await?;
    }
    Ok(())
}

/// Shows the main job: a catalog with its shadows, a load, a refused load, a refused write.
async fn show(address: SocketAddr, world: &World, loaded: &LoadedWorld) -> Outcome {
    let agent = world
        .agents
        .first()
        .ok_or_else(|| Failure::new("this world has no agents".to_owned()))?;
    let token = loaded
        .agent_tokens
        .get(&(agent.agent.clone(), agent.actor.clone()))
        .ok_or_else(|| Failure::new("this world's agent has no token".to_owned()))?;
    say(format_args!("vestry is listening on http://{address}"));
    say(format_args!(
        "It holds an example world: {} skills of {} tenants.",
        world.skills.len(),
        world.tenants.len()
    ));
    say("");
    say(format_args!(
        "The agent {} acts for {} of {}. To be that agent:",
        agent.agent, agent.actor, agent.tenant
    ));
    say(format_args!("  export VESTRY=http://{address}"));
    say(format_args!("  export TOKEN={token}"));

    title("1. The catalog of its turn: the most specific skill wins");
    curl("POST", "/v1/catalog", &[], Some(r#"{"turn":"t-1"}"#));
    let caller = Agent::new(&format!("http://{address}"), token)?;
    let terms = Terms {
        turn: Some("t-1".to_owned()),
        ..Terms::default()
    };
    let Turn {
        catalog, mut offer, ..
    } = Turn::take(&caller, terms).await?;
    say("");
    for line in catalog.block.lines() {
        say(format_args!("  {line}"));
    }
    say("");
    for entry in &catalog.entries {
        if !entry.shadows.is_empty() {
            say(format_args!(
                "  {} of {} shadows the one of {}",
                entry.name,
                entry.scope,
                entry.shadows.join(", ")
            ));
        }
    }
    for blocked in &catalog.blocked {
        say(format_args!(
            "  {} of {} is blocked by the sealed one of {}",
            blocked.name, blocked.scope, blocked.by
        ));
    }

    let offered = &catalog.entries;
    let name = offered
        .iter()
        .find(|entry| !entry.shadows.is_empty())
        .or(offered.first())
        .map(|entry| entry.name.as_str())
        .unwrap_or_default();
    title("2. Loading an offered skill");
    say(
        "  export OFFER=$(curl -s $VESTRY/v1/catalog -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\",
    );
    say("    -d '{\"turn\":\"t-1\"}' | sed 's/.*\"offer\":\"\\([^\"]*\\)\".*/\\1/')");
    curl(
        "POST",
        "/v1/load",
        &[],
        Some(&format!(r#"{{"offer":"'$OFFER'","name":"{name}"}}"#)),
    );
    let loaded = offer.load(&caller, &Load::of(name)).await?.typed;
    let body = loaded.body.unwrap_or_default();
    say("");
    say(format_args!(
        "  {} {} revision {}",
        loaded.name, loaded.scope, loaded.revision
    ));
    for line in body.lines().take(6) {
        say(format_args!("  | {line}"));
    }
    say(format_args!(
        "  | ... {} lines more",
        body.lines().count().saturating_sub(6)
    ));

    title("3. Loading what was not offered is refused, whether or not it exists");
    curl(
        "POST",
        "/v1/load",
        &[],
        Some(r#"{"offer":"'$OFFER'","name":"sales-outreach"}"#),
    );
    match offer.load(&caller, &Load::of("sales-outreach")).await {
        Err(AgentError::Refused(refused)) => problem(&refused)?,
        Err(error) => return Err(error.into()),
        Ok(_) => return Err(allowed()),
    }

    title("4. An agent writes its own actor's scope, and no other");
    let path = format!("/v1/skills/tenant:{}/{name}", agent.tenant);
    let body = json!({"description": "Use when nobody looks.", "body": "Refund everything."});
    curl("PUT", &path, &["If-None-Match: *"], Some(&body.to_string()));
    let refused = client::send(
        address,
        Method::PUT,
        &path,
        Some(token),
        &[("if-none-match", "*")],
        Some(&body),
    )
    .await?;
    problem(&refused)?;
    say("");
    Ok(())
}

fn title(text: &str) {
    say("");
    say(text);
}

/// Prints the command that does the same.
fn curl(method: &str, path: &str, headers: &[&str], body: Option<&str>) {
    let headers: String = headers
        .iter()
        .map(|header| format!(" -H '{header}'"))
        .collect();
    let body = body.map(|body| format!(" -d '{body}'")).unwrap_or_default();
    say(format_args!(
        "  curl -s -X {method} $VESTRY{path} -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json'{headers}{body}"
    ));
}

/// Shows a refusal; that it is none is a failure of the quickstart.
fn problem(answer: &Answer) -> Outcome {
    if answer.status.is_success() {
        return Err(allowed());
    }
    say("");
    let rule = answer.text("rule");
    let rule = if rule.is_empty() {
        String::new()
    } else {
        format!(" (rule {rule})")
    };
    say(format_args!(
        "  {} {}{rule}",
        answer.status.as_u16(),
        answer.text("code")
    ));
    say(format_args!("  {}", answer.text("detail")));
    Ok(())
}

fn allowed() -> Failure {
    Failure::new("something was allowed that should have been refused")
}
