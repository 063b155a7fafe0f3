//! Who wrote a proposal, and who could approve it, from rows to the words of the rules.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use serde::{Deserialize, Serialize};
use vestry_policies::review::Author;
use vestry_policies::{ActorId, Proposal, Role, Scope, TenantId, Username};

use crate::store::entity::{member, proposal, user};
use crate::store::error::StoreResult;
use crate::store::rows::{kind_code, kind_of, role_code, unreadable};

/// An author in a column.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    kind: i16,
    name: String,
    tenant: Option<String>,
    acts_for: Option<String>,
}

/// Authors as a column.
pub(in crate::store) fn authors_column(authors: &[Author]) -> StoreResult<String> {
    let rows: Vec<Written> = authors
        .iter()
        .map(|author| Written {
            kind: kind_code(author.kind),
            name: author.name.to_string(),
            tenant: author.tenant.as_ref().map(ToString::to_string),
            acts_for: author.acts_for.as_ref().map(ToString::to_string),
        })
        .collect();
    Ok(serde_json::to_string(&rows)?)
}

/// The authors of a column.
pub(in crate::store) fn authors_of(column: &str) -> StoreResult<Vec<Author>> {
    let rows: Vec<Written> = serde_json::from_str(column)?;
    rows.into_iter()
        .map(|row| {
            let damaged = |_| unreadable("authors");
            Ok(Author {
                kind: kind_of(row.kind)?,
                name: row.name.into(),
                tenant: row
                    .tenant
                    .map(|text| TenantId::parse(&text).map_err(damaged))
                    .transpose()?,
                acts_for: row
                    .acts_for
                    .map(|text| ActorId::parse(&text).map_err(damaged))
                    .transpose()?,
            })
        })
        .collect()
}

/// What a decision looks at of a proposal. Who else could approve is read for decisions only.
pub(in crate::store) fn facts_of_proposal(
    row: &proposal::Model,
    publishers: Vec<Username>,
) -> StoreResult<Proposal> {
    Ok(Proposal {
        authors: authors_of(&row.authors)?,
        publishers,
    })
}

/// Whoever has the publishing role at a scope now. An actor's scope is published by the actor alone.
pub(in crate::store) async fn publishers_of<C: ConnectionTrait>(
    db: &C,
    scope: &Scope,
) -> StoreResult<Vec<Username>> {
    let names: Vec<String> = match scope {
        Scope::Actor { .. } => Vec::new(),
        Scope::Tenant(tenant) => {
            member::Entity::find()
                .select_only()
                .column(member::Column::Username)
                .filter(member::Column::Tenant.eq(tenant.as_str()))
                .filter(member::Column::Role.eq(role_code(Role::Publisher)))
                .into_tuple()
                .all(db)
                .await?
        }
        Scope::Global => {
            user::Entity::find()
                .select_only()
                .column(user::Column::Username)
                .filter(user::Column::GlobalAdmin.eq(true))
                .into_tuple()
                .all(db)
                .await?
        }
    };
    names
        .iter()
        .map(|name| Username::parse(name).map_err(|_| unreadable("username")))
        .collect()
}
