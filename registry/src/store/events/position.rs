//! How far a stream of events has come.

use std::fmt;
use std::str::FromStr;

/// Where a stream is: an event's id, written `<tenant>.<global>`, or `<tenant>.<global>.<proposals>`.
///
/// The log of global has records of what other tenants do, of which nobody else shall know, not even how many there are. So
/// its positions do not show: what is counted is what everybody is told, and after that, what the caller alone is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventPosition {
    /// The record of the tenant's log; 0 is before the first, and for a caller without a tenant.
    pub tenant: i64,
    /// How many changes of global skills there were.
    pub global: i64,
    /// How many events about global proposals the caller was told since the last of those.
    pub proposals: i64,
}

/// Where a stream goes on reading. Made by reading only, and not for clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventCursor {
    /// What the client is told of it.
    pub(in crate::store) id: EventPosition,
    /// The record of the log of global.
    pub(in crate::store) global: i64,
    /// How many events about global proposals the client has had already.
    pub(in crate::store) skip: i64,
}

impl EventCursor {
    /// What the client is told of it.
    #[must_use]
    pub fn id(&self) -> EventPosition {
        self.id
    }
}

/// A text that is no position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event's id is two or three numbers with dots between them, such as `12.3`")]
pub struct PositionError;

impl fmt::Display for EventPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.tenant, self.global)?;
        match self.proposals {
            0 => Ok(()),
            proposals => write!(f, ".{proposals}"),
        }
    }
}

impl FromStr for EventPosition {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Self, PositionError> {
        let mut numbers = text.split('.').map(number);
        let mut next = || numbers.next();
        let (Some(tenant), Some(global), proposals, None) = (next(), next(), next(), next()) else {
            return Err(PositionError);
        };
        let proposals = match proposals {
            None => 0,
            // One position has one spelling.
            Some(Ok(0)) => return Err(PositionError),
            Some(number) => number?,
        };
        Ok(Self {
            tenant: tenant?,
            global: global?,
            proposals,
        })
    }
}

/// Digits only, as they were written: no sign, and no zero before others.
fn number(text: &str) -> Result<i64, PositionError> {
    let is_plain =
        text == "0" || (!text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()));
    if !is_plain {
        return Err(PositionError);
    }
    text.parse().map_err(|_| PositionError)
}

#[cfg(test)]
mod tests {
    use super::EventPosition;

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for text in ["0.0", "12.3", "12.3.1", "9223372036854775807.0"] {
            assert_eq!(text.parse::<EventPosition>().unwrap().to_string(), text);
        }
        for text in [
            "",
            ".",
            "1",
            "1.",
            ".1",
            "1.2.0",
            "1.2.3.4",
            "-1.2",
            "+1.2",
            "01.2",
            " 1.2",
            "1.a",
            "9223372036854775808.0",
        ] {
            assert!(text.parse::<EventPosition>().is_err(), "{text:?}");
        }
    }
}
