//! Addresses, and the hosts that they lead to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::ops::Range;

use super::Detector;
use crate::content::text::{Class, class_of};

/// The most bytes of an authority, and of what is kept of the path.
const LONGEST: usize = 300;
/// The most bytes of a host (RFC 1035, section 2.3.4).
const MAX_HOST: usize = 253;
/// Endings of names that belong to nobody (RFC 2606, RFC 6761), or to the own network (RFC 6762, RFC 8375).
const NOBODYS: [&str; 11] = [
    ".example",
    ".test",
    ".invalid",
    ".localhost",
    ".local",
    ".internal",
    ".lan",
    ".home.arpa",
    ".example.com",
    ".example.net",
    ".example.org",
];

/// An address in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::content::scan) struct Address {
    pub(in crate::content::scan) place: Range<usize>,
    /// In lower case, without port and brackets.
    pub(in crate::content::scan) host: String,
    /// The beginning of the path.
    path: String,
    /// What stands before an `@`.
    user: Option<String>,
}

/// The addresses of a text that name a host.
pub(in crate::content::scan) fn find(text: &str) -> impl Iterator<Item = Address> {
    text.match_indices("://")
        .filter_map(|(at, _)| address(text, at))
}

fn address(text: &str, at: usize) -> Option<Address> {
    let before = text.as_bytes().get(at.saturating_sub(5)..at)?;
    let scheme = before
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    let scheme_text = before
        .get(before.len().saturating_sub(scheme)..)?
        .to_ascii_lowercase();
    let is_known = [b"http".as_slice(), b"https", b"ftp", b"sftp", b"ws", b"wss"]
        .iter()
        .any(|known| scheme_text.ends_with(known));
    if !is_known {
        return None;
    }
    let start = at.saturating_add(3);
    let rest = text.get(start..)?;
    let rest = rest.get(..rest.floor_char_boundary(LONGEST))?;
    let end = rest
        .find(|sign: char| {
            sign.is_whitespace() || "/?#\"'<>)]}`|,;\\(*{$".contains(sign) && sign != ']'
        })
        .unwrap_or(rest.len());
    let authority = rest.get(..end)?;
    let path = rest
        .get(end..)
        .unwrap_or_default()
        .split(|sign: char| sign.is_whitespace() || "\"'<>)`".contains(sign))
        .next()
        .unwrap_or_default();
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user.to_owned()), host),
        None => (None, authority),
    };
    let host = match host.strip_prefix('[') {
        Some(inside) => inside.split(']').next()?,
        None => host.split(':').next()?,
    };
    let host: String = host
        .trim_end_matches(['.', ']', '!', '_', '~'])
        .chars()
        .filter(|sign| class_of(*sign) != Class::Hidden)
        .flat_map(char::to_lowercase)
        .collect();
    let is_host = !host.is_empty()
        && host.len() <= MAX_HOST
        && host
            .chars()
            .all(|sign| sign.is_alphanumeric() || matches!(sign, '.' | '-' | ':' | '_'));
    is_host.then(|| Address {
        place: at.saturating_sub(scheme)..start.saturating_add(end),
        path: path.chars().take(60).collect(),
        user,
        host,
    })
}

impl Address {
    /// Whether it is at a host of the rules, or below it.
    pub(in crate::content::scan) fn is_at(&self, known: &str) -> bool {
        let (host, path) = match known.split_once('/') {
            Some((host, path)) => (host, Some(path)),
            None => (known, None),
        };
        let is_host = self
            .host
            .strip_suffix(host)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        let is_path = path.is_none_or(|path| {
            self.path
                .strip_prefix('/')
                .is_some_and(|own| own.to_ascii_lowercase().starts_with(path))
        });
        is_host && is_path
    }

    /// Whether the host is somebody's, and not on this machine or network.
    pub(in crate::content::scan) fn is_external(&self) -> bool {
        match self.ip() {
            Some(ip) => is_public(ip),
            None => {
                let is_nobodys = NOBODYS.iter().any(|ending| {
                    self.host.ends_with(ending) || ending.get(1..) == Some(&self.host)
                });
                self.host.contains('.') && !is_nobodys
            }
        }
    }

    /// What is odd about it.
    pub(in crate::content::scan) fn odd(&self) -> impl Iterator<Item = Detector> {
        let is_number = self.ip().is_some_and(is_public);
        let is_disguised = self.user.as_deref().is_some_and(|user| user.contains('.'))
            || self.host.split('.').any(|label| label.starts_with("xn--"))
            || has_look_alikes(&self.host);
        [
            is_number.then_some(Detector::IpAddressUrl),
            is_disguised.then_some(Detector::DisguisedUrl),
        ]
        .into_iter()
        .flatten()
    }

    /// The address that the host is a number of, also in the forms that only programs write.
    fn ip(&self) -> Option<IpAddr> {
        if let Ok(ip) = self.host.parse::<Ipv4Addr>() {
            return Some(ip.into());
        }
        if let Ok(ip) = self.host.parse::<Ipv6Addr>() {
            return Some(ip.into());
        }
        let number = match self.host.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => self.host.parse::<u32>().ok(),
        };
        number.map(|number| Ipv4Addr::from_bits(number).into())
    }
}

fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => {
            let is_documentation = ip.is_documentation();
            !(ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_unspecified()
                || ip.is_broadcast()
                || ip.is_multicast())
                // An address of a book is still one that nobody can read.
                || is_documentation
        }
        IpAddr::V6(ip) => {
            !(ip.is_loopback()
                || ip.is_unspecified()
                || ip.is_unique_local()
                || ip.is_unicast_link_local())
        }
    }
}

/// Whether a host has letters of another alphabet beside Latin ones.
fn has_look_alikes(host: &str) -> bool {
    host.split('.').any(|label| {
        label.chars().any(|sign| sign.is_ascii_alphabetic())
            && label
                .chars()
                .any(|sign| matches!(sign, '\u{370}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Address {
        let found: Vec<_> = find(text).collect();
        assert_eq!(found.len(), 1, "{text}");
        found.into_iter().next().unwrap()
    }

    #[test]
    fn hosts_are_read_out_of_addresses() {
        for (text, host) in [
            ("see https://Docs.Host.io/a?b", "docs.host.io"),
            ("(http://user:pw@host.io:8080/x)", "host.io"),
            ("<https://host.io>.", "host.io"),
            ("https://[2001:db8::1]:443/", "2001:db8::1"),
            ("https://host.io.", "host.io"),
            ("https://good.io\\@bad.io/", "good.io"),
        ] {
            assert_eq!(one(text).host, host, "{text}");
        }
        for text in [
            "https://<host>/",
            "https://$HOST/x",
            "https://{{host}}",
            "file:///etc",
            "://",
        ] {
            assert_eq!(find(text).count(), 0, "{text}");
        }
    }

    #[test]
    fn what_is_nobodys_is_not_external() {
        for text in [
            "http://localhost:1",
            "https://a.example.com/",
            "https://example.org",
            "http://10.0.0.1/",
            "http://[::1]/",
        ] {
            assert!(!one(text).is_external(), "{text}");
        }
        assert!(one("https://host.io").is_external());
        assert!(one("https://notexample.org").is_external());
    }

    #[test]
    fn odd_addresses_are_known() {
        let odd = |text: &str| one(text).odd().collect::<Vec<_>>();
        assert_eq!(odd("http://203.0.113.9/x"), [Detector::IpAddressUrl]);
        assert_eq!(odd("http://3405803785/x"), [Detector::IpAddressUrl]);
        assert_eq!(odd("https://bank.io@bad.io/"), [Detector::DisguisedUrl]);
        assert_eq!(odd("https://xn--pple-43d.com/"), [Detector::DisguisedUrl]);
        assert_eq!(odd("https://аpple.com/"), [Detector::DisguisedUrl]);
        assert_eq!(odd("https://пример.рф/"), []);
        assert_eq!(odd("http://127.0.0.1/"), []);
    }

    #[test]
    fn hosts_of_rules_are_met_with_what_is_below_them() {
        let address = one("https://a.Webhook.site/x");
        assert!(address.is_at("webhook.site") && !address.is_at("hook.site"));
        let address = one("https://discord.com/api/webhooks/1/x");
        assert!(address.is_at("discord.com/api/webhooks") && !address.is_at("discord.com/docs"));
    }
}
