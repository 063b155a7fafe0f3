//! vestry
fn main() {}
