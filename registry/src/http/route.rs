//! The one table of routes.
//!
//! A row says everything about a route: method, path, what a caller does there, the handler and the
//! description that the OpenAPI document is made of. [`Table::router`] is the only place that hands
//! rows to axum, so that the coverage tests can trust [`Table::rows`].

mod document;
mod operation;
mod refuse_query;

use std::collections::BTreeMap;

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::routing::{MethodFilter, MethodRouter, on};
use serde_json::Value;
use vestry_policies::Action;

use crate::http::problem::Problem;

pub use operation::Operation;
use refuse_query::RefuseQueryLayer;

/// What a caller does at a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone may call it, without a credential.
    Public,
    /// As [`Access::Public`], and only where the operator has turned it on: elsewhere the path is not served at all.
    Published,
    /// It needs a credential, and the rules decide about this action.
    Does(Action),
    /// It needs a credential. What is done is said by each message in a protocol of its own, which also describes it: the
    /// row stands in no OpenAPI document.
    PerMessage,
}

/// One row of the table.
pub struct Route<S> {
    method: Method,
    path: &'static str,
    access: Access,
    handler: MethodRouter<S>,
    operation: Operation,
    /// Whether the last parameter of the path takes the rest of it, with its slashes.
    deep: bool,
}

impl<S: Clone + Send + Sync + 'static> Route<S> {
    fn new<H, T>(
        (method, filter): (Method, MethodFilter),
        path: &'static str,
        access: Access,
        handler: H,
        operation: Operation,
    ) -> Self
    where
        H: Handler<T, S>,
        T: 'static,
    {
        Self {
            method,
            path,
            access,
            handler: on(filter, handler),
            operation,
            deep: false,
        }
    }

    /// Its last parameter takes the rest of the path, with its slashes.
    #[must_use]
    pub fn deep(mut self) -> Self {
        self.deep = true;
        self
    }

    /// A GET; it answers HEAD as well.
    pub fn get<H: Handler<T, S>, T: 'static>(
        path: &'static str,
        access: Access,
        handler: H,
        operation: Operation,
    ) -> Self {
        Self::new(
            (Method::GET, MethodFilter::GET),
            path,
            access,
            handler,
            operation,
        )
    }

    /// A POST.
    pub fn post<H: Handler<T, S>, T: 'static>(
        path: &'static str,
        access: Access,
        handler: H,
        operation: Operation,
    ) -> Self {
        Self::new(
            (Method::POST, MethodFilter::POST),
            path,
            access,
            handler,
            operation,
        )
    }

    /// A PUT.
    pub fn put<H: Handler<T, S>, T: 'static>(
        path: &'static str,
        access: Access,
        handler: H,
        operation: Operation,
    ) -> Self {
        Self::new(
            (Method::PUT, MethodFilter::PUT),
            path,
            access,
            handler,
            operation,
        )
    }

    /// A DELETE.
    pub fn delete<H: Handler<T, S>, T: 'static>(
        path: &'static str,
        access: Access,
        handler: H,
        operation: Operation,
    ) -> Self {
        Self::new(
            (Method::DELETE, MethodFilter::DELETE),
            path,
            access,
            handler,
            operation,
        )
    }
}

/// All routes.
pub struct Table<S>(pub Vec<Route<S>>);

impl<S> Table<S> {
    /// Method, path and access of every row, for the tests that hold each to something.
    #[must_use]
    pub fn rows(&self) -> Vec<(Method, &'static str, Access)> {
        self.0
            .iter()
            .map(|route| (route.method.clone(), route.path, route.access))
            .collect()
    }

    /// The OpenAPI 3.1 document of the table.
    #[must_use]
    pub fn openapi(&self, version: &str) -> Value {
        document::build(&self.0, version)
    }

    /// The paths that take more than bodies of JSON may have, and how much they take.
    #[must_use]
    pub fn large_bodies(&self) -> BTreeMap<&'static str, usize> {
        self.0
            .iter()
            .filter_map(|route| Some((route.path, route.operation.bytes?)))
            .collect()
    }

    /// The rows that this server serves: without those that the operator would have to turn on, unless it has.
    #[must_use]
    pub fn serving(mut self, published: bool) -> Self {
        self.0
            .retain(|route| published || route.access != Access::Published);
        self
    }

    /// The rows whose body or query would let an unknown field pass; a test holds this empty.
    #[must_use]
    pub fn lenient(&self) -> Vec<String> {
        self.0
            .iter()
            .filter(|route| !route.operation.is_strict())
            .map(|route| format!("{} {}", route.method, route.path))
            .collect()
    }
}

impl<S> Route<S> {
    /// The path as axum writes it.
    fn pattern(&self) -> String {
        match self.path.rsplit_once('{') {
            Some((before, last)) if self.deep => format!("{before}{{*{last}"),
            _ => self.path.to_owned(),
        }
    }

    /// Whether a query means something to it. What is outside the API is asked by probes and browsers, which add to
    /// queries as they like.
    fn takes_query(&self) -> bool {
        !self.operation.queries.is_empty() || !self.path.starts_with("/v1/")
    }
}

impl<S: Clone + Send + Sync + 'static> Table<S> {
    /// The router. Unknown paths are 404 and other methods 405, as problems.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place where rows become routes"
    )]
    pub fn router(self) -> Router<S> {
        let mut paths: BTreeMap<String, (MethodRouter<S>, Vec<Method>)> = BTreeMap::new();
        for route in self.0 {
            let (handler, methods) = paths.entry(route.pattern()).or_default();
            let own = if route.takes_query() {
                route.handler
            } else {
                route.handler.layer(RefuseQueryLayer)
            };
            *handler = std::mem::take(handler).merge(own);
            if route.method == Method::GET {
                methods.push(Method::HEAD);
            }
            methods.push(route.method);
        }
        let mut router = Router::new().fallback(|| async { Problem::NotFound });
        for (path, (handler, mut methods)) in paths {
            methods.sort_by(|a, b| a.as_str().cmp(b.as_str()));
            let allow = methods
                .iter()
                .map(Method::as_str)
                .collect::<Vec<_>>()
                .join(", ");
            let handler = handler.fallback(move || {
                let allow = allow.clone();
                async move { Problem::MethodNotAllowed { allow } }
            });
            router = router.route(&path, handler);
        }
        router
    }
}
