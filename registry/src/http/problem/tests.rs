use super::*;
use axum::response::IntoResponse as _;

fn fault() -> Fault {
    Fault::at("name", "Do something.")
}

fn report() -> SchemaReport {
    SchemaReport {
        version: 2,
        digest: "0".repeat(64),
        built_in: false,
        unchanged: false,
        additive: true,
        needs_acceptance: true,
        changes: Vec::new(),
        changes_count: 0,
        checked: 1,
        failing: Vec::new(),
        failing_count: 1,
    }
}

/// One of every variant; `code` is exhaustive, so that a new variant without a row does not compile.
fn all() -> Vec<Problem> {
    vec![
        Problem::Malformed(fault()),
        Problem::InvalidCursor,
        Problem::unauthenticated(),
        Problem::AuthorityEnded,
        Problem::OfferInvalid,
        Problem::OfferExpired,
        Problem::Refused {
            rule: Rule::NeedsElevation,
            detail: "Elevate.".into(),
        },
        Problem::NotFound,
        Problem::SkillNotOffered {
            name: "x".into(),
            available: vec![],
        },
        Problem::FileNotFound {
            path: "x".into(),
            available: vec![],
        },
        Problem::MethodNotAllowed {
            allow: "GET".into(),
        },
        Problem::Conflict("Read it again.".into()),
        Problem::TurnConflict,
        Problem::ProposalStale,
        Problem::ProposalEnded { state: "rejected" },
        Problem::SchemaBreaking(Box::new(report())),
        Problem::AlreadyExists(fault()),
        Problem::ActorIdTaken(fault()),
        Problem::SkillRecalled { name: "x".into() },
        Problem::PreconditionFailed("Read it again.".into()),
        Problem::TooLarge { limit: 1 },
        Problem::UnsupportedMediaType {
            expected: &["application/json"],
        },
        Problem::InvalidContent(fault()),
        Problem::InvalidScope(fault()),
        Problem::InvalidName(fault()),
        Problem::InvalidId(fault()),
        Problem::InvalidCap(fault()),
        Problem::InvalidTurn(fault()),
        Problem::TemplateRefused(Box::default()),
        Problem::InvalidContext(fault()),
        Problem::TemplateFailed("Line 1.".into()),
        Problem::InvalidSchema(Vec::new()),
        Problem::QuotaExceeded(fault()),
        Problem::IdempotencyMismatch,
        Problem::WeakPassword(fault()),
        Problem::PreconditionRequired("Send `If-Match`.".into()),
        Problem::TooManyRequests { retry_after: 0 },
        Problem::internal("secret"),
        Problem::BodyUnreadable {
            name: "x".into(),
            cause: "secret".into(),
        },
        Problem::Busy {
            detail: "Wait.".into(),
            retry_after: 3,
        },
        Problem::DatabaseUnavailable,
        Problem::OutcomeUnknown,
        Problem::Timeout,
    ]
}

#[test]
fn every_row_is_answered_as_the_table_says() {
    let codes: Vec<Code> = all().iter().map(Problem::code).collect();
    assert_eq!(codes, Code::ALL);
    for problem in all() {
        let (code, detail) = (problem.code(), problem.detail().into_owned());
        assert!(
            detail.ends_with('.') && !detail.contains("secret"),
            "{detail}"
        );
        let names_a_field = problem.fault().is_some();
        assert_eq!(problem.field().is_some(), names_a_field);
        let response = problem.into_response();
        assert_eq!(response.status(), code.status());
        let has = |name: &str| response.headers().contains_key(name);
        assert_eq!(has("www-authenticate"), code.status() == 401);
        assert_eq!(has("allow"), code.status() == 405);
        assert_eq!(
            has("retry-after"),
            matches!(code.status().as_u16(), 429 | 503)
        );
        assert_eq!(
            response.extensions().get::<Failure>().is_some(),
            code.status() == 500
        );
        assert_eq!(Code::parse(code.as_str()), Some(code));
    }
}

#[test]
fn the_load_errors_have_the_words_of_the_original() {
    let offered = |available: &[&str]| Problem::SkillNotOffered {
        name: "x".into(),
        available: available.iter().map(|&name| name.to_owned()).collect(),
    };
    assert_eq!(
        offered(&["a", "b"]).detail(),
        "No skill named \"x\" is available to you. Available: a, b."
    );
    assert_eq!(
        offered(&[]).detail(),
        "No skill named \"x\" is available to you, and no others are either."
    );
    let unreadable = Problem::BodyUnreadable {
        name: "x".into(),
        cause: "secret".into(),
    };
    assert_eq!(
        unreadable.detail(),
        "Skill \"x\" is listed but its body could not be read."
    );
}
