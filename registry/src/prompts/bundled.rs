//! The defaults that come with Vestry.

use vestry_policies::prompt::TemplateKey;

/// The default of a key; none for keys that have none.
#[must_use]
pub fn bundled(key: &TemplateKey) -> Option<&'static str> {
    match key.as_str() {
        "plan" => Some(include_str!("bundled/plan.md")),
        "design" => Some(include_str!("bundled/design.md")),
        "code" => Some(include_str!("bundled/code.md")),
        "review" => Some(include_str!("bundled/review.md")),
        "fix" => Some(include_str!("bundled/fix.md")),
        _ => None,
    }
}
