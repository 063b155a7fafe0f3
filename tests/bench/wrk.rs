//! The generator `wrk`, where it is installed: it takes a quarter of the CPU that ours takes, which is the servers' then.

use std::process::Command;
use std::time::Duration;

use crate::generator::Ran;
use crate::request::Load;

/// More than any run sends.
const NUMBERS: u64 = 100_000_000;

/// Whether there is one.
pub(crate) fn is_installed() -> bool {
    Command::new("wrk").arg("--version").output().is_ok()
}

/// Asks for this long.
pub(crate) fn run(load: &Load, connections: usize, time: Duration) -> Ran {
    let script = std::env::temp_dir().join(format!("vestry-bench-{}.lua", std::process::id()));
    std::fs::write(&script, lua(load)).unwrap();
    let output = Command::new("wrk")
        .args(["-t1", "--latency"])
        .arg(format!("-c{connections}"))
        .arg(format!("-d{}s", time.as_secs().max(1)))
        .arg("-s")
        .arg(&script)
        .arg(format!("http://{}/", load.address))
        .output()
        .unwrap();
    let _ = std::fs::remove_file(&script);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && !text.contains("Non-2xx"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut p50 = None;
    let mut total = None;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["50%", value] => p50 = Some(duration(value)),
            [requests, "requests", "in", value, ..] => {
                total = Some((
                    requests.parse().unwrap(),
                    duration(value.trim_end_matches(',')),
                ));
            }
            _ => {}
        }
    }
    let (requests, elapsed) = total.unwrap_or_else(|| panic!("no count: {text}"));
    Ran {
        requests,
        elapsed,
        p50: p50.unwrap(),
    }
}

/// The script. Long brackets hold anything that has none of their own.
fn lua(load: &Load) -> String {
    let quoted = |text: &str| {
        assert!(!text.contains("]=="));
        // A line feed right after the opening bracket would be left out.
        format!("[==[\n{text}]==]")
    };
    format!(
        "local head, body, n = {}, {}, {}\n\
         head = head:gsub('\\r?\\n', '\\r\\n')\n\
         local function whole(body) return head .. 'content-length: ' .. #body .. '\\r\\n\\r\\n' .. body end\n\
         local same = whole(body)\n\
         request = function()\n\
           if not {} then return same end\n\
           n = n + 1\n\
           return whole((body:gsub('{{n}}', string.format('%d', n))))\n\
         end\n",
        quoted(&load.head),
        quoted(&load.body),
        load.numbers(NUMBERS),
        load.is_numbered()
    )
}

/// `1.23ms`, `456.00us`, `2.00s`.
fn duration(text: &str) -> Duration {
    let end = text.find(|c: char| c.is_ascii_alphabetic()).unwrap();
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" => 60.0,
        other => panic!("unknown unit {other}"),
    };
    Duration::from_secs_f64(number.parse::<f64>().unwrap() * seconds)
}
