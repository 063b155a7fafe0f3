//! When there are colours, and which.

use clap::ValueEnum;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(in crate::cli) enum ColorChoice {
    /// On a terminal that has them, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl ColorChoice {
    /// Whether what is written to a terminal, or to something else, gets colours.
    pub(in crate::cli) fn applies_to(self, is_terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                is_terminal && !anstyle_query::no_color() && anstyle_query::term_supports_color()
            }
        }
    }
}

/// The styles that commands use, so that they use the same ones.
pub(in crate::cli) mod style {
    use anstyle::{AnsiColor, Style};

    /// The heads of tables, and titles.
    pub(in crate::cli) const HEAD: Style = Style::new().bold();
    /// What is in order, or was added.
    pub(in crate::cli) const GOOD: Style = AnsiColor::Green.on_default();
    /// What needs a look.
    pub(in crate::cli) const WARN: Style = AnsiColor::Yellow.on_default();
    /// What is wrong, or was removed.
    pub(in crate::cli) const BAD: Style = AnsiColor::Red.on_default();
    /// Where something is.
    pub(in crate::cli) const PLACE: Style = AnsiColor::Cyan.on_default();
    /// What matters less.
    pub(in crate::cli) const FAINT: Style = Style::new().dimmed();
}
