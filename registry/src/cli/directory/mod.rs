//! Who and what there is: users, tenants, members, services, keys, settings.

pub(super) mod keys;
pub(super) mod members;
pub(super) mod services;
pub(super) mod settings;
pub(super) mod tenants;
pub(super) mod users;

use serde_json::{Value, json};

use super::failure::Outcome;
use super::output::{Cell, Out, Table};

/// Prints a list as a table, or as JSON in the shape of the API's lists.
fn print_list(
    out: Out,
    items: &[Value],
    head: &[&'static str],
    empty: &str,
    cells: impl Fn(&Value) -> Vec<Cell>,
) -> Outcome {
    out.either(&json!({"items": items}), || {
        let mut table = Table::new(head);
        for item in items {
            table.row(cells(item));
        }
        table.render(out, empty)
    })
}
