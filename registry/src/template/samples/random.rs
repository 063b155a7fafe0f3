//! Random contexts of a situation, for tests: valid under the schema, and as odd as that allows.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::known_of;
use crate::template::builder::{Context, build_whole};
use crate::template::schema::{Field, FieldPath, Known, Object, Schema, Situation, Type};

/// The most characters of one context, so that it stays one that a host would send.
const MAX_CHARACTERS: usize = 64 << 10;

/// Texts that templates, engines and readers might stumble over.
const ODD: [&str; 24] = [
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    "{{title}}",
    "{{{{raw}}}}",
    "{{#if x}}",
    "}}",
    "\\{{",
    "<b>&amp;</b>",
    "</skill>",
    "\"quoted\" 'and' `this`",
    "\\",
    "null",
    "false",
    "0",
    "[object]",
    "__proto__",
    "é",
    "漢字",
    "👩‍🚀",
    "\u{202e}txt",
    "\u{0}",
];

/// A random context of a situation; the same seed gives the same one. None only if the schema contradicts itself.
#[must_use]
pub fn random_context(schema: &Schema, situation: &Situation, seed: u64) -> Option<Context> {
    let mut dice = Dice(seed);
    // Some contexts are nearly empty, others nearly full.
    let presence = dice.below(5);
    let mut maker = Maker {
        situation,
        dice,
        presence,
        left: MAX_CHARACTERS,
        path: FieldPath::new(),
    };
    let value = maker.object(schema.root());
    build_whole(schema, &value).ok()
}

struct Maker<'a> {
    situation: &'a Situation,
    dice: Dice,
    /// In four, how many of the things are set that may be null.
    presence: usize,
    left: usize,
    path: FieldPath,
}

impl Maker<'_> {
    fn object(&mut self, object: &Object) -> Value {
        let mut fields = Map::new();
        for field in &object.fields {
            self.path.push(Arc::clone(&field.name));
            fields.insert(String::from(&*field.name), self.field(field));
            self.path.pop();
        }
        Value::Object(fields)
    }

    fn field(&mut self, field: &Field) -> Value {
        let set = match known_of(self.situation, &self.path) {
            Some(Known::Eq(word)) => return Value::from(&**word),
            Some(Known::Null) => false,
            Some(Known::NonNull) => true,
            None => !field.nullable || self.dice.below(4) < self.presence,
        };
        if set {
            self.value(&field.ty)
        } else {
            Value::Null
        }
    }

    fn value(&mut self, ty: &Type) -> Value {
        match ty {
            Type::Str { max } => Value::from(self.text(*max)),
            Type::Enum { values } => {
                let index = self.dice.below(values.len());
                Value::from(values.get(index).map_or("", |word| word))
            }
            Type::Int { min, max } => Value::from(self.number(*min, *max)),
            Type::Bool => Value::from(self.dice.below(2) == 0),
            Type::Object(object) => self.object(object),
            Type::List { of, max } => {
                let length = self.length(*max);
                (0..length).map(|_| self.value(of)).collect()
            }
            Type::Map { of, max, key_max } => {
                let length = self.length(*max);
                (0..length)
                    .map(|_| {
                        // A letter first: keys are never digits alone.
                        let key: String = "k"
                            .chars()
                            .chain(self.text(8).chars())
                            .take(*key_max)
                            .collect();
                        (key, self.value(of))
                    })
                    .collect()
            }
        }
    }

    /// Mostly none to a few, sometimes as many as there may be.
    fn length(&mut self, max: usize) -> usize {
        let length = match self.dice.below(16) {
            0 => max,
            1 => self.dice.below(max.min(32) + 1),
            _ => self.dice.below(4),
        };
        if self.left == 0 {
            length.min(1)
        } else {
            length.min(max)
        }
    }

    fn text(&mut self, max: usize) -> String {
        let wanted = match self.dice.below(32) {
            0 => max,
            1..4 => 0,
            _ => 1 + self.dice.below(24),
        };
        let wanted = wanted.min(max).min(self.left);
        let mut text = String::new();
        let mut length = 0;
        while length < wanted {
            let piece = self.dice.below(ODD.len() * 2);
            let odd = ODD.get(piece).copied().unwrap_or("word ");
            let room: String = odd.chars().take(wanted - length).collect();
            length += room.chars().count();
            text.push_str(&room);
        }
        self.left -= length;
        text
    }

    fn number(&mut self, min: i64, max: i64) -> i64 {
        match self.dice.below(4) {
            0 => min,
            1 => max,
            _ => {
                let span = max.abs_diff(min).saturating_add(1);
                min.saturating_add_unsigned(self.dice.next() % span)
                    .min(max)
            }
        }
    }
}

/// SplitMix64: small, and the same on every machine. Nothing secret is made of it.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; zero when there is none.
    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }
}
