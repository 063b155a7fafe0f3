//! Versions: how far a chain of the audit log had grown when a write was acknowledged.
//!
//! Every write tells its version. Whoever sends one along with a later request, to any replica, is answered from a state that has
//! that write, also where the operator lets catalogs be a little old (`--max-staleness`).

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;

use super::rows::tenant_key;
use crate::identity::Caller;

tokio::task_local! {
    static WRITTEN: Cell<Option<Version>>;
}

/// A version: of the chain of the caller's tenant, or of global. As a text `t` or `g` and the number of its last record, such as
/// `t42`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    is_global: bool,
    number: i64,
}

impl Version {
    /// The version that a caller is told. Of global, members of tenants are told none: it would count what others do there.
    pub(super) fn told_to(caller: &Caller, chain: &str, number: i64) -> Option<Self> {
        let is_global = chain == tenant_key(None);
        // The chain of its own tenant, or of global for who has none: only that can be sent back.
        (chain == tenant_key(caller.tenant())).then_some(Self { is_global, number })
    }

    /// Whether this caller can have been told it. What others are told says nothing to it, whatever the number is.
    pub(super) fn is_of(self, caller: &Caller) -> bool {
        self.is_global == caller.tenant().is_none()
    }

    /// Whether a state with these ends of the two chains has it.
    pub(super) fn is_in(self, tenant_head: i64, global_head: i64) -> bool {
        let head = if self.is_global {
            global_head
        } else {
            tenant_head
        };
        head >= self.number
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chain = if self.is_global { 'g' } else { 't' };
        write!(f, "{chain}{}", self.number)
    }
}

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = [("t", false), ("g", true)]
            .into_iter()
            .find_map(|(chain, is_global)| {
                let number = text.strip_prefix(chain)?;
                let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
                let number = number.parse().ok().filter(|_| is_number)?;
                Some(Self { is_global, number })
            });
        parsed.ok_or_else(|| "send a version as a write answered it, such as `t42`".to_owned())
    }
}

/// Does some work, and gives the version of what it wrote last.
pub async fn noting<F: Future>(work: F) -> (F::Output, Option<Version>) {
    let noted = async {
        let done = work.await;
        (done, WRITTEN.with(Cell::get))
    };
    WRITTEN.scope(Cell::new(None), noted).await
}

/// Notes what was written, for whoever does it inside [`noting`].
pub(super) fn note(version: Version) {
    let _ = WRITTEN.try_with(|written| written.set(Some(version)));
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn a_version_is_a_chain_and_a_number() {
        for text in ["t0", "t42", "g7"] {
            assert_eq!(text.parse::<Version>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "t",
            "42",
            "t-1",
            "t+1",
            "x1",
            "t1 ",
            "t99999999999999999999",
        ] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
        let version: Version = "t5".parse().unwrap();
        assert!(version.is_in(5, 0) && !version.is_in(4, 9));
    }
}
