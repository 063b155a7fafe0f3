//! Paths: what they name, and whether what is on the way may be null.

use super::{Checker, Loop, Named, suggest};
use crate::template::diagnostics::Finding;
use crate::template::places::{PlaceId, Places};
use crate::template::planted::Fault;
use crate::template::span::Span;
use crate::template::tree::{Base, Path, Step};
use crate::template::types::{Shape, Value};

impl<'a> Checker<'a> {
    /// The value that a path names; `None` when it was refused.
    pub(super) fn path(&mut self, path: &Path, span: &Span) -> Option<Value<'a>> {
        match path.base {
            Base::Plain => {
                if let Some(first) = path.steps.first()
                    && let Some(named) = self.named(&first.name)
                {
                    return self.parameter(named, path, span);
                }
                self.scope_path(0, path)
            }
            Base::This => {
                self.shadowed(path)?;
                self.scope_path(0, path)
            }
            Base::Up(levels) => {
                self.shadowed(path)?;
                let crossed = self.scopes.len().saturating_sub(1);
                if levels > crossed {
                    let message = match crossed {
                        0 => {
                            "`../` goes past the context: there is no block around this.".to_owned()
                        }
                        _ => format!(
                            "`../` goes past the context: there are {crossed} scopes around this."
                        ),
                    };
                    self.report(Finding::error("past-root", span.clone(), message).suggest(
                        "{{#if}} and {{#unless}} are no scopes: leave ../ out, or write @root.",
                    ));
                    return None;
                }
                if self
                    .scopes
                    .iter()
                    .rev()
                    .take(levels)
                    .any(|scope| scope.ambiguous)
                {
                    self.report(
                        Finding::error("ambiguous-up", span.clone(), "`../` goes past a scope that may be the same value as the one around it, which handlebars.js does not count.")
                            .suggest("name the outer value: {{#each items as |item|}}, or write @root."),
                    );
                    return None;
                }
                let levels = if self.planted(Fault::UpOneTooFew) {
                    levels - 1
                } else {
                    levels
                };
                self.scope_path(levels, path)
            }
            Base::Root => self.walk(Places::ROOT, &path.steps, None),
            Base::Index | Base::First | Base::Last | Base::Key => self.local(path, span),
        }
    }

    fn named(&self, name: &str) -> Option<Named> {
        self.scopes
            .iter()
            .rev()
            .flat_map(|scope| &scope.names)
            .find(|(known, _)| *known == name)
            .map(|(_, named)| *named)
    }

    /// Refuses a block parameter that is read as if it were a field: the crate would read the parameter.
    fn shadowed(&mut self, path: &Path) -> Option<()> {
        let Some(first) = path.steps.first() else {
            return Some(());
        };
        if self.named(&first.name).is_none() || self.planted(Fault::ParamShadowIgnored) {
            return Some(());
        }
        self.report(
            Finding::error(
                "block-parameter-path",
                first.span.clone(),
                format!(
                    "`{0}` is a block parameter here, and is not read through this., ./ or ../.",
                    first.name
                ),
            )
            .suggest(format!(
                "write {0} alone, or give the parameter another name",
                first.name
            )),
        );
        None
    }

    fn parameter(&mut self, named: Named, path: &Path, span: &Span) -> Option<Value<'a>> {
        let rest = path.steps.get(1..).unwrap_or_default();
        let shape = match named {
            Named::Place(place) => return self.walk(place?, rest, None),
            Named::Index => Shape::Int,
            Named::Key(max) => Shape::Str(max),
        };
        self.leaf(shape, rest, span)
    }

    fn leaf(&mut self, shape: Shape<'a>, rest: &[Step], span: &Span) -> Option<Value<'a>> {
        if let Some(step) = rest.first() {
            self.report(Finding::error(
                "no-fields",
                step.span.clone(),
                format!(
                    "`{}` has no fields: it is {}.",
                    self.under(span),
                    shape.word()
                ),
            ));
            return None;
        }
        Some(Value::of(shape))
    }

    fn under(&self, span: &Span) -> &'a str {
        crate::template::span::text(self.source, span)
    }

    fn local(&mut self, path: &Path, span: &Span) -> Option<Value<'a>> {
        let each = self.scopes.last().map_or(Loop::None, |scope| scope.each);
        let written = path.base;
        let shape = match (written, each) {
            // A scope that was refused is taken for a loop of any kind.
            (Base::Key, Loop::Map(max)) => Shape::Str(max),
            (Base::Key, Loop::List) if self.planted(Fault::KeyInLists) => Shape::Int,
            (Base::Key, _) => {
                self.report(
                    Finding::error(
                        "no-key",
                        span.clone(),
                        "@key is there in an {{#each}} over a map only.",
                    )
                    .suggest("write @index in a list"),
                );
                return None;
            }
            (_, Loop::None) => {
                self.report(Finding::error(
                    "no-loop",
                    span.clone(),
                    format!("`{}` is there in an {{{{#each}}}} only.", self.under(span)),
                ));
                return None;
            }
            (Base::Index, _) => Shape::Int,
            _ => Shape::Bool,
        };
        self.leaf(shape, &path.steps, span)
    }

    fn scope_path(&mut self, levels: usize, path: &Path) -> Option<Value<'a>> {
        let at = self.scopes.len().checked_sub(levels + 1)?;
        let place = self.scopes.get(at)?.place?;
        self.walk(place, &path.steps, Some(at))
    }

    /// From a place along the steps; `scope` is the number of the scope that the path begins in, for what to suggest.
    fn walk(&mut self, from: PlaceId, steps: &[Step], scope: Option<usize>) -> Option<Value<'a>> {
        let mut place = from;
        for (number, step) in steps.iter().enumerate() {
            let unchecked = self.condition && self.planted(Fault::ConditionsUnchecked);
            if self.places.may(place).null && !unchecked {
                self.report_null(place, step);
                return None;
            }
            let shape = self.places.shape(place);
            let Shape::Object(object) = shape else {
                self.report(suggest::no_fields(step, &self.places.path(place), shape));
                return None;
            };
            let Some(field) = object.field(&step.name) else {
                let outer = if number == 0 {
                    scope.and_then(|scope| self.outer(scope, &step.name))
                } else {
                    None
                };
                let names: Vec<&str> = self
                    .scopes
                    .iter()
                    .flat_map(|scope| scope.names.iter().map(|(name, _)| *name))
                    .filter(|_| number == 0)
                    .collect();
                self.report(suggest::field(
                    step,
                    object,
                    &self.places.path(place),
                    outer,
                    &names,
                ));
                return None;
            };
            place = self.places.field(place, field);
        }
        self.places.read(place);
        Some(Value {
            shape: self.places.shape(place),
            may: self.places.may(place),
            place: Some(place),
            literal: None,
            number: None,
        })
    }

    fn report_null(&mut self, place: PlaceId, step: &Step) {
        let path = self.places.path(place);
        let never = !self.places.may(place).non_null();
        let finding = if never {
            Finding::error(
                "null-path",
                step.span.clone(),
                format!("`{path}` is null here, so it has no `{}`.", step.name),
            )
        } else {
            Finding::error(
                "nullable-path",
                step.span.clone(),
                format!(
                    "`{path}` may be null here, and then it has no `{}`.",
                    step.name
                ),
            )
        };
        let guard = if path.contains('*') {
            "{{#if …}} or {{#with …}}".to_owned()
        } else {
            format!("{{{{#if {path}}}}} or {{{{#with {path}}}}}")
        };
        self.report(finding.suggest(format!(
            "guard it: put it within {guard}; `and` guards nothing within itself"
        )));
    }

    /// How a field of an outer scope is written from within.
    fn outer(&self, scope: usize, name: &str) -> Option<String> {
        let has = |place: PlaceId| matches!(self.places.shape(place), Shape::Object(object) if object.field(name).is_some());
        let inner = self.scopes.len() - 1 - scope;
        for (levels, outer) in self
            .scopes
            .get(1..scope)
            .unwrap_or_default()
            .iter()
            .rev()
            .enumerate()
        {
            if outer.place.is_some_and(has) {
                return Some(format!("{}{name}", "../".repeat(inner + levels + 1)));
            }
        }
        (scope > 0 && has(Places::ROOT)).then(|| format!("@root.{name}"))
    }
}
