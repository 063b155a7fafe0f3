//! The program `vestry`.

use std::process::ExitCode;

/// Many small allocations a request, on many threads: what this allocator is made for (ADR 12).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    vestry::cli::main()
}
