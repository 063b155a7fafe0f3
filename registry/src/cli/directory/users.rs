//! `vestry users`: who can log in.

use serde_json::json;

use super::print_list;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{safe, value};
use crate::cli::prompt::PasswordFrom;
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Subcommand)]
pub(in crate::cli) enum Command {
    /// List the users; for global administrators.
    List,
    /// Create a user; for a global administrator, elevated for `global`.
    Create(Create),
}

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Create {
    /// The username.
    username: String,
    /// What people call them; the username when left out.
    #[arg(long)]
    display_name: Option<String>,
    #[command(flatten)]
    password: PasswordFrom,
}

pub(in crate::cli) async fn run(options: &Options, command: Command) -> Outcome {
    match command {
        Command::List => list(options).await,
        Command::Create(args) => create(options, args).await,
    }
}

async fn list(options: &Options) -> Outcome {
    let session = Session::open(options)?;
    let (items, _) = session.list("/v1/users", &[], None).await?;
    let head = ["USERNAME", "ADMIN", "CREATED", "NAME"];
    print_list(session.out, &items, &head, "There are no users.", |user| {
        vec![
            value::text(user, "username").into(),
            if value::flag(user, "global_admin") {
                "yes"
            } else {
                ""
            }
            .into(),
            value::time(user, "created_at").into(),
            value::text(user, "display_name").into(),
        ]
    })
}

async fn create(options: &Options, args: Create) -> Outcome {
    let session = Session::open(options)?;
    let password = args
        .password
        .ask_new(&format!("New password of {}: ", args.username))?;
    let body = json!({
        "username": args.username,
        "password": password,
        "display_name": args.display_name.as_ref().unwrap_or(&args.username),
    });
    let answer = session
        .ask_for(
            As::Elevated("global"),
            &Call::post("/v1/users", &body),
            &["username"],
        )
        .await?;
    session.out.either(&answer.body, || {
        format!("created the user {}", safe::line(answer.text("username")))
    })
}
