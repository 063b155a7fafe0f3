//! Calls of helpers: the types that they take, the type that they give, and what they cost.

use super::Checker;
use crate::template::diagnostics::Finding;
use crate::template::facts::May;
use crate::template::helpers::date;
use crate::template::schema::types::Type;
use crate::template::span::Span;
use crate::template::tree::{Call, Expr};
use crate::template::types::{Shape, Value};

/// Characters of a text that a helper goes through in one step.
const CHARACTERS_A_STEP: u64 = 64;
/// The longest that `date` writes of a date.
const DATE_CHARACTERS: usize = 32;

impl<'a> Checker<'a> {
    pub(super) fn call(&mut self, call: &'a Call, span: &Span) -> Option<Value<'a>> {
        if matches!(call.name.as_str(), "eq" | "ne" | "and" | "or" | "not") {
            let outcome = self.logic(call, span);
            return Some(Value {
                may: outcome.may(),
                ..Value::of(Shape::Bool)
            });
        }
        self.steps = self.steps.saturating_add(1);
        let values: Vec<Option<Value<'a>>> = call
            .arguments
            .iter()
            .map(|argument| self.value(argument))
            .collect();
        let values: Option<Vec<Value<'a>>> = values.into_iter().collect();
        let values = values?;
        for value in values.iter().filter(|value| value.shape.is_text()) {
            self.steps = self
                .steps
                .saturating_add(value.shape.characters() / CHARACTERS_A_STEP);
        }
        match (
            call.name.as_str(),
            values.as_slice(),
            call.arguments.as_slice(),
        ) {
            ("len", [of], [argument]) => self.len(of, argument),
            ("default", [first, second], _) => self.default(first, second, span),
            ("join", [list, by], [of, between]) => self.join(list, of, by, between),
            ("upper" | "lower", [text], [argument]) => {
                let characters = self.text(text, argument)?;
                Some(Value::of(Shape::Str(characters.saturating_mul(3))))
            }
            ("truncate", [text, most], [argument, length]) => {
                let characters = self.text(text, argument)?;
                let most = self.number(most, length, 1, 100_000)?;
                Some(Value::of(Shape::Str(characters.min(most))))
            }
            ("indent", [text, by], [argument, spaces]) => {
                let characters = self.text(text, argument)?;
                let by = self.number(by, spaces, 0, 16)?;
                Some(Value::of(Shape::Str(
                    characters.saturating_mul(by + 1).saturating_add(by),
                )))
            }
            ("date", [text, format], [argument, name]) => {
                let characters = self.text(text, argument)?;
                if format
                    .literal
                    .is_none_or(|word| date::Format::named(word).is_none())
                {
                    let names = date::Format::ALL
                        .map(|format| format!("\"{}\"", format.name()))
                        .join(", ");
                    self.report(
                        Finding::error(
                            "date-format",
                            name.span.clone(),
                            "`date` takes the name of a format.",
                        )
                        .suggest(format!("write one of {names}")),
                    );
                    return None;
                }
                Some(Value::of(Shape::Str(characters.max(DATE_CHARACTERS))))
            }
            ("json", [value], _) => {
                if let Some(place) = value.place {
                    self.places.read_whole(place);
                }
                let (steps, bytes) = json(value.shape);
                self.steps = self.steps.saturating_add(steps);
                Some(Value::of(Shape::Str(
                    usize::try_from(bytes.max(4)).unwrap_or(usize::MAX),
                )))
            }
            // What has another shape was refused before.
            _ => None,
        }
    }

    fn wrong(&mut self, argument: &Expr, wanted: &str, shape: Shape<'a>) {
        let written = self.written(argument);
        self.report(Finding::error(
            "argument-type",
            argument.span.clone(),
            format!(
                "`{written}` is {}, and {wanted} is wanted here.",
                shape.word()
            ),
        ));
    }

    /// The most characters of a text; null is an empty one.
    fn text(&mut self, value: &Value<'a>, argument: &Expr) -> Option<usize> {
        if value.shape.is_text() {
            return Some(usize::try_from(value.shape.characters()).unwrap_or(usize::MAX));
        }
        self.wrong(argument, "a text", value.shape);
        None
    }

    fn number(
        &mut self,
        value: &Value<'a>,
        argument: &Expr,
        least: i64,
        most: i64,
    ) -> Option<usize> {
        if let Some(number) = value
            .number
            .filter(|number| (least..=most).contains(number))
        {
            return usize::try_from(number).ok();
        }
        self.report(Finding::error(
            "argument-type",
            argument.span.clone(),
            format!("A number from {least} to {most} is wanted here, written as such."),
        ));
        None
    }

    fn len(&mut self, of: &Value<'a>, argument: &Expr) -> Option<Value<'a>> {
        if of.shape.is_text() || matches!(of.shape, Shape::List(..) | Shape::Map(..)) {
            return Some(Value::of(Shape::Int));
        }
        self.wrong(argument, "a list, a map or a text", of.shape);
        None
    }

    fn join(
        &mut self,
        list: &Value<'a>,
        of: &Expr,
        by: &Value<'a>,
        between: &Expr,
    ) -> Option<Value<'a>> {
        let Shape::List(item, max) = list.shape else {
            self.wrong(of, "a list", list.shape);
            return None;
        };
        let item = Shape::of(item);
        if !item.is_leaf() {
            let written = self.written(of);
            self.report(
                Finding::error(
                    "argument-type",
                    of.span.clone(),
                    format!(
                        "The items of `{written}` are not written as they are: each is {}.",
                        item.word()
                    ),
                )
                .suggest(format!("write {{{{#each {written}}}}}")),
            );
            return None;
        }
        let between = self.text(by, between)?;
        self.steps = self.steps.saturating_add(max as u64);
        let each = usize::try_from(item.characters())
            .unwrap_or(usize::MAX)
            .saturating_add(between);
        Some(Value::of(Shape::Str(each.saturating_mul(max))))
    }

    fn default(&mut self, first: &Value<'a>, second: &Value<'a>, span: &Span) -> Option<Value<'a>> {
        let shape = match (first.shape, second.shape) {
            (a, b) if a.is_text() && b.is_text() => Shape::Str(
                usize::try_from(a.characters().max(b.characters())).unwrap_or(usize::MAX),
            ),
            (Shape::Int, Shape::Int) => Shape::Int,
            (Shape::Bool, Shape::Bool) => Shape::Bool,
            (a, b) => {
                self.report(
                    Finding::error("argument-type", span.clone(), format!("`default` takes two values of one type, and these are {} and {}.", a.word(), b.word()))
                        .suggest("give a text for a text, a number for a number: {{default task.due \"none\"}}"),
                );
                return None;
            }
        };
        let own = May {
            null: false,
            words: u64::MAX,
            ..first.may
        };
        let other = May {
            words: u64::MAX,
            ..second.may
        };
        let may = if first.may.null { own.or(other) } else { own };
        Some(Value {
            may,
            ..Value::of(shape)
        })
    }
}

/// Steps and bytes of a value as JSON. The depth of a type is that of its schema, which is bounded.
fn json(shape: Shape<'_>) -> (u64, u64) {
    /// Of a character: `\u0000`.
    const ESCAPED: u64 = 6;
    let nested = |ty: &Type| json(Shape::of(ty));
    let several = |(steps, bytes): (u64, u64), count: usize, key: u64| {
        let count = count as u64;
        (
            steps.saturating_mul(count).saturating_add(1),
            bytes
                .saturating_add(key)
                .saturating_add(1)
                .saturating_mul(count)
                .saturating_add(2),
        )
    };
    match shape {
        Shape::Str(_) | Shape::Enum(_) => (
            1,
            shape
                .characters()
                .saturating_mul(ESCAPED)
                .saturating_add(2)
                .max(4),
        ),
        Shape::Int | Shape::Bool | Shape::Null => (1, shape.characters().max(4)),
        Shape::List(of, max) => several(nested(of), max, 0),
        Shape::Map(of, max, key) => several(
            nested(of),
            max,
            (key as u64).saturating_mul(ESCAPED).saturating_add(3),
        ),
        Shape::Object(object) => object.fields.iter().fold((1, 2), |(steps, bytes), field| {
            let (more_steps, more_bytes) = nested(&field.ty);
            (
                steps.saturating_add(more_steps),
                bytes
                    .saturating_add(more_bytes.max(4))
                    .saturating_add(field.name.len() as u64 + 4),
            )
        }),
    }
}
