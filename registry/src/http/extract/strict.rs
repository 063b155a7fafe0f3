//! What serde lets pass although it is another type than was asked for: an array in place of an object, an object in
//! place of a word, a member twice in an open map.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{
    Deserialize, Deserializer, Error, IntoDeserializer as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

/// An object, and not an array of its members' values in the order of a Rust declaration.
pub(in crate::http) fn object<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct OnlyObject<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for OnlyObject<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(OnlyObject(PhantomData))
}

/// One of the words of an enum, and not an object with the word as its only key.
pub(in crate::http) fn word<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct OnlyWord<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for OnlyWord<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a word")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
            T::deserialize(text.into_deserializer())
        }
    }

    deserializer.deserialize_str(OnlyWord(PhantomData))
}

/// An open map without a key twice, at any depth: two readers could pick different ones.
pub(in crate::http) fn unique_map<'de, D>(deserializer: D) -> Result<Map<String, Value>, D::Error>
where
    D: Deserializer<'de>,
{
    struct OnlyMap;

    impl<'de> Visitor<'de> for OnlyMap {
        type Value = Map<String, Value>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            members(map)
        }
    }

    deserializer.deserialize_map(OnlyMap)
}

/// The same for a field that may be left out, and not be null.
pub(in crate::http) fn maybe_unique_map<'de, D>(
    deserializer: D,
) -> Result<Option<Map<String, Value>>, D::Error>
where
    D: Deserializer<'de>,
{
    unique_map(deserializer).map(Some)
}

/// A field that may be left out, and not be null.
pub(crate) fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// The schema of [`present`] fields: one that may be left out is not one that may be null.
pub(crate) fn without_null_defaults(schema: &mut schemars::Schema) {
    let properties = schema
        .as_object_mut()
        .and_then(|object| object.get_mut("properties"))
        .and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut) {
        if let Some(object) = property.as_object_mut()
            && object.get("default") == Some(&Value::Null)
        {
            object.remove("default");
        }
    }
}

fn members<'de, A: MapAccess<'de>>(mut access: A) -> Result<Map<String, Value>, A::Error> {
    let mut map = Map::new();
    while let Some(key) = access.next_key::<String>()? {
        if map.contains_key(&key) {
            return Err(A::Error::custom("a key of an object is there twice"));
        }
        let Unique(value) = access.next_value()?;
        map.insert(key, value);
    }
    Ok(map)
}

/// Any JSON without a key twice.
struct Unique(Value);

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Unique(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(items.into())
    }
    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        members(access).map(Value::Object)
    }
}
