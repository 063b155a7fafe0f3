//! The closed table of what can go wrong: code, status, title and meaning.
//!
//! Documentation, OpenAPI and tests read [`Code::ALL`], so that a problem which is not written down
//! here cannot be answered.

use axum::http::StatusCode;

macro_rules! codes {
    ($($variant:ident $status:ident $code:literal $title:literal $meaning:literal;)*) => {
        /// A stable code of the API: one row of the table of problems.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $meaning] $variant,)* }

        impl Code {
            /// Every code, in the order of their status.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The kebab-case code, which clients compare.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// The status that the code is answered with.
            #[must_use]
            pub fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status,)* }
            }

            /// The title, the same in every answer with this code.
            #[must_use]
            pub fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)* }
            }

            /// What the code means and what to do about it, for the reference.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }

            /// The code of a kebab-case text.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($code => Some(Self::$variant),)* _ => None }
            }

            /// The `type` of the problem: a relative reference where the code is explained.
            #[must_use]
            pub fn type_uri(self) -> &'static str {
                match self { $(Self::$variant => concat!("/problems/", $code),)* }
            }
        }
    };
}

codes! {
    Malformed BAD_REQUEST "malformed" "Malformed request"
        "The request cannot be read: broken JSON, a wrong type, an unknown field or parameter, invalid UTF-8. Correct it; sending it again unchanged gives the same answer.";
    InvalidCursor BAD_REQUEST "invalid-cursor" "Invalid cursor"
        "The cursor was not made by this server for this tenant and filter. Start again without a cursor.";

    Unauthenticated UNAUTHORIZED "unauthenticated" "Not authenticated"
        "The request carries no credential, or one that is not valid. Log in, or ask the service for a new token.";
    AuthorityEnded UNAUTHORIZED "authority-ended" "Authority ended"
        "The credential was valid, but what it stood for has been revoked or removed. A new one has to be issued, if its owner still may have one.";
    OfferInvalid UNAUTHORIZED "offer-invalid" "Invalid offer"
        "The offer was not made by this server for this caller and turn. Take a catalog and use its offer.";
    OfferExpired UNAUTHORIZED "offer-expired" "Offer expired"
        "The offer has expired. Ask for the catalog of the same turn again: it gives the same skills with a fresh offer.";

    Refused FORBIDDEN "refused" "Refused"
        "The caller may know of the thing but may not do this to it. `rule` names the rule that was followed.";

    NotFound NOT_FOUND "not-found" "Not found"
        "There is nothing here that the caller may know of.";
    SkillNotOffered NOT_FOUND "skill-not-offered" "Skill not offered"
        "The name is not in the catalog that this turn was offered. `detail` lists what is.";
    FileNotFound NOT_FOUND "file-not-found" "File not found"
        "The skill has no bundled file with this path. `detail` lists those it has.";

    MethodNotAllowed METHOD_NOT_ALLOWED "method-not-allowed" "Method not allowed"
        "The path exists but not with this method. The `Allow` header lists the methods that it has.";

    Conflict CONFLICT "conflict" "Conflict"
        "The thing is in a state that does not allow this. Read it again before deciding what to do.";
    TurnConflict CONFLICT "turn-conflict" "Turn conflict"
        "The turn was already offered a catalog with another cap, budget or role, or was opened with another role or context. Repeat the first request, or name a new turn.";
    ProposalStale CONFLICT "proposal-stale" "Proposal stale"
        "The skill has changed since the proposal was compared with it. Its proposer rebases it with `POST /v1/proposals/{id}/rebase`; then it can be read and decided again.";
    ProposalEnded CONFLICT "proposal-ended" "Proposal ended"
        "The proposal was published, rejected or withdrawn, or has expired, and nothing can become of it any more. Propose the content anew.";
    SchemaBreaking CONFLICT "schema-breaking" "Context schema breaking"
        "The context schema takes something away from templates or hosts, or live templates fail under it. `changes` and `failing` say what; send `accept_breaking: true` to activate it all the same.";
    AlreadyExists CONFLICT "already-exists" "Already exists"
        "A thing with this name exists. Choose another name, or change the one that exists.";
    ActorIdTaken CONFLICT "actor-id-taken" "Actor id taken"
        "The tenant already has skills under this actor id. They have to be claimed before a human joins under it.";

    SkillRecalled GONE "skill-recalled" "Skill recalled"
        "The revision that this turn was offered has been recalled since. Go on without it, or take the catalog of a new turn.";

    PreconditionFailed PRECONDITION_FAILED "precondition-failed" "Precondition failed"
        "The thing is not what `If-Match` or `If-None-Match` says it is; nothing was changed. Read it again and repeat the change on what it is now.";
    TooLarge PAYLOAD_TOO_LARGE "too-large" "Too large"
        "The body is larger than the server takes. Send less.";
    UnsupportedMediaType UNSUPPORTED_MEDIA_TYPE "unsupported-media-type" "Unsupported media type"
        "The `Content-Type` is not one that this route takes. `detail` names those it does.";

    InvalidContent UNPROCESSABLE_ENTITY "invalid-content" "Invalid content"
        "The content breaks a rule of skills. `field` and `detail` say which.";
    InvalidScope UNPROCESSABLE_ENTITY "invalid-scope" "Invalid scope"
        "The text is not a scope. Write `actor:<id>`, `tenant:<id>` or `global`.";
    InvalidName UNPROCESSABLE_ENTITY "invalid-name" "Invalid name"
        "The text is not a name: lower-case letters, digits and single hyphens between them, 1 to 64 characters.";
    InvalidId UNPROCESSABLE_ENTITY "invalid-id" "Invalid id"
        "The text is not an id: 1 to 64 of letters, digits and `. _ : @ + -`, and not `.`, `..`, `null` or `undefined`.";
    InvalidCap UNPROCESSABLE_ENTITY "invalid-cap" "Invalid cap"
        "The cap is not a whole number from 1 to the tenant's highest.";
    InvalidTurn UNPROCESSABLE_ENTITY "invalid-turn" "Invalid turn"
        "The text is not a name of a turn.";
    TemplateRefused UNPROCESSABLE_ENTITY "template-refused" "Template refused"
        "The body is a template that could fail, or that cannot be read. `diagnostics` says what is wrong, where, and what to write instead.";
    InvalidContext UNPROCESSABLE_ENTITY "invalid-context" "Invalid context"
        "The context is not one of the context schema. `field` and `detail` say where and why; `GET /v1/context-schema` has the schema.";
    TemplateFailed UNPROCESSABLE_ENTITY "template-failed" "Template failed"
        "A template that was accepted failed when it was rendered, because the schema has changed under it or the time was up. `detail` says which, where and why; nothing half-rendered is answered.";
    InvalidSchema UNPROCESSABLE_ENTITY "invalid-schema" "Invalid context schema"
        "The document is no context schema, or not one that may follow the active one. `faults` says what is wrong, where, and what to write instead.";
    QuotaExceeded UNPROCESSABLE_ENTITY "quota-exceeded" "Quota exceeded"
        "The change would exceed a quota. Archive what is not needed, or ask for a higher quota.";
    IdempotencyMismatch UNPROCESSABLE_ENTITY "idempotency-mismatch" "Idempotency key reused"
        "The idempotency key was used with another request. Use a new key for a new request.";
    WeakPassword UNPROCESSABLE_ENTITY "weak-password" "Weak password"
        "The password is too easy to guess. Choose a longer one.";

    PreconditionRequired PRECONDITION_REQUIRED "precondition-required" "Precondition required"
        "The change needs `If-Match` with the digest it was made from, or `If-None-Match: *` to create.";
    TooManyRequests TOO_MANY_REQUESTS "too-many-requests" "Too many requests"
        "Too many attempts, or too many streams at once. Wait for as many seconds as `Retry-After` says.";

    Internal INTERNAL_SERVER_ERROR "internal" "Internal error"
        "The server failed. The operator finds the cause in the log under the `x-request-id` of the answer.";
    BodyUnreadable INTERNAL_SERVER_ERROR "body-unreadable" "Body unreadable"
        "The skill is offered but its stored content is damaged. The operator finds the cause in the log under the `x-request-id` of the answer.";

    Busy SERVICE_UNAVAILABLE "busy" "Busy"
        "The server cannot take this now. Repeat the request after as many seconds as `Retry-After` says.";
    DatabaseUnavailable SERVICE_UNAVAILABLE "database-unavailable" "Database unavailable"
        "The database cannot be reached or takes no writes now, as in a failover; nothing was changed. Repeat the request after as many seconds as `Retry-After` says.";
    OutcomeUnknown SERVICE_UNAVAILABLE "outcome-unknown" "Outcome unknown"
        "The database went away while it took the change down, which may have happened. Repeat the request with the same `Idempotency-Key`, which gives the answer that it had, or read first.";
    Timeout SERVICE_UNAVAILABLE "timeout" "Timed out"
        "The request took longer than the server allows. A change may still have happened: repeat it with the same `Idempotency-Key`, or read first.";
}
