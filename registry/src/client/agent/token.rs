//! An agent with a token, at one server.

use std::fmt;

use super::Caller;
use crate::client::{Answer, Call, Client, ClientError, ServerUrl};
use crate::clock::{Clock as _, Micros, SystemClock};

/// An agent, or whoever has an access token. Connections are kept and used again.
pub struct Agent {
    client: Client,
    token: String,
}

impl Agent {
    /// An agent with this token at the server of this URL; connects when it is first asked.
    ///
    /// # Errors
    /// When the URL is none, or the server is reached by https and this machine's certificates cannot be read.
    pub fn new(server: &str, token: impl Into<String>) -> Result<Self, ClientError> {
        let server = ServerUrl::parse(server).map_err(ClientError::Address)?;
        Ok(Self {
            client: Client::new(server)?,
            token: token.into(),
        })
    }
}

impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("server", self.client.server())
            .finish_non_exhaustive()
    }
}

impl Caller for Agent {
    type Error = ClientError;

    async fn answer(&self, call: &Call) -> Result<Answer, ClientError> {
        self.client.send_patiently(call, Some(&self.token)).await
    }

    fn now(&self) -> Micros {
        SystemClock.now()
    }
}
