//! The HTTP side: one table of routes, one table of problems, strict extractors, and the server itself.
//!
//! The machinery is generic over the application state; [`app`] is that state, and `api` has one file per endpoint.

pub(crate) mod api;
pub mod app;
pub(crate) mod authed;
pub mod cursor;
pub mod extract;
pub mod health;
pub mod limiter;
pub mod metrics;
pub mod middleware;
pub(crate) mod mutation;
pub mod openapi;
mod pages;
mod pieces;
pub mod problem;
pub mod reach;
pub mod route;
pub mod routes;
pub mod serve;
pub mod streams;

#[cfg(test)]
mod tests;
