//! One event as one line of JSON: `{"timestamp":…,"level":…,"fields":{…},"target":…}`.
//!
//! Written straight into the line's buffer, because there is one line for every request; the general formatter goes through
//! a serializer and a map for each.

use std::fmt::{self, Write};

use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The format of a line.
pub(super) struct Json;

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut to: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        to.write_str("{\"timestamp\":\"")?;
        SystemTime.format_time(&mut to)?;
        to.write_str("\",\"level\":\"")?;
        let metadata = event.metadata();
        to.write_str(level(*metadata.level()))?;
        to.write_str("\",\"fields\":{")?;
        let mut fields = Fields {
            to: &mut to,
            is_first: true,
            result: Ok(()),
        };
        event.record(&mut fields);
        fields.result?;
        to.write_str("},\"target\":\"")?;
        escape(&mut to, metadata.target())?;
        to.write_str("\"}\n")
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERROR",
        Level::WARN => "WARN",
        Level::INFO => "INFO",
        Level::DEBUG => "DEBUG",
        Level::TRACE => "TRACE",
    }
}

/// Writes the members of the object `fields`.
struct Fields<'a, 'w> {
    to: &'a mut Writer<'w>,
    is_first: bool,
    result: fmt::Result,
}

impl Fields<'_, '_> {
    fn member(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.result.is_err() {
            return;
        }
        self.result = (|| {
            if !std::mem::replace(&mut self.is_first, false) {
                self.to.write_char(',')?;
            }
            self.to.write_char('"')?;
            // A name that is a keyword of Rust.
            let name = field.name();
            escape(self.to, name.strip_prefix("r#").unwrap_or(name))?;
            self.to.write_str("\":")?;
            value(self.to)
        })();
    }
}

impl Visit for Fields<'_, '_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.member(field, |to| {
            if value.is_finite() {
                write!(to, "{value}")
            } else {
                to.write_str("null")
            }
        });
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field, |to| write!(to, "{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field, |to| write!(to, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field, |to| {
            to.write_str(if value { "true" } else { "false" })
        });
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.member(field, |to| {
            to.write_char('"')?;
            escape(to, value)?;
            to.write_char('"')
        });
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.member(field, |to| {
            to.write_char('"')?;
            write!(Escaping(to), "{value:?}")?;
            to.write_char('"')
        });
    }
}

/// Escapes what is written through it.
struct Escaping<'a, W>(&'a mut W);

impl<W: Write> Write for Escaping<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(self.0, text)
    }
}

/// Writes a text as it stands between the quotes of a JSON string.
fn escape(to: &mut impl Write, text: &str) -> fmt::Result {
    let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\' && byte != 0x7f;
    if text.bytes().all(is_plain) {
        return to.write_str(text);
    }
    for character in text.chars() {
        match character {
            '"' => to.write_str("\\\"")?,
            '\\' => to.write_str("\\\\")?,
            '\n' => to.write_str("\\n")?,
            '\r' => to.write_str("\\r")?,
            '\t' => to.write_str("\\t")?,
            control if control.is_ascii_control() => {
                write!(to, "\\u{:04x}", u32::from(control))?;
            }
            other => to.write_char(other)?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use serde_json::{Value, json};

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines(work: impl FnOnce()) -> Vec<Value> {
        let kept = Kept::default();
        let writer = kept.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .event_format(Json)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(subscriber, work);
        let bytes = kept.0.lock().unwrap().clone();
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.ends_with('\n'));
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn every_kind_of_value_is_json() {
        let absent: Option<&str> = None;
        let error = io::Error::other("line\none \"two\"");
        let got = lines(|| {
            tracing::event!(
                target: "vestry::access",
                Level::INFO,
                http.method = "POST",
                http.status = 200_u16,
                duration_us = -1_i64,
                share = 0.5_f64,
                nothing = f64::NAN,
                is_late = false,
                problem.code = absent,
                client.address = tracing::field::display("::1"),
                error = &error as &(dyn std::error::Error + 'static),
                "request answered"
            );
        });
        assert_eq!(got.len(), 1);
        assert_eq!(got[0]["level"], "INFO");
        assert_eq!(got[0]["target"], "vestry::access");
        let at = got[0]["timestamp"].as_str().unwrap();
        assert!(at.parse::<jiff::Timestamp>().is_ok(), "{at}");
        assert_eq!(
            got[0]["fields"],
            json!({
                "message": "request answered", "http.method": "POST", "http.status": 200, "duration_us": -1,
                "share": 0.5, "nothing": null, "is_late": false, "client.address": "::1",
                "error": "line\none \"two\"",
            })
        );
    }

    #[test]
    fn no_value_breaks_out_of_its_line() {
        let nasty: String = (0..0x100).filter_map(char::from_u32).collect();
        let got = lines(|| {
            tracing::info!(text = nasty, debugged = ?nasty, shown = %nasty, "{nasty}");
            tracing::info!("after");
        });
        assert_eq!(got.len(), 2);
        assert_eq!(got[0]["fields"]["text"], *nasty);
        assert_eq!(got[0]["fields"]["shown"], *nasty);
        assert_eq!(got[0]["fields"]["debugged"], format!("{nasty:?}"));
        assert_eq!(got[0]["fields"]["message"], *nasty);
    }
}
