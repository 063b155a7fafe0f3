//! Helpers that decide.

use serde_json::Value as Json;

use super::truthy;

fn same(values: &[&Json]) -> bool {
    matches!(values, [one, other] if one == other)
}

pub(super) fn eq(values: &[&Json]) -> Json {
    Json::Bool(same(values))
}

pub(super) fn ne(values: &[&Json]) -> Json {
    Json::Bool(!same(values))
}

pub(super) fn and(values: &[&Json]) -> Json {
    Json::Bool(values.iter().all(|value| truthy(value)))
}

pub(super) fn or(values: &[&Json]) -> Json {
    Json::Bool(values.iter().any(|value| truthy(value)))
}

pub(super) fn not(values: &[&Json]) -> Json {
    Json::Bool(!values.iter().any(|value| truthy(value)))
}

pub(super) fn default(values: &[&Json]) -> Json {
    values
        .iter()
        .find(|value| !value.is_null())
        .map_or(Json::Null, |value| (*value).clone())
}
