//! Dates, as they are written: no zone is converted.

use jiff::civil::Date;
use serde_json::Value as Json;

/// How `date` writes a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// 2026-11-30
    Date,
    /// 08:15
    Time,
    /// 2026-11-30 08:15
    DateTime,
    /// Monday
    Weekday,
    /// 30 November 2026
    Long,
    /// 2026
    Year,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 6] = [
        Format::Date,
        Format::Time,
        Format::DateTime,
        Format::Weekday,
        Format::Long,
        Format::Year,
    ];

    /// Its name in a template.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::Date => "date",
            Format::Time => "time",
            Format::DateTime => "datetime",
            Format::Weekday => "weekday",
            Format::Long => "long",
            Format::Year => "year",
        }
    }

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// A date and, if the text has one, the time of the day as hours and minutes.
fn parse(text: &str) -> Option<(Date, Option<&str>)> {
    let (date, rest) = text.split_at_checked(10)?;
    let shape = date.bytes().enumerate().all(|(at, byte)| {
        if at == 4 || at == 7 {
            byte == b'-'
        } else {
            byte.is_ascii_digit()
        }
    });
    if !shape {
        return None;
    }
    let date: Date = date.parse().ok()?;
    if rest.is_empty() {
        return Some((date, None));
    }
    let clock = rest.strip_prefix(['T', ' '])?.get(..5)?;
    let (hours, minutes) = clock.split_once(':')?;
    let fits = |digits: &str, below: u8| {
        digits.len() == 2
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && digits.parse::<u8>().is_ok_and(|number| number < below)
    };
    (fits(hours, 24) && fits(minutes, 60)).then_some((date, Some(clock)))
}

fn write(text: &str, format: Format) -> Option<String> {
    let (date, clock) = parse(text)?;
    Some(match format {
        Format::Date => date.strftime("%Y-%m-%d").to_string(),
        Format::Time => clock?.to_owned(),
        Format::DateTime => match clock {
            Some(clock) => format!("{} {clock}", date.strftime("%Y-%m-%d")),
            None => date.strftime("%Y-%m-%d").to_string(),
        },
        Format::Weekday => date.strftime("%A").to_string(),
        Format::Long => date.strftime("%-d %B %Y").to_string(),
        Format::Year => date.strftime("%Y").to_string(),
    })
}

pub(super) fn date(values: &[&Json]) -> Json {
    let [Json::String(text), Json::String(name)] = values else {
        return Json::String(String::new());
    };
    let written = Format::named(name).and_then(|format| write(text, format));
    written.unwrap_or_else(|| text.clone()).into()
}
