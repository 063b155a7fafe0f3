//! `vestry skill recall-report`: which turns a revision reached.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Reference;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::{Cell, Out, Table, value};
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse, required_unless_present = "digest",
          conflicts_with = "digest")]
    skill: Option<Reference>,
    /// The number of the revision; the current one when left out.
    #[arg(long, conflicts_with = "digest")]
    revision: Option<u32>,
    /// Every revision with this digest instead, `sha256:…`.
    #[arg(long, requires = "scope")]
    digest: Option<String>,
    /// With --digest: the scope, such as `tenant:acme`.
    #[arg(long, requires = "digest")]
    scope: Option<String>,
    /// For a global skill: count by tenant, as a global administrator.
    #[arg(long)]
    tenants: bool,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let (scope, name, revision) = match &args.skill {
        None => (args.scope.clone().unwrap_or_default(), None, None),
        Some(skill) => {
            let number = match args.revision {
                Some(number) => number.to_string(),
                None => current(&session, skill).await?,
            };
            let name = skill.name.to_string();
            (skill.scope.clone(), Some(name), Some(number))
        }
    };
    let wanted = [
        ("name", name.as_deref()),
        ("revision", revision.as_deref()),
        ("digest", args.digest.as_deref()),
    ];
    let out = session.out;
    if args.tenants {
        if scope != "global" {
            return Err(Failure::usage(
                "--tenants is for global skills; leave it out to list the turns of your tenant",
            ));
        }
        let (items, _) = session.list("/v1/recall/tenants", &wanted, None).await?;
        let counts = by_tenant(&items);
        return out.either(&json!({"items": counts}), || tenants(out, &counts));
    }
    let mut filter = vec![("scope", Some(scope.as_str()))];
    filter.extend(wanted);
    let (items, _) = session.list("/v1/recall/turns", &filter, None).await?;
    out.either(&json!({"items": items}), || turns(out, &items))
}

async fn current(session: &Session, skill: &Reference) -> Result<String, Failure> {
    let answer = session
        .ask_for(As::Oneself, &Call::get(skill.path(&[])), &["revision"])
        .await?;
    Ok(value::number(&answer.body, "revision"))
}

/// What a turn did, put together from what happened.
#[derive(Default)]
struct Turn {
    offered: String,
    offers: u64,
    loaded: String,
    loads: u64,
    files: u64,
    openings: u64,
}

fn turns(out: Out, events: &[Value]) -> String {
    let mut turns: BTreeMap<(String, String, String), Turn> = BTreeMap::new();
    for event in events {
        let text = |field| value::text(event, field).to_owned();
        let turn = turns
            .entry((text("acts_for"), text("principal"), text("turn")))
            .or_default();
        let at = value::time(event, "at");
        let first = |kept: &mut String| {
            if kept.is_empty() || at < *kept {
                kept.clone_from(&at);
            }
        };
        match value::text(event, "event") {
            "loaded" => {
                turn.loads += 1;
                first(&mut turn.loaded);
            }
            "loaded-file" => {
                turn.files += 1;
                first(&mut turn.loaded);
            }
            "opened" => {
                turn.openings += 1;
                first(&mut turn.loaded);
            }
            kind => {
                turn.offers += u64::from(kind == "offered");
                first(&mut turn.offered);
            }
        }
    }
    let mut table = Table::new(&[
        "TURN",
        "PRINCIPAL",
        "FOR",
        "OFFERED",
        "OFFERS",
        "LOADED",
        "LOADS",
        "FILES",
        "OPENINGS",
    ]);
    for ((acts_for, principal, name), turn) in &turns {
        table.row(vec![
            Cell::from(name.as_str()),
            principal.as_str().into(),
            acts_for.as_str().into(),
            turn.offered.as_str().into(),
            turn.offers.to_string().as_str().into(),
            turn.loaded.as_str().into(),
            turn.loads.to_string().as_str().into(),
            turn.files.to_string().as_str().into(),
            turn.openings.to_string().as_str().into(),
        ]);
    }
    table.render(out, "No turn was offered it.")
}

/// Adds up what pages counted.
fn by_tenant(items: &[Value]) -> Vec<Value> {
    let mut sums: BTreeMap<&str, [u64; 4]> = BTreeMap::new();
    for item in items {
        let sum = sums.entry(value::text(item, "tenant")).or_default();
        for (sum, field) in sum.iter_mut().zip(["turns", "offers", "loads", "openings"]) {
            *sum += item.get(field).and_then(Value::as_u64).unwrap_or_default();
        }
    }
    sums.into_iter()
        .map(|(tenant, [turns, offers, loads, openings])| {
            json!({
                "tenant": tenant, "turns": turns, "offers": offers, "loads": loads, "openings": openings,
            })
        })
        .collect()
}

fn tenants(out: Out, counts: &[Value]) -> String {
    let mut table = Table::new(&["TENANT", "TURNS", "OFFERS", "LOADS", "OPENINGS"]);
    for count in counts {
        let tenant = match value::text(count, "tenant") {
            "" => "(none)",
            tenant => tenant,
        };
        table.row(vec![
            tenant.into(),
            value::number(count, "turns").into(),
            value::number(count, "offers").into(),
            value::number(count, "loads").into(),
            value::number(count, "openings").into(),
        ]);
    }
    table.render(out, "No turn was offered it.")
}
