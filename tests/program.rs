//! The program `vestry`, built beside the tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    vestry::cli::main()
}
