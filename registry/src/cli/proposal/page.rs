//! The page that a reviewer decides from, for people.

use serde_json::Value;

use super::state_style;
use crate::cli::output::{Out, safe, style, value};
use crate::cli::skill::impact::lines;
use crate::content::scan::Severity;

/// Everything about a proposal, what is to be decided last.
pub(super) fn human(out: Out, proposal: &Value) -> String {
    let mut text = head(out, proposal);
    let Some(review) = proposal.get("review") else {
        return text;
    };
    section(&mut text, out, "Why", value::text(review, "rationale"));
    text.push_str(&evidence(out, review.get("evidence")));
    let warnings = value::warnings(review);
    if !warnings.is_empty() {
        text.push_str(&title(out, "Look at"));
        for warning in &warnings {
            text.push_str(&format!(
                "  {}\n",
                out.paint(style::WARN, &safe::line(warning))
            ));
        }
    }
    let diagnostics = value::items(review, "diagnostics");
    if !diagnostics.is_empty() {
        text.push_str(&title(out, "What the checker says of the template"));
        for one in diagnostics {
            let line = format!(
                "{} {}:{} {}: {}",
                value::text(one, "severity"),
                value::number(one, "line"),
                value::number(one, "column"),
                value::text(one, "code"),
                value::text(one, "message"),
            );
            text.push_str(&format!(
                "  {}\n",
                out.paint(style::WARN, &safe::line(&line))
            ));
        }
    }
    let impact = lines(out, review);
    if !impact.is_empty() {
        text.push_str(&title(out, "What publishing it would do"));
        text.push_str(&impact);
    }
    let findings = value::findings(review, Severity::Low);
    if !findings.is_empty() {
        text.push_str(&title(out, "What the scanner found"));
        for finding in &findings {
            text.push_str(&format!(
                "  {}\n",
                out.paint(style::WARN, &safe::line(finding))
            ));
        }
    }
    text.push_str(&change(out, review));
    for file in value::items(review, "changed_files") {
        let line = format!(
            "file {}: {}",
            value::text(file, "path"),
            value::text(file, "change")
        );
        text.push_str(&format!("{}\n", safe::line(&line)));
    }
    let others = value::items(review, "others");
    if !others.is_empty() {
        text.push_str(&title(
            out,
            "Others for the same skill; publishing one makes the rest stale",
        ));
        for other in others {
            let line = format!(
                "  {} by {}",
                value::text(other, "id"),
                value::text(other, "author")
            );
            text.push_str(&format!("{}\n", safe::line(&line)));
        }
    }
    text.push_str(&said(out, review));
    text.push_str(&next(out, proposal, review));
    text
}

fn head(out: Out, proposal: &Value) -> String {
    let base = proposal.get("base").filter(|base| !base.is_null());
    let base = base.map_or_else(
        || "nothing: there is no such skill".to_owned(),
        |base| {
            format!(
                "revision {}, {}",
                value::number(base, "revision"),
                value::text(base, "digest")
            )
        },
    );
    let mut author = value::text(proposal, "author").to_owned();
    if !value::text(proposal, "acts_for").is_empty() {
        author.push_str(&format!(" for {}", value::text(proposal, "acts_for")));
    }
    let state = value::text(proposal, "state");
    let title = format!(
        "{} for {}/{}: ",
        value::text(proposal, "id"),
        value::text(proposal, "scope"),
        value::text(proposal, "name"),
    );
    let first = format!(
        "{}{}\n",
        out.paint(style::HEAD, &safe::line(&title)),
        out.paint(state_style(state), &safe::line(state)),
    );
    let fields = [
        (
            "description",
            value::text(proposal, "description").to_owned(),
        ),
        ("by", author),
        ("proposed", value::time(proposal, "created_at")),
        ("expires", value::time(proposal, "expires_at")),
        ("ended", value::time(proposal, "ended_at")),
        ("ended by", value::text(proposal, "ended_by").to_owned()),
        ("published as", value::number(proposal, "published")),
        (
            "reviewed by rule",
            value::text(proposal, "origin").to_owned(),
        ),
        ("digest", value::text(proposal, "digest").to_owned()),
        ("compared with", base),
    ];
    first + &out.fields(&fields, style::FAINT)
}

fn title(out: Out, text: &str) -> String {
    format!("\n{}\n", out.paint(style::HEAD, text))
}

/// A heading with a text of several lines below it; nothing when there is none.
fn section(page: &mut String, out: Out, heading: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    page.push_str(&title(out, heading));
    for line in safe::text(text).lines() {
        page.push_str(&format!("  {line}\n"));
    }
}

fn evidence(out: Out, evidence: Option<&Value>) -> String {
    let Some(evidence) = evidence else {
        return String::new();
    };
    let fields = [
        ("turn", value::text(evidence, "turn").to_owned()),
        ("offer", value::text(evidence, "offer").to_owned()),
        ("links", value::joined(evidence, "links")),
    ];
    out.fields(&fields, style::FAINT)
}

fn change(out: Out, review: &Value) -> String {
    let mut text = title(out, "What changes");
    match value::text(review, "unified") {
        "" if value::text(review, "skill_md").is_empty() => {
            text.push_str("You may not read this content: it is recalled.\n");
        }
        "" => {
            // All of it is new, or what it replaces is not for this reader.
            for line in safe::text(value::text(review, "skill_md")).lines() {
                text.push_str(&out.paint(style::GOOD, &format!("+{line}")));
                text.push('\n');
            }
        }
        unified => text.push_str(&out.diff(unified)),
    }
    text
}

fn said(out: Out, review: &Value) -> String {
    let mut text = String::new();
    let (decisions, comments) = (
        value::items(review, "decisions"),
        value::items(review, "comments"),
    );
    if decisions.is_empty() && comments.is_empty() {
        return text;
    }
    text.push_str(&title(out, "What was said"));
    for decision in decisions {
        let void = if value::flag(decision, "stands") {
            ""
        } else {
            " (of an earlier content)"
        };
        let line = format!(
            "  {} {}: {}{void} {}",
            value::time(decision, "created_at"),
            value::text(decision, "username"),
            value::text(decision, "decision"),
            value::text(decision, "reason"),
        );
        text.push_str(&format!("{}\n", safe::line(line.trim_end())));
    }
    for comment in comments {
        let line = format!(
            "  {} {}:",
            value::time(comment, "created_at"),
            value::text(comment, "author"),
        );
        text.push_str(&format!("{}\n", safe::line(&line)));
        for line in safe::text(value::text(comment, "text")).lines() {
            text.push_str(&format!("    {line}\n"));
        }
    }
    text
}

/// What is missing, and what whoever reads this may do. The command names what was shown, so that nothing else is approved.
fn next(out: Out, proposal: &Value, review: &Value) -> String {
    let mut text = title(out, "Approvals");
    text.push_str(&format!(
        "  {} of {}\n",
        value::number(review, "approvals"),
        value::number(review, "required_approvals"),
    ));
    let (id, scope) = (value::text(proposal, "id"), value::text(proposal, "scope"));
    match value::text(proposal, "state") {
        "stale" => text.push_str(&format!(
            "  The skill has changed since: its proposer runs `vestry proposal rebase {}`.\n",
            safe::line(id)
        )),
        "open" if value::flag(review, "may_decide") => {
            let base = proposal
                .get("base")
                .map(|base| value::text(base, "digest"))
                .filter(|digest| !digest.is_empty())
                .map(|digest| format!(" --base {digest}"))
                .unwrap_or_default();
            let digest = value::text(proposal, "digest");
            let line = format!("  vestry proposal approve {id} --digest {digest}{base}");
            text.push_str(&format!("{}\n", safe::line(&line)));
            let line = format!("  vestry proposal reject {id} --reason …");
            text.push_str(&format!("{}\n", safe::line(&line)));
        }
        "open" => {
            let rule = value::text(review, "rule");
            let line = if rule == "needs-elevation" {
                format!("  To decide it, run `vestry elevate --scope {scope} --reason …` first.")
            } else {
                format!("  You do not decide it (rule {rule}).")
            };
            text.push_str(&format!("{}\n", safe::line(&line)));
        }
        _ => {}
    }
    text
}
