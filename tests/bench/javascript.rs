//! handlebars.js in one process of Node, which parses and renders the same over and over.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

/// How long one call takes, in µs.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(crate) struct Took {
    /// Parsing the context.
    pub(crate) parse: f64,
    /// Rendering what was parsed before.
    pub(crate) render: f64,
    /// Both.
    pub(crate) both: f64,
}

/// The process.
pub(crate) struct Handlebars {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Handlebars {
    /// Starts it where there is one, and holds what it writes to what Vestry wrote. `VESTRY_HANDLEBARS_JS` names the directory
    /// that holds `node_modules`.
    pub(crate) fn start(source: &str, context: &str, written: &str) -> Option<Self> {
        let Some(modules) = std::env::var_os("VESTRY_HANDLEBARS_JS") else {
            println!(
                "handlebars.js is not measured: VESTRY_HANDLEBARS_JS does not name a directory with handlebars.js 4.7 in node_modules"
            );
            return None;
        };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/bench/handlebars.mjs");
        let started = Command::new("node")
            .arg(script)
            .arg(modules)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = match started {
            Ok(child) => child,
            Err(error) => {
                println!("handlebars.js is not measured: node does not start: {error}");
                return None;
            }
        };
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut javascript = Self {
            child,
            to,
            from: BufReader::new(from),
        };
        let work = json!({"source": source, "context": context, "text": written});
        let ready = javascript.ask(&work.to_string());
        assert_eq!(ready, "same", "handlebars.js writes something else");
        Some(javascript)
    }

    /// Parses and renders for this long.
    pub(crate) fn took(&mut self, time: Duration) -> Took {
        let answer = self.ask(&time.as_millis().to_string());
        serde_json::from_str(&answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    fn ask(&mut self, line: &str) -> String {
        writeln!(self.to, "{line}").unwrap();
        let mut answer = String::new();
        self.from.read_line(&mut answer).unwrap();
        answer.trim_end().to_owned()
    }
}

impl Drop for Handlebars {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
