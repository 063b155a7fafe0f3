//! Which repository is meant, however its address is written.

use std::fmt;

/// Schemes of addresses that people clone from.
const SCHEMES: [&str; 6] = ["https", "http", "ssh", "git", "git+ssh", "git+https"];
/// The most bytes of an address.
const MAX: usize = 1_024;

/// Why a text names no repository. It may hold a password, so that nothing of it is said here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RepositoryError {
    /// It names no host.
    #[error("write the repository with its host, as `github.com/owner/name`")]
    NoHost,
    /// It is not of a known form.
    #[error(
        "write the repository as `https://host/owner/name`, `git@host:owner/name` or `host/owner/name`"
    )]
    Form,
}

/// A repository: host, owner and name, without regard to case (of ASCII letters, which is all that hosts of repositories take:
/// beyond them two letters of different names would have one lower case), scheme, user, port and `.git`.
///
/// What stands between host and name is the owner, of as many segments as it has.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Repository {
    host: String,
    owner: String,
    name: String,
}

impl Repository {
    /// Parses a URL (`https://host/owner/name.git`, `ssh://git@host:22/owner/name`), the short form of SSH
    /// (`git@host:owner/name.git`), or `host/owner/name`.
    ///
    /// # Errors
    /// When it is none of those.
    pub fn parse(text: &str) -> Result<Self, RepositoryError> {
        let is_line = text.len() <= MAX
            && !text
                .chars()
                .any(|c| c.is_whitespace() || c.is_control() || matches!(c, '\\' | '?' | '#'));
        if !is_line {
            return Err(RepositoryError::Form);
        }
        let (host, path) = if let Some((scheme, rest)) = text.split_once("://") {
            if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
                return Err(RepositoryError::Form);
            }
            let (authority, path) = rest.split_once('/').ok_or(RepositoryError::Form)?;
            (without_port(without_user(authority))?, path)
        } else if let Some((host, path)) = short_ssh(text) {
            (without_user(host), path)
        } else {
            let (host, path) = text.split_once('/').ok_or(RepositoryError::NoHost)?;
            // Of `owner/name` alone nobody knows the host, and `group/owner/name` has none either.
            if !host.contains('.') && !host.eq_ignore_ascii_case("localhost") {
                return Err(RepositoryError::NoHost);
            }
            (host, path)
        };
        if !is_host(host) {
            return Err(RepositoryError::Form);
        }
        let path = path.trim_start_matches('/').trim_end_matches('/');
        let path = match path
            .len()
            .checked_sub(4)
            .and_then(|at| path.split_at_checked(at))
        {
            Some((before, suffix)) if suffix.eq_ignore_ascii_case(".git") => before,
            _ => path,
        };
        let (owner, name) = path.rsplit_once('/').ok_or(RepositoryError::Form)?;
        let is_path = path
            .split('/')
            .all(|part| !matches!(part, "" | "." | "..") && !part.contains(['@', ':']));
        if !is_path {
            return Err(RepositoryError::Form);
        }
        Ok(Self {
            host: host.to_ascii_lowercase(),
            owner: owner.to_ascii_lowercase(),
            name: name.to_ascii_lowercase(),
        })
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.host, self.owner, self.name)
    }
}

/// `git@host:owner/name`: a colon before any slash.
fn short_ssh(text: &str) -> Option<(&str, &str)> {
    let (host, path) = text.split_once(':')?;
    (!host.contains('/')).then_some((host, path))
}

fn without_user(authority: &str) -> &str {
    authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host)
}

fn without_port(authority: &str) -> Result<&str, RepositoryError> {
    // An IPv6 address is in brackets, and has colons of its own.
    let after = authority.rfind(']').map_or(0, |at| at.saturating_add(1));
    match authority.get(after..).and_then(|rest| rest.rfind(':')) {
        None => Ok(authority),
        Some(at) => {
            let (host, port) = authority
                .split_at_checked(after.saturating_add(at))
                .ok_or(RepositoryError::Form)?;
            let is_port = port.len() <= 6 && port.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            if is_port {
                Ok(host)
            } else {
                Err(RepositoryError::Form)
            }
        }
    }
}

fn is_host(host: &str) -> bool {
    match host
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        Some(address) => {
            !address.is_empty()
                && address
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'))
        }
        None => {
            !host.is_empty()
                && !host.starts_with(['-', '.'])
                && host
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Issue 8, A.3: host, owner and name, case-insensitively, from URL and SSH forms.
    #[test]
    fn one_repository_has_many_addresses() {
        for text in [
            "https://github.com/acme/app",
            "https://github.com/acme/app.git",
            "https://github.com/acme/app/",
            "https://github.com/acme/app.git/",
            "HTTPS://GitHub.com/Acme/App.GIT",
            "http://github.com/acme/app",
            "https://user:secret@github.com/acme/app.git",
            "https://github.com:443/acme/app",
            "ssh://git@github.com/acme/app.git",
            "ssh://git@github.com:22/Acme/app.git",
            "git+ssh://git@github.com/acme/app",
            "git://github.com/acme/app.git",
            "git@github.com:acme/app.git",
            "git@github.com:/acme/app",
            "github.com:Acme/App",
            "github.com/acme/app",
            "GitHub.com/ACME/APP.git",
        ] {
            assert_eq!(
                Repository::parse(text)
                    .map(|one| one.to_string())
                    .as_deref(),
                Ok("github.com/acme/app"),
                "{text}"
            );
        }
        for (text, read) in [
            (
                "https://git.example.org/group/sub/app",
                "git.example.org/group/sub/app",
            ),
            ("git@intranet:team/app.git", "intranet/team/app"),
            ("https://localhost:3000/a/b", "localhost/a/b"),
            ("ssh://git@[::1]:22/a/b.git", "[::1]/a/b"),
            (
                "https://git.example.org/~sam/app.js",
                "git.example.org/~sam/app.js",
            ),
        ] {
            assert_eq!(Repository::parse(text).unwrap().to_string(), read);
        }
    }

    #[test]
    fn case_is_that_of_ascii() {
        let parsed = |name: &str| Repository::parse(&format!("github.com/acme/{name}")).unwrap();
        for (one, other) in [
            ("\u{212a}it", "kit"),
            ("\u{130}t", "i\u{307}t"),
            ("\u{3a3}", "\u{3c3}"),
        ] {
            assert_ne!(parsed(one), parsed(other));
        }
        assert_eq!(parsed("M\u{fc}LL"), parsed("m\u{fc}ll"));
    }

    #[test]
    fn other_repositories_differ() {
        let app = Repository::parse("https://github.com/acme/app").unwrap();
        for text in [
            "https://github.com/acme/app2",
            "https://github.com/acme2/app",
            "https://gitlab.com/acme/app",
            "https://github.com/x/acme/app",
            "https://github.com.evil.example/acme/app",
            "https://evil.example/github.com/acme/app",
            "https://github.com@evil.example/acme/app",
        ] {
            assert_ne!(Repository::parse(text).unwrap(), app, "{text}");
        }
    }

    #[test]
    fn what_names_no_repository_is_refused() {
        let long = format!("github.com/a/{}", "x".repeat(MAX));
        for text in [
            "",
            "app",
            "acme/app",
            "group/acme/app",
            "github.com",
            "github.com/acme",
            "https://github.com",
            "https://github.com/acme",
            "https://github.com/../acme",
            "https://github.com/acme/..",
            "https://github.com//acme/app/../x",
            "https:///acme/app",
            "file:///srv/acme/app",
            "/srv/acme/app",
            "./acme/app",
            "../acme/app",
            "C:\\acme\\app",
            "ftp://github.com/acme/app",
            "git@github.com:app",
            "https://github.com/acme/app?x=1",
            "https://github.com/acme/app#x",
            "github.com/acme/my app",
            "github.com/acme/app\n",
            "*",
            "github.com/acme/*/..",
            "https://github.com:port/acme/app",
            "https://github.com/acme/.git",
            "github.com/acme//app",
            "-oProxy=x/acme/app",
            &long,
        ] {
            assert!(Repository::parse(text).is_err(), "{text:?}");
        }
        let told = RepositoryError::Form.to_string();
        assert!(!told.contains("secret"));
    }
}
