//! One line of the doctor.

use serde_json::{Value, json};

/// How well something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// In order.
    Ok,
    /// Works, and needs a look.
    Warn,
    /// Does not work, or is not safe.
    Fail,
}

impl Level {
    /// As it is printed.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// What was found, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) level: Level,
    pub(super) check: &'static str,
    found: String,
    /// What to do; empty when nothing needs doing.
    todo: String,
}

impl Finding {
    /// In order.
    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self {
            level: Level::Ok,
            check,
            found: found.into(),
            todo: String::new(),
        }
    }

    /// Needs a look.
    pub(super) fn warn(
        check: &'static str,
        found: impl Into<String>,
        todo: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Warn,
            check,
            found: found.into(),
            todo: todo.into(),
        }
    }

    /// Does not work.
    pub(super) fn fail(
        check: &'static str,
        found: impl Into<String>,
        todo: impl Into<String>,
    ) -> Self {
        Self {
            level: Level::Fail,
            check,
            found: found.into(),
            todo: todo.into(),
        }
    }

    /// Both in one.
    pub(super) fn sentence(&self) -> String {
        if self.todo.is_empty() {
            self.found.clone()
        } else {
            format!("{}: {}", self.found, self.todo)
        }
    }

    /// As JSON.
    pub(super) fn json(&self) -> Value {
        json!({
            "level": self.level.as_str(), "check": self.check, "found": self.found, "todo": self.todo,
        })
    }
}
