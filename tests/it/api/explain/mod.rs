//! `GET /v1/explain` and `/v1/explain/catalog`.

mod actions;
mod catalog;
