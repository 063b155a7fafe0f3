//! Where a request comes from: its id, and the address of whoever sent it.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use ipnet::IpNet;

use crate::http::problem::Problem;

/// What the middleware found out about a request; an extension of it.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The id of the request.
    pub request_id: RequestId,
    /// The address of the client, or none when the request did not come over a socket.
    pub client: Option<IpAddr>,
}

/// The id of a request: the client's own if it sent a well-formed `x-request-id`, else a random one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(pub Arc<str>);

/// The address of the client: the peer, or what trusted proxies say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub IpAddr);

impl<S: Send + Sync> FromRequestParts<S> for RequestId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        arrival(parts).map(|arrival| arrival.request_id.clone())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ClientAddress {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        arrival(parts)?
            .client
            .map(Self)
            .ok_or_else(|| Problem::internal("the request has no peer address"))
    }
}

fn arrival(parts: &Parts) -> Result<&Arrival, Problem> {
    parts
        .extensions
        .get::<Arrival>()
        .ok_or_else(|| Problem::internal("the request did not pass the middleware"))
}

/// The proxies whose `X-Forwarded-For` is believed. Empty: nobody's.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(pub Vec<IpNet>);

impl TrustedProxies {
    fn trust(&self, address: IpAddr) -> bool {
        self.0.iter().any(|net| net.contains(&address))
    }

    /// The address of the client behind this peer.
    ///
    /// Each proxy appends whom it heard from, so that the list is believed from its right end, for as
    /// long as what is there is a trusted proxy. Whatever stands further left, the client may have made up.
    #[must_use]
    pub fn client(&self, peer: SocketAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.ip().to_canonical();
        if self.0.is_empty() || !self.trust(client) {
            return client;
        }
        let values: Vec<_> = headers.get_all("x-forwarded-for").iter().collect();
        for value in values.into_iter().rev() {
            let Ok(text) = value.to_str() else {
                return client;
            };
            for hop in text.rsplit(',') {
                let Some(address) = parse_hop(hop) else {
                    // Not an address: nothing further left can be believed either.
                    return client;
                };
                client = address;
                if !self.trust(client) {
                    return client;
                }
            }
        }
        client
    }
}

/// An address as proxies write it: with or without a port.
fn parse_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let address = text
        .parse::<IpAddr>()
        .or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip()))
        .ok()?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(proxies: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let proxies = TrustedProxies(proxies.iter().map(|net| net.parse().unwrap()).collect());
        let mut headers = HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        proxies.client(peer.parse().unwrap(), &headers).to_string()
    }

    #[test]
    fn believes_trusted_proxies_only() {
        assert_eq!(client(&[], "9.9.9.9:1", &["1.1.1.1"]), "9.9.9.9");
        assert_eq!(
            client(&["10.0.0.0/8"], "9.9.9.9:1", &["1.1.1.1"]),
            "9.9.9.9"
        );
        assert_eq!(
            client(&["10.0.0.0/8"], "10.0.0.1:1", &["1.1.1.1"]),
            "1.1.1.1"
        );
        assert_eq!(
            client(
                &["10.0.0.0/8"],
                "10.0.0.1:1",
                &["6.6.6.6, 1.1.1.1", "10.0.0.2"]
            ),
            "1.1.1.1"
        );
        assert_eq!(
            client(&["10.0.0.0/8"], "10.0.0.1:1", &["1.1.1.1, what"]),
            "10.0.0.1"
        );
        assert_eq!(
            client(&["10.0.0.0/8"], "[::ffff:10.0.0.1]:1", &["1.1.1.1:80"]),
            "1.1.1.1"
        );
    }
}
