//! The table of helpers, for authors.

/// A helper, as authors read of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HelperDoc {
    /// Its name.
    pub name: &'static str,
    /// How it is written and what it gives.
    pub signature: &'static str,
    /// What it does, in a sentence or two.
    pub description: &'static str,
    /// A template that uses it.
    pub example: &'static str,
    /// The context of the example, as JSON.
    pub context: &'static str,
    /// What the example writes.
    pub result: &'static str,
}

/// All helpers, in the order in which authors meet them.
#[must_use]
pub fn table() -> &'static [HelperDoc] {
    &TABLE
}

static TABLE: [HelperDoc; 14] = [
    HelperDoc {
        name: "eq",
        signature: "(eq a b) → true or false",
        description: "Whether two values are the same: texts, numbers, true and false, or null. A literal that an enum does not have is refused.",
        example: "{{#if (eq status \"open\")}}still open{{/if}}",
        context: r#"{"status":"open"}"#,
        result: "still open",
    },
    HelperDoc {
        name: "ne",
        signature: "(ne a b) → true or false",
        description: "Whether two values differ.",
        example: "{{#if (ne status \"open\")}}closed{{else}}open{{/if}}",
        context: r#"{"status":"open"}"#,
        result: "open",
    },
    HelperDoc {
        name: "and",
        signature: "(and a b …) → true or false",
        description: "Whether all values are true to a condition. It guards nothing within itself: each argument must be safe alone.",
        example: "{{#if (and title due)}}{{title}}: {{due}}{{/if}}",
        context: r#"{"title":"Refund","due":"2026-12-01"}"#,
        result: "Refund: 2026-12-01",
    },
    HelperDoc {
        name: "or",
        signature: "(or a b …) → true or false",
        description: "Whether any value is true to a condition.",
        example: "{{#if (or due urgent)}}soon{{/if}}",
        context: r#"{"due":null,"urgent":true}"#,
        result: "soon",
    },
    HelperDoc {
        name: "not",
        signature: "(not a) → true or false",
        description: "Whether a value is false to a condition: null, false, 0, an empty text or an empty list.",
        example: "{{#if (not due)}}no date{{/if}}",
        context: r#"{"due":null}"#,
        result: "no date",
    },
    HelperDoc {
        name: "len",
        signature: "(len value) → a number",
        description: "The items of a list, the entries of a map, or the characters of a text; 0 for null.",
        example: "{{len people}} people",
        context: r#"{"people":["Ada","Grace"]}"#,
        result: "2 people",
    },
    HelperDoc {
        name: "default",
        signature: "(default value other) → a value of their type",
        description: "The first value unless it is null, and then the other. Both are texts, both numbers, or both true or false.",
        example: "Due: {{default due \"none\"}}",
        context: r#"{"due":null}"#,
        result: "Due: none",
    },
    HelperDoc {
        name: "join",
        signature: "(join list between) → a text",
        description: "The items of a list of texts, numbers or truths, with a text between them.",
        example: "{{join people \", \"}}",
        context: r#"{"people":["Ada","Grace"]}"#,
        result: "Ada, Grace",
    },
    HelperDoc {
        name: "upper",
        signature: "(upper text) → a text",
        description: "The text in capitals.",
        example: "{{upper title}}",
        context: r#"{"title":"Refund"}"#,
        result: "REFUND",
    },
    HelperDoc {
        name: "lower",
        signature: "(lower text) → a text",
        description: "The text in small letters.",
        example: "{{lower title}}",
        context: r#"{"title":"Refund"}"#,
        result: "refund",
    },
    HelperDoc {
        name: "truncate",
        signature: "(truncate text 80) → a text",
        description: "At most so many characters of a text, the last of which is … when something is left out. The number is a literal from 1 to 100000.",
        example: "{{truncate title 5}}",
        context: r#"{"title":"Refunds"}"#,
        result: "Refu…",
    },
    HelperDoc {
        name: "date",
        signature: "(date text \"long\") → a text",
        description: "A date such as 2026-11-30 or 2026-11-30T08:15:00Z as \"date\", \"time\", \"datetime\", \"weekday\", \"long\" or \"year\", in the zone that it is written in. What is no such date stays as it is.",
        example: "{{date due \"weekday\"}}, {{date due \"long\"}}",
        context: r#"{"due":"2026-11-30T08:15:00Z"}"#,
        result: "Monday, 30 November 2026",
    },
    HelperDoc {
        name: "indent",
        signature: "(indent text 2) → a text",
        description: "Every line of a text that is not empty after so many spaces. The number is a literal from 0 to 16.",
        example: "{{indent body 2}}",
        context: "{\"body\":\"one\\ntwo\"}",
        result: "  one\n  two",
    },
    HelperDoc {
        name: "json",
        signature: "(json value) → a text",
        description: "Any value as JSON on one line, the fields of objects in the order of their names.",
        example: "{{json task}}",
        context: r#"{"task":{"title":"Refund","due":null}}"#,
        result: r#"{"due":null,"title":"Refund"}"#,
    },
];
