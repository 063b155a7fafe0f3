//! `vestry login`: a session, kept in a profile.

use serde_json::json;

use super::failure::{Failure, Outcome, Refusal};
use super::options::Options;
use super::profile::Profile;
use super::prompt::PasswordFrom;
use super::session;
use crate::client::{Call, Client, ServerUrl};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The username; that of the profile when left out.
    #[arg(long)]
    username: Option<String>,
    /// The tenant; may be left out by a member of one.
    #[arg(long)]
    tenant: Option<String>,
    #[command(flatten)]
    password: PasswordFrom,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let file = options.profiles()?.file(&options.profile);
    // A profile that cannot be read is written anew.
    let before = file.read().ok().flatten();
    let server = match (&options.server, &before) {
        (Some(server), _) => server.clone(),
        (None, Some(profile)) => ServerUrl::parse(&profile.server)?,
        (None, None) => {
            return Err(Failure::usage(
                "which server? Give --server URL, such as `vestry login --server https://vestry.example.org --username maria`",
            ));
        }
    };
    let known = before.filter(|profile| profile.server == server.as_str());
    let username = args
        .username
        .or_else(|| known.as_ref().map(|profile| profile.username.clone()))
        .ok_or_else(|| Failure::usage("who? Give --username"))?;
    let tenant = args
        .tenant
        .or_else(|| known.filter(|profile| profile.username == username)?.tenant);
    let out = options.out();
    if server.is_exposed() {
        out.note(format!(
            "warning: {server} is not encrypted, and the password can be read on its way; use https where you can"
        ));
    }
    let password = args
        .password
        .ask(&format!("Password of {username} at {server}: "))?;
    let mut body = json!({"username": username, "password": password});
    if let (Some(tenant), Some(body)) = (&tenant, body.as_object_mut()) {
        body.insert("tenant".to_owned(), tenant.as_str().into());
    }
    let client = Client::new(server.clone())?;
    let answer = client.send(&Call::post("/v1/login", &body), None).await?;
    if !answer.status.is_success() {
        let refusal = Refusal::of(&answer);
        return Err(Failure::new(match refusal.code.as_str() {
            "unauthenticated" => format!(
                "{server} does not know {username} with this password{}",
                tenant
                    .map(|tenant| format!(" in {tenant}"))
                    .unwrap_or_default()
            ),
            _ => refusal.detail,
        }));
    }
    let tenant = answer.text("tenant");
    let profile = Profile {
        server: server.to_string(),
        username: username.clone(),
        tenant: Some(tenant.to_owned()).filter(|tenant| !tenant.is_empty()),
        tokens: session::tokens(&answer)?,
        elevations: Vec::new(),
    };
    let _lock = file.lock().await?;
    file.write(&profile)?;
    let said = json!({
        "server": profile.server, "username": username, "tenant": profile.tenant,
        "profile": file.name().to_string(), "file": file.path().display().to_string(),
        "expires_at": profile.tokens.expires_at,
    });
    out.either(&said, || {
        let of = profile
            .tenant
            .map(|tenant| format!(" of {tenant}"))
            .unwrap_or_default();
        format!(
            "logged in to {server} as {username}{of}; the profile is {}",
            file.path().display()
        )
    })
}
