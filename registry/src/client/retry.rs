//! Asking again, where that is harmless and the server says when.

use std::time::Duration;

use hyper::StatusCode;

use super::{Answer, Call, Client, ClientError};

/// How often a request is sent at most.
const ATTEMPTS: u32 = 8;
/// The longest wait that a server may ask for before the next attempt.
const LONGEST_WAIT: u64 = 60;
/// The wait after a connection that broke, times the number of attempts so far.
const AFTER_BREAK: Duration = Duration::from_millis(200);

impl Client {
    /// Sends a request, and again while the server is busy (503) or asks to wait (429), as long as it says. A
    /// request whose connection broke is sent again only if it lets that ([`Call::is_repeatable`]).
    ///
    /// # Errors
    /// As [`Client::send`], after the last attempt.
    pub(crate) async fn send_patiently(
        &self,
        call: &Call,
        token: Option<&str>,
    ) -> Result<Answer, ClientError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let result = self.send(call, token).await;
            if attempt == ATTEMPTS {
                return result;
            }
            let wait = match &result {
                Ok(answer) => wait_of(answer, attempt),
                Err(ClientError::Broken { .. }) if call.is_repeatable() => {
                    Some(AFTER_BREAK * attempt)
                }
                Err(_) => None,
            };
            match wait {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return result,
            }
        }
    }
}

/// How long to wait before the next attempt; none when there is to be none.
fn wait_of(answer: &Answer, attempt: u32) -> Option<Duration> {
    let is_passing = matches!(
        answer.status,
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
    );
    match answer.retry_after() {
        _ if !is_passing => None,
        Some(seconds) if seconds <= LONGEST_WAIT => Some(Duration::from_secs(seconds)),
        Some(_) => None,
        None => Some(AFTER_BREAK * attempt),
    }
}
