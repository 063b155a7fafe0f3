//! As whom a request is sent.

/// As what a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum As<'a> {
    /// Nobody: without a token.
    Nobody,
    /// Whoever is logged in.
    Oneself,
    /// Elevated for this scope, where there is an elevation in the profile.
    Elevated(&'a str),
    /// Elevated for this tenant, or else for `global`.
    Administrator(&'a str),
}

impl As<'_> {
    /// The scopes whose elevation would do, the first one first.
    pub(super) fn scopes(self) -> Vec<String> {
        match self {
            As::Nobody | As::Oneself => Vec::new(),
            As::Elevated(scope) => vec![scope.to_owned()],
            As::Administrator(tenant) => vec![format!("tenant:{tenant}"), "global".to_owned()],
        }
    }

    /// The scope to step up for.
    pub(super) fn scope(self) -> Option<String> {
        self.scopes().into_iter().next()
    }
}
