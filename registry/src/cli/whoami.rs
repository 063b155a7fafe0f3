//! `vestry whoami`: who the server takes you for.

use serde_json::Value;

use super::failure::Outcome;
use super::options::Options;
use super::output::{Out, style, value};
use super::session::{As, Session};
use crate::client::Call;

pub(super) async fn run(options: &Options) -> Outcome {
    let session = Session::open(options)?;
    let me = session
        .ask_for(As::Oneself, &Call::get("/v1/me"), &["principal"])
        .await?
        .body;
    session
        .out
        .either(&me, || human(session.out, &me, session.server().as_str()))
}

fn human(out: Out, me: &Value, server: &str) -> String {
    let mut fields = vec![
        ("principal", value::text(me, "principal").to_owned()),
        ("server", server.to_owned()),
        ("tenant", value::text(me, "tenant").to_owned()),
        ("role", value::text(me, "role").to_owned()),
        ("scopes", value::joined(me, "scopes")),
        ("acts for", value::text(me, "acts_for").to_owned()),
        ("token ends", value::time(me, "expires_at")),
    ];
    if value::flag(me, "global_admin") {
        fields.push(("administers", "the installation".to_owned()));
    }
    if let Some(elevation) = me.get("elevation").filter(|elevation| !elevation.is_null()) {
        fields.push((
            "elevated",
            format!(
                "for {} until {}",
                value::text(elevation, "scope"),
                value::time(elevation, "expires_at")
            ),
        ));
    }
    out.fields(&fields, style::HEAD)
}
