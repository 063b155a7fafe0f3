//! `vestry settings`: what a tenant sets for itself.

use serde_json::{Map, Value};

use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::{Out, style};
use crate::cli::session::{As, Session};
use crate::client::{Call, path};

/// A setting that every server has.
const ALWAYS_THERE: &str = "max_cap";

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Command {
    /// Show the settings of a tenant.
    Show(Of),
    /// Change settings of a tenant; for a publisher elevated for the tenant, or an elevated global administrator.
    Set(Set),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Of {
    /// The tenant; that of the login when left out.
    #[arg(long)]
    tenant: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Set {
    /// The settings to change, such as `max_cap=50`, `agent_own_scope=review` or `approvers=maria,paul`; the others stay.
    #[arg(required = true, value_name = "NAME=VALUE", value_parser = setting)]
    settings: Vec<(String, Value)>,
    #[command(flatten)]
    of: Of,
}

fn setting(text: &str) -> Result<(String, Value), String> {
    let (name, value) = text
        .split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or("write it as NAME=VALUE, such as max_cap=50")?;
    // A number or a truth value as such, and anything else as a text.
    let value = match serde_json::from_str(value) {
        Ok(value @ (Value::Number(_) | Value::Bool(_))) => value,
        _ => Value::from(value),
    };
    Ok((name.to_owned(), value))
}

pub(in crate::cli) async fn run(options: &Options, command: Command) -> Outcome {
    let session = Session::open(options)?;
    match command {
        Command::Show(of) => {
            let tenant = session.tenant(of.tenant)?;
            let path = path(&["v1", "tenants", &tenant, "settings"]);
            let answer = session
                .ask_for(As::Oneself, &Call::get(path), &[ALWAYS_THERE])
                .await?;
            print(session.out, &answer.body)
        }
        Command::Set(Set { settings, of }) => {
            let tenant = session.tenant(of.tenant)?;
            set(&session, &tenant, settings).await
        }
    }
}

/// All settings are written at once, so they are read first; `If-Match` keeps somebody else's change from being lost.
async fn set(session: &Session, tenant: &str, settings: Vec<(String, Value)>) -> Outcome {
    let path = path(&["v1", "tenants", tenant, "settings"]);
    let read = session
        .ask_for(As::Oneself, &Call::get(path.as_str()), &[ALWAYS_THERE])
        .await?;
    let mut body: Map<String, Value> = read.body.as_object().cloned().unwrap_or_default();
    for (name, value) in settings {
        if !body.contains_key(&name) {
            let known: Vec<&str> = body.keys().map(String::as_str).collect();
            return Err(Failure::usage(format!(
                "there is no setting {name}; there are {}",
                known.join(", ")
            )));
        }
        // A list is written with commas: `approvers=maria,paul`; nothing at all is an empty one.
        let value = match (body.get(&name), value.as_str()) {
            (Some(Value::Array(_)), Some(text)) => text
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(Value::from)
                .collect(),
            _ => value,
        };
        body.insert(name, value);
    }
    let mut call = Call::put(path, &Value::Object(body));
    if let Some(tag) = read.entity_tag() {
        call = call.header("if-match", tag);
    }
    let answer = session
        .ask_for(As::Administrator(tenant), &call, &[ALWAYS_THERE])
        .await?;
    print(session.out, &answer.body)
}

fn print(out: Out, settings: &Value) -> Outcome {
    out.either(settings, || {
        let fields: Vec<(&str, String)> = settings
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                let value = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                (name.as_str(), value)
            })
            .collect();
        out.fields(&fields, style::HEAD)
    })
}
