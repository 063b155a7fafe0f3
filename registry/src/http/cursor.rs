//! Opaque cursors: a place in a list, sealed with the tenant, the route and the filter of the list, so that a cursor can
//! neither be made up nor carried to another list.

use schemars::JsonSchema;
use serde::Serialize;

use super::extract::Page;
use super::problem::Problem;
use crate::identity::{Caller, KeyRings, open_cursor, seal_cursor};
use crate::store::queries::{PageOf, PageRequest};

/// Makes and reads the cursors of one list.
#[derive(Debug, Clone, Copy)]
pub struct Cursors<'a> {
    rings: &'a KeyRings,
}

/// What a list depends on beside its place.
#[derive(Debug, Serialize)]
struct Binding<'a> {
    tenant: Option<&'a str>,
    principal: &'a str,
    list: &'a str,
    filter: &'a [&'a str],
}

/// A list of one caller: its route, and its filter.
#[derive(Debug)]
pub struct ListOf<'a> {
    cursors: Cursors<'a>,
    context: Vec<u8>,
}

impl<'a> Cursors<'a> {
    /// Cursors that are sealed with these keys.
    #[must_use]
    pub fn new(rings: &'a KeyRings) -> Self {
        Self { rings }
    }

    /// The cursors of a list.
    ///
    /// # Errors
    /// Never in practice: a binding always serialises.
    pub fn of(self, caller: &Caller, list: &str, filter: &[&str]) -> Result<ListOf<'a>, Problem> {
        let binding = Binding {
            tenant: caller.tenant().map(vestry_policies::TenantId::as_str),
            principal: caller.principal_text(),
            list,
            filter,
        };
        Ok(ListOf {
            cursors: self,
            context: serde_json::to_vec(&binding).map_err(Problem::internal)?,
        })
    }
}

impl ListOf<'_> {
    /// The page that is asked for.
    ///
    /// # Errors
    /// [`Problem::InvalidCursor`] for whatever was not made for exactly this list.
    pub fn request(&self, page: &Page) -> Result<PageRequest, Problem> {
        let after = match &page.cursor {
            None => None,
            Some(cursor) => {
                let place = open_cursor(self.cursors.rings, &self.context, cursor)
                    .ok_or(Problem::InvalidCursor)?;
                Some(serde_json::from_slice(&place).map_err(|_| Problem::InvalidCursor)?)
            }
        };
        Ok(PageRequest {
            limit: usize::try_from(page.limit).unwrap_or(usize::MAX),
            after,
        })
    }

    /// The answer for a page.
    ///
    /// # Errors
    /// Never in practice: loaded key rings always have a key that signs.
    pub fn answer<T, U>(
        &self,
        page: PageOf<T>,
        item: impl Fn(T) -> U,
    ) -> Result<Listed<U>, Problem> {
        let next_cursor = match page.next {
            None => None,
            Some(position) => {
                let place = serde_json::to_vec(&position).map_err(Problem::internal)?;
                Some(
                    seal_cursor(self.cursors.rings, &self.context, &place)
                        .map_err(Problem::internal)?,
                )
            }
        };
        Ok(Listed {
            items: page.items.into_iter().map(item).collect(),
            next_cursor,
        })
    }
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Listed<T> {
    /// The items of the page.
    pub items: Vec<T>,
    /// The cursor of the next page; null on the last one.
    pub next_cursor: Option<String>,
}
