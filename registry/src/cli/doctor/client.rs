//! This side: options, environment, profile.

use super::finding::Finding;
use crate::cli::options::Options;
use crate::clock::{Clock as _, SystemClock};

/// Looks at what a client command would use.
pub(super) fn check(options: &Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.push(match (&options.server, &options.token) {
        (Some(server), Some(_)) => Finding::ok(
            "configuration",
            format!("the server {server} and a token are given; profiles are not used"),
        ),
        (Some(server), None) => {
            Finding::ok("configuration", format!("the server {server} is given"))
        }
        (None, Some(_)) => Finding::ok(
            "configuration",
            "a token is given; the server is the profile's",
        ),
        (None, None) => Finding::ok("configuration", "server and tokens are the profile's"),
    });
    if let Some(server) = options.server.as_ref().filter(|server| server.is_exposed()) {
        findings.push(Finding::warn(
            "configuration",
            format!("{server} is not encrypted"),
            "use https, with TLS in front of the server",
        ));
    }
    findings.push(profile(options));
    findings
}

fn profile(options: &Options) -> Finding {
    const CHECK: &str = "profile";
    let file = match options.profiles() {
        Ok(profiles) => profiles.file(&options.profile),
        Err(failure) => return Finding::fail(CHECK, failure.sentence(), "set VESTRY_CONFIG"),
    };
    let path = file.path();
    match file.read() {
        Err(failure) => Finding::fail(
            CHECK,
            failure.sentence(),
            // What has to be done is in the sentence; this is the way out for whoever does not want to look.
            format!("or remove {} and log in again", path.display()),
        ),
        Ok(None) => Finding::ok(
            CHECK,
            format!("there is none at {}: nobody is logged in", path.display()),
        ),
        Ok(Some(profile)) => {
            let now = SystemClock.now();
            let elevations: Vec<&str> = profile
                .elevations
                .iter()
                .filter(|kept| profile.elevation(&kept.scope, now).is_some())
                .map(|kept| kept.scope.as_str())
                .collect();
            let elevated = if elevations.is_empty() {
                "not elevated".to_owned()
            } else {
                format!("elevated for {}", elevations.join(", "))
            };
            let of = profile
                .tenant
                .as_deref()
                .map(|tenant| format!(" of {tenant}"))
                .unwrap_or_default();
            Finding::ok(
                CHECK,
                format!(
                    "{}{of} at {}, {elevated}; kept in {}, for its owner only",
                    profile.username,
                    profile.server,
                    path.display()
                ),
            )
        }
    }
}
