//! The OpenAPI document as a judge: which codes a route may answer, and whether a body has the shape that it promises.

use hyper::Method;
use serde_json::{Map, Value};
use vestry::http::routes;

use crate::harness::Response;

/// The document that the server serves.
pub(crate) struct Api {
    document: Value,
}

impl Api {
    pub(crate) fn new() -> Self {
        Self {
            document: routes::table().openapi("0.0.0"),
        }
    }

    pub(crate) fn document(&self) -> &Value {
        &self.document
    }

    /// The operation of a row of the table.
    #[track_caller]
    pub(crate) fn operation(&self, method: &Method, template: &str) -> &Value {
        let method = method.as_str().to_ascii_lowercase();
        let operation = &self.document["paths"][template][&method];
        assert!(operation.is_object(), "no operation {method} {template}");
        operation
    }

    /// The schema of the JSON body of an operation, if it takes one, with references followed.
    pub(crate) fn body_schema(&self, method: &Method, template: &str) -> Option<&Value> {
        let body = &self.operation(method, template)["requestBody"]["content"]["application/json"];
        body.get("schema").map(|schema| self.follow(schema))
    }

    /// Whether an operation needs a body.
    pub(crate) fn needs_body(&self, method: &Method, template: &str) -> bool {
        self.operation(method, template)["requestBody"]["required"] == true
    }

    /// Holds an answer to the document: its status is there, its problem's code is listed under it, and its body has
    /// exactly the shape that is promised.
    pub(crate) fn judge(
        &self,
        method: &Method,
        template: &str,
        response: &Response,
    ) -> Result<(), String> {
        let status = response.status.as_u16().to_string();
        let promised = &self.operation(method, template)["responses"][&status];
        if promised.is_null() {
            return Err(format!("status {status} is not documented"));
        }
        let Some(content) = promised.get("content").and_then(Value::as_object) else {
            return if response.bytes.is_empty() {
                Ok(())
            } else {
                Err(format!("status {status} promises no body"))
            };
        };
        let media = response
            .headers
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let essence = media.split(';').next().unwrap_or_default();
        let Some(described) = content.get(media).or_else(|| content.get(essence)) else {
            return Err(format!("media type `{media}` is not documented"));
        };
        if media == "application/problem+json" {
            let codes = promised["x-codes"].as_array().unwrap();
            if !codes.contains(&response.body["code"]) {
                return Err(format!("code {} is not documented", response.body["code"]));
            }
        }
        if media.ends_with("json") {
            self.validate(&described["schema"], &response.body, "$")
        } else {
            Ok(())
        }
    }

    /// Validates a value against a schema of the kinds that the document has, closed: a member that the schema does
    /// not name is refused even where JSON Schema would let it pass.
    pub(crate) fn validate(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        let schema = self.follow(schema);
        let Some(schema) = schema.as_object() else {
            return match schema {
                Value::Bool(true) => Ok(()),
                other => Err(format!("{at}: the schema is {other}")),
            };
        };
        for (keyword, rule) in schema {
            match keyword.as_str() {
                "description"
                | "title"
                | "default"
                | "properties"
                | "additionalProperties"
                | "required" => {}
                "type" => check_type(rule, value, at)?,
                "format" => check_format(rule, value, at)?,
                "enum" => {
                    if !rule.as_array().unwrap().contains(value) {
                        return Err(format!("{at}: {value} is not one of {rule}"));
                    }
                }
                "const" => {
                    if rule != value {
                        return Err(format!("{at}: {value} is not {rule}"));
                    }
                }
                "minimum" | "maximum" => {
                    let Some(number) = value.as_f64() else {
                        continue;
                    };
                    let bound = rule.as_f64().unwrap();
                    let holds = if keyword == "minimum" {
                        number >= bound
                    } else {
                        number <= bound
                    };
                    if !holds {
                        return Err(format!("{at}: {value} is beyond the {keyword} {rule}"));
                    }
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.validate(rule, item, &format!("{at}[{index}]"))?;
                    }
                }
                "anyOf" | "oneOf" => {
                    let tried: Vec<String> = rule
                        .as_array()
                        .unwrap()
                        .iter()
                        .filter_map(|each| self.validate(each, value, at).err())
                        .collect();
                    if tried.len() == rule.as_array().unwrap().len() {
                        return Err(tried.join("; or "));
                    }
                }
                other => return Err(format!("{at}: this checker does not know `{other}`")),
            }
        }
        self.validate_members(schema, value, at)
    }

    fn validate_members(
        &self,
        schema: &Map<String, Value>,
        value: &Value,
        at: &str,
    ) -> Result<(), String> {
        let Some(members) = value.as_object() else {
            return Ok(());
        };
        for name in schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            if !members.contains_key(name.as_str().unwrap()) {
                return Err(format!("{at}: {name} is missing"));
            }
        }
        let properties = schema.get("properties").and_then(Value::as_object);
        let is_map = properties.is_none() && schema.get("type").is_some();
        for (name, member) in members {
            let at = format!("{at}.{name}");
            match (
                properties.and_then(|properties| properties.get(name)),
                schema.get("additionalProperties"),
            ) {
                (Some(property), _) => self.validate(property, member, &at)?,
                (None, Some(Value::Bool(true))) => {}
                (None, Some(more @ Value::Object(_))) => self.validate(more, member, &at)?,
                (None, None) if is_map => {}
                (None, _) if properties.is_none() && !schema.contains_key("type") => {}
                (None, _) => return Err(format!("{at}: not in the schema")),
            }
        }
        Ok(())
    }

    fn follow<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema.get("$ref").and_then(Value::as_str) {
            Some(reference) => {
                let pointer = reference.strip_prefix('#').unwrap();
                let target = self.document.pointer(pointer);
                self.follow(target.unwrap_or_else(|| panic!("{reference} leads nowhere")))
            }
            None => schema,
        }
    }
}

fn check_type(rule: &Value, value: &Value, at: &str) -> Result<(), String> {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    };
    let fits = match rule {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        other => panic!("{other} is no type"),
    };
    if fits {
        Ok(())
    } else {
        Err(format!("{at}: {value} is not of type {rule}"))
    }
}

fn check_format(rule: &Value, value: &Value, at: &str) -> Result<(), String> {
    let fits = match rule.as_str().unwrap() {
        "uint8" => value.as_u64().is_none_or(|n| u8::try_from(n).is_ok()),
        "uint16" => value.as_u64().is_none_or(|n| u16::try_from(n).is_ok()),
        "uint32" => value.as_u64().is_none_or(|n| u32::try_from(n).is_ok()),
        "uint" | "uint64" | "int64" => true,
        other => {
            return Err(format!(
                "{at}: this checker does not know the format {other}"
            ));
        }
    };
    if fits {
        Ok(())
    } else {
        Err(format!("{at}: {value} is no {rule}"))
    }
}
