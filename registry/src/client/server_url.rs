//! The address of a server, as people write it.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use hyper::Uri;

/// `http://host[:port][/prefix]` or the same with `https`, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerUrl {
    text: String,
    is_tls: bool,
    host: String,
}

impl ServerUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// A sentence that says what to write.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        const WANTED: &str = "write it as `https://vestry.example.org` or `http://127.0.0.1:7700`";
        let uri: Uri = text
            .trim_end_matches('/')
            .parse()
            .map_err(|error| format!("this is no URL ({error}); {WANTED}"))?;
        let is_tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(format!("the URL names neither http nor https; {WANTED}")),
        };
        let authority = uri
            .authority()
            .filter(|authority| !authority.host().is_empty())
            .ok_or_else(|| format!("the URL names no host; {WANTED}"))?;
        if authority.as_str().contains('@') {
            return Err(format!(
                "a URL with a user or a password in it is not taken; {WANTED}"
            ));
        }
        if uri.query().is_some() || text.contains('#') {
            return Err(format!("the URL has a query or a fragment; {WANTED}"));
        }
        let prefix = uri.path().trim_end_matches('/');
        if prefix.ends_with("/mcp") {
            return Err(
                "this is the URL of its MCP endpoint; write that of the server, without `/mcp`"
                    .to_owned(),
            );
        }
        let scheme = if is_tls { "https" } else { "http" };
        Ok(Self {
            text: format!("{scheme}://{authority}{prefix}"),
            is_tls,
            host: authority.host().to_owned(),
        })
    }

    /// The server at this address, without TLS.
    pub(crate) fn of_address(address: SocketAddr) -> Self {
        Self {
            text: format!("http://{address}"),
            is_tls: false,
            host: address.ip().to_string(),
        }
    }

    /// The URL.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether connections to it are encrypted.
    pub(crate) fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Whether what is sent could be read on its way: neither encrypted nor to this machine itself.
    pub(crate) fn is_exposed(&self) -> bool {
        let host = self.host.trim_start_matches('[').trim_end_matches(']');
        let is_local = host.eq_ignore_ascii_case("localhost")
            || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        !self.is_tls && !is_local
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::ServerUrl;

    #[test]
    fn urls_are_read_as_people_write_them() {
        for (written, read, is_exposed) in [
            ("http://127.0.0.1:7700/", "http://127.0.0.1:7700", false),
            ("http://[::1]:7700", "http://[::1]:7700", false),
            ("http://localhost", "http://localhost", false),
            ("http://vestry:7700", "http://vestry:7700", true),
            ("https://v.example/a/b//", "https://v.example/a/b", false),
        ] {
            let url = ServerUrl::parse(written).map(|url| (url.to_string(), url.is_exposed()));
            assert_eq!(url, Ok((read.to_owned(), is_exposed)), "{written}");
        }
        for refused in [
            "",
            "127.0.0.1:7700",
            "ftp://x",
            "http://",
            "http://user:secret@host",
            "http://host?x=1",
            "http://host/#x",
            "http://ho st",
        ] {
            assert!(ServerUrl::parse(refused).is_err(), "{refused}");
        }
    }
}
