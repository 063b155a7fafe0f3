//! `vestry mcp`: MCP over standard input and output, for hosts that start their servers themselves.
//!
//! A message is a line (MCP, stdio transport). Each goes to the server's own MCP endpoint, and what that answers goes back as it
//! is: there is one server, whatever a host speaks to it through.

mod connection;
mod message;

use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

use super::failure::Outcome;
use super::options::Options;
use connection::Connection;
use message::{Message, too_long};

/// The most bytes of a message; servers take less.
const MAX_MESSAGE: u64 = 4 << 20;
/// How many messages are on their way at once.
const AT_ONCE: usize = 16;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent's role.
    #[arg(long)]
    role: Option<String>,
    /// The most skills that are offered; 20 when left out.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=200))]
    cap: Option<u32>,
    /// The actor that the agent acts for, when VESTRY_TOKEN is the key of a service: tokens are then minted as they are needed.
    #[arg(long, requires = "agent")]
    actor: Option<String>,
    /// The agent, beside --actor.
    #[arg(long, requires = "actor")]
    agent: Option<String>,
    /// The data of every run as JSON: templates are rendered with it.
    #[arg(long, value_name = "FILE")]
    context: Option<std::path::PathBuf>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let context = args.context.as_deref().map(super::load::context);
    let connection = Arc::new(Connection::open(
        options,
        args.role.as_deref(),
        args.cap,
        args.actor.zip(args.agent),
    )?);
    let context = context.transpose()?.map(serde_json::Value::Object);
    let mut lines = BufReader::new(tokio::io::stdin());
    let output = Arc::new(Mutex::new(tokio::io::stdout()));
    let mut on_their_way = JoinSet::new();
    loop {
        let mut line = Vec::new();
        let mut limited = (&mut lines).take(MAX_MESSAGE);
        if limited.read_until(b'\n', &mut line).await? == 0 {
            break;
        }
        if !line.ends_with(b"\n") && line.len() as u64 == MAX_MESSAGE {
            write(&output, &too_long(MAX_MESSAGE)).await?;
            skip_line(&mut lines).await?;
            continue;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let message = match Message::parse(&line, context.as_ref()) {
            Ok(message) => message,
            Err(answer) => {
                write(&output, &answer).await?;
                continue;
            }
        };
        // What follows depends on which version this one agrees on.
        if message.is_initialize() {
            relay(&connection, message, &output).await?;
            continue;
        }
        while on_their_way.len() >= AT_ONCE {
            if let Some(done) = on_their_way.join_next().await {
                done??;
            }
        }
        let (connection, output) = (Arc::clone(&connection), Arc::clone(&output));
        on_their_way.spawn(async move { relay(&connection, message, &output).await });
    }
    while let Some(done) = on_their_way.join_next().await {
        done??;
    }
    Ok(())
}

/// Reads to the end of a line, and keeps nothing of it.
async fn skip_line(lines: &mut BufReader<tokio::io::Stdin>) -> Outcome {
    loop {
        let read = lines.fill_buf().await?;
        if read.is_empty() {
            return Ok(());
        }
        match read.iter().position(|byte| *byte == b'\n') {
            Some(end) => {
                lines.consume(end.saturating_add(1));
                return Ok(());
            }
            None => {
                let length = read.len();
                lines.consume(length);
            }
        }
    }
}

async fn relay(
    connection: &Connection,
    message: Message,
    output: &Mutex<tokio::io::Stdout>,
) -> Outcome {
    match connection.exchange(&message).await {
        Some(answer) => write(output, &answer).await,
        None => Ok(()),
    }
}

/// Writes a message as a line; JSON has no line breaks but escaped ones.
async fn write(output: &Mutex<tokio::io::Stdout>, message: &Value) -> Outcome {
    let mut line = message.to_string();
    line.push('\n');
    let mut output = output.lock().await;
    output.write_all(line.as_bytes()).await?;
    output.flush().await?;
    Ok(())
}
