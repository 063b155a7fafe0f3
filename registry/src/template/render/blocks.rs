//! Our own blocks: total, counted, and as handlebars.js has them. Null is empty to all of them.

use handlebars::{
    BlockContext, BlockParams, Context, Handlebars, Helper, HelperDef, HelperResult, Output,
    PathAndJson, RenderContext, RenderError, RenderErrorReason, Renderable,
};
use serde_json::Value as Json;

use super::inline::there;
use super::meter::Meter;
use crate::template::helpers::truthy;

/// `{{#if}}` and `{{#unless}}`.
pub(super) struct Choice<'m> {
    pub(super) wanted: bool,
    pub(super) meter: &'m Meter,
}

/// `{{#with}}`.
pub(super) struct With<'m> {
    pub(super) meter: &'m Meter,
}

/// `{{#each}}`.
pub(super) struct Each<'m> {
    pub(super) meter: &'m Meter,
}

fn argument<'h, 'rc>(helper: &'h Helper<'rc>) -> Result<&'h PathAndJson<'rc>, RenderError> {
    let value = helper
        .param(0)
        .ok_or(RenderErrorReason::ParamNotFoundForIndex("a block", 0))?;
    there(value)?;
    Ok(value)
}

impl HelperDef for Choice<'_> {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        scope: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        self.meter.tick()?;
        let holds = truthy(argument(helper)?.value()) == self.wanted;
        let part = if holds {
            helper.template()
        } else {
            helper.inverse()
        };
        part.map_or(Ok(()), |part| part.render(registry, context, scope, out))
    }
}

impl HelperDef for With<'_> {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        scope: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        self.meter.tick()?;
        let value = argument(helper)?;
        // handlebars.js takes 0 for something here, though not in a condition.
        if !truthy(value.value()) && !value.value().is_number() {
            return helper
                .inverse()
                .map_or(Ok(()), |part| part.render(registry, context, scope, out));
        }
        let Some(part) = helper.template() else {
            return Ok(());
        };
        let mut block = BlockContext::new();
        match value.context_path() {
            Some(path) => block.base_path_mut().clone_from(path),
            None => block.set_base_value(value.value().clone()),
        }
        if let Some(around) = scope.block() {
            block
                .local_variables_mut()
                .clone_from(around.local_variables());
        }
        if let Some(name) = helper.block_param() {
            let mut params = BlockParams::new();
            match value.context_path() {
                Some(_) => params.add_path(name, Vec::new())?,
                None => params.add_value(name, value.value().clone())?,
            }
            block.set_block_params(params);
        }
        scope.push_block(block);
        let result = part.render(registry, context, scope, out);
        scope.pop_block();
        result
    }
}

/// Which turn of a loop it is.
struct Turn<'v> {
    number: usize,
    last: bool,
    /// The key of a map's entry.
    key: Option<&'v str>,
    item: &'v Json,
}

impl Turn<'_> {
    fn block<'rc>(
        &self,
        helper: &Helper<'rc>,
        path: Option<&Vec<String>>,
    ) -> Result<BlockContext<'rc>, RenderError> {
        let mut block = BlockContext::new();
        let index = Json::from(self.number);
        let key = self.key.map(Json::from);
        block.set_local_var("first", (self.number == 0).into());
        block.set_local_var("last", self.last.into());
        block.set_local_var("index", index.clone());
        if let Some(key) = &key {
            block.set_local_var("key", key.clone());
        }
        match path {
            Some(path) => {
                let mut path = path.clone();
                path.push(
                    self.key
                        .map_or_else(|| self.number.to_string(), str::to_owned),
                );
                *block.base_path_mut() = path;
            }
            None => block.set_base_value(self.item.clone()),
        }
        let pair = helper.block_param_pair();
        if let Some(name) = helper.block_param().or(pair.map(|(name, _)| name)) {
            let mut params = BlockParams::new();
            match path {
                Some(_) => params.add_path(name, Vec::new())?,
                None => params.add_value(name, self.item.clone())?,
            }
            if let Some((_, second)) = pair {
                params.add_value(second, key.unwrap_or(index))?;
            }
            block.set_block_params(params);
        }
        Ok(block)
    }
}

impl HelperDef for Each<'_> {
    fn call<'reg: 'rc, 'rc>(
        &self,
        helper: &Helper<'rc>,
        registry: &'reg Handlebars<'reg>,
        context: &'rc Context,
        scope: &mut RenderContext<'reg, 'rc>,
        out: &mut dyn Output,
    ) -> HelperResult {
        self.meter.tick()?;
        let value = argument(helper)?;
        let items: Vec<(Option<&str>, &Json)> = match value.value() {
            Json::Array(items) => items.iter().map(|item| (None, item)).collect(),
            Json::Object(entries) => {
                // By key, whatever order the map of the JSON crate keeps.
                let mut entries: Vec<_> = entries
                    .iter()
                    .map(|(key, item)| (Some(key.as_str()), item))
                    .collect();
                entries.sort_by_key(|(key, _)| *key);
                entries
            }
            _ => Vec::new(),
        };
        if items.is_empty() {
            return helper
                .inverse()
                .map_or(Ok(()), |part| part.render(registry, context, scope, out));
        }
        let Some(part) = helper.template() else {
            return Ok(());
        };
        let path = value.context_path();
        let count = items.len();
        for (number, (key, item)) in items.into_iter().enumerate() {
            self.meter.tick()?;
            scope.push_block(
                Turn {
                    number,
                    last: number + 1 == count,
                    key,
                    item,
                }
                .block(helper, path)?,
            );
            let result = part.render(registry, context, scope, out);
            scope.pop_block();
            result?;
        }
        Ok(())
    }
}
