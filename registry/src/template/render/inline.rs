//! Helpers as the crate calls them.

use handlebars::{
    Context, Handlebars, Helper, HelperDef, PathAndJson, RenderContext, RenderError,
    RenderErrorReason, ScopedJson,
};
use serde_json::Value as Json;

use super::meter::Meter;
use crate::template::helpers::Function;

/// A helper of one render.
pub(super) struct Inline<'m> {
    pub(super) function: Function,
    pub(super) meter: &'m Meter,
}

/// Strict mode for arguments: the crate itself takes what is missing for null.
pub(super) fn there(value: &PathAndJson<'_>) -> Result<(), RenderError> {
    if value.is_value_missing() {
        return Err(RenderErrorReason::MissingVariable(value.relative_path().cloned()).into());
    }
    Ok(())
}

impl HelperDef for Inline<'_> {
    fn call_inner<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        _: &'reg Handlebars<'reg>,
        _: &'rc Context,
        _: &mut RenderContext<'reg, 'rc>,
    ) -> Result<ScopedJson<'rc>, RenderError> {
        self.meter.tick()?;
        let mut values: Vec<&Json> = Vec::with_capacity(helper.params().len());
        for value in helper.params() {
            there(value)?;
            values.push(value.value());
        }
        Ok(ScopedJson::Derived((self.function)(&values)))
    }
}
