//! The server: whether it is there and ready, what time it has, and whom it takes us for.

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::finding::Finding;
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::session::{As, Session, Trouble};
use crate::client::{Answer, Call, ClientError};
use crate::clock::{Clock as _, SystemClock};

/// How many seconds two clocks may be apart. A `Date` header has no fraction, so one of them is that.
const MAX_OFFSET_SECONDS: i64 = 2;

/// Asks the server.
pub(super) async fn check(options: &Options) -> Vec<Finding> {
    let session = match Session::open(options) {
        Ok(session) => session,
        Err(failure) => {
            // What is wrong with a profile has been said where the profile was looked at.
            let profile = options
                .profiles()
                .and_then(|profiles| profiles.file(&options.profile).read());
            let todo = match profile {
                Ok(_) => failure.sentence(),
                Err(_) => "mend the profile first",
            };
            return vec![Finding::warn("server", "not asked", todo)];
        }
    };
    let server = session.server().to_string();
    let ready = match session.send(As::Nobody, &Call::get("/readyz")).await {
        Ok(answer) => answer,
        Err(trouble) => {
            let failure = crate::cli::failure::Failure::from(trouble);
            return vec![Finding::fail(
                "server",
                failure.sentence(),
                "start it with `vestry serve`, or give its address with --server",
            )];
        }
    };
    let is_ready = ready.status.is_success();
    if is_ready && let Err(failure) = value::needs(&ready.body, &["status"]) {
        return vec![Finding::fail(
            "server",
            failure.sentence(),
            "give the server's address with --server",
        )];
    }
    let mut findings = vec![if is_ready {
        Finding::ok("server", format!("{server} is there and ready"))
    } else {
        Finding::fail(
            "server",
            format!("{server} is there and answers {}", ready.status.as_u16()),
            "look at its log: it starts, drains, or is no vestry server",
        )
    }];
    findings.push(clock(&ready));
    findings.push(identity(&session).await);
    findings
}

/// Compares the server's clock with this machine's: tokens end by the server's.
fn clock(answer: &Answer) -> Finding {
    const CHECK: &str = "clock";
    let now = SystemClock.now().seconds();
    let Some(theirs) = answer.header("date").and_then(seconds) else {
        return Finding::warn(
            CHECK,
            "the server's answers have no date",
            "look at what is in front of it",
        );
    };
    let offset = theirs - now;
    if offset.abs() <= MAX_OFFSET_SECONDS {
        Finding::ok(CHECK, "this machine's and the server's agree")
    } else {
        let how = if offset > 0 { "ahead of" } else { "behind" };
        Finding::warn(
            CHECK,
            format!(
                "the server's is {} seconds {how} this machine's",
                offset.abs()
            ),
            "set both by NTP: tokens and offers end early or late otherwise",
        )
    }
}

fn seconds(date: &str) -> Option<i64> {
    // HTTP says GMT where RFC 2822 says +0000; the parser takes both.
    let at: Timestamp = rfc2822::DateTimeParser::new().parse_timestamp(date).ok()?;
    Some(at.as_second())
}

async fn identity(session: &Session) -> Finding {
    const CHECK: &str = "identity";
    match session.send(As::Oneself, &Call::get("/v1/me")).await {
        Ok(answer) if answer.status.is_success() => {
            match value::needs(&answer.body, &["principal"]) {
                Ok(()) => Finding::ok(
                    CHECK,
                    format!("the server takes you for {}", answer.text("principal")),
                ),
                Err(failure) => Finding::fail(CHECK, failure.sentence(), "look at its log"),
            }
        }
        Ok(answer) if answer.status.as_u16() == 401 => Finding::warn(
            CHECK,
            "the server does not take this login or token",
            "run `vestry login`, or give another token",
        ),
        Ok(answer) => Finding::fail(
            CHECK,
            format!("the server answers {}", answer.status.as_u16()),
            "is it a vestry server? Look at its log",
        ),
        Err(Trouble::Client(error @ ClientError::Foreign { .. })) => {
            Finding::fail(CHECK, error.to_string(), "look at its log")
        }
        Err(trouble) => Finding::warn(
            CHECK,
            crate::cli::failure::Failure::from(trouble).sentence(),
            "run `vestry login`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn dates_of_http_are_read() {
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds("yesterday"), None);
    }
}
