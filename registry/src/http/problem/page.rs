//! `/problems/<code>`: what the `type` of a problem leads to.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::{Code, Problem};
use crate::http::extract::{Path, PathPart};
use crate::http::route::{Access, Operation, Route};

const MARKDOWN: &str = "text/markdown; charset=utf-8";

/// The rows that explain problems.
#[must_use]
pub fn routes<S: Clone + Send + Sync + 'static>() -> Vec<Route<S>> {
    vec![
        Route::get(
            "/problems",
            Access::Public,
            async || text(Code::reference()),
            Operation::new("Every problem that the API answers")
                .tag("operation")
                .answer_text(StatusCode::OK, "text/markdown"),
        ),
        Route::get(
            "/problems/{code}",
            Access::Public,
            async |Path(code): Path<Code>| text(code.explanation()),
            Operation::new("What a problem means")
                .tag("operation")
                .answer_text(StatusCode::OK, "text/markdown")
                .problems(&[Code::NotFound]),
        ),
    ]
}

fn text(markdown: String) -> Response {
    ([(header::CONTENT_TYPE, MARKDOWN)], markdown).into_response()
}

impl PathPart for Code {
    fn parse(text: &str) -> Result<Self, Problem> {
        Self::parse(text).ok_or(Problem::NotFound)
    }
}

impl Code {
    /// The whole table in Markdown, for the documentation.
    #[must_use]
    pub fn reference() -> String {
        let mut text = String::from("| status | code | meaning |\n|---|---|---|\n");
        for code in Self::ALL {
            text.push_str(&format!(
                "| {} | `{}` | {} |\n",
                code.status().as_u16(),
                code.as_str(),
                code.meaning()
            ));
        }
        text
    }

    fn explanation(self) -> String {
        format!(
            "# {}\n\nStatus {}, code `{}`.\n\n{}\n",
            self.title(),
            self.status().as_u16(),
            self.as_str(),
            self.meaning()
        )
    }
}
