//! What clients rely on: the OpenAPI document, the problems, the route table.

mod answers;
pub(crate) mod document;
mod examples;
mod openapi;
mod problems;
mod promises;
mod routes;
mod schemathesis;
mod walk;
