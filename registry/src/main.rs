//! The program `vestry`.

use std::process::ExitCode;

fn main() -> ExitCode {
    vestry::cli::main()
}
