//! Short forms for column definitions, so that a migration reads like the table that it makes.

use sea_orm_migration::prelude::*;

/// A table by name.
pub(crate) fn table(name: &'static str) -> TableCreateStatement {
    Table::create().table(Alias::new(name)).to_owned()
}

/// Text that is never NULL.
pub(crate) fn text(name: &'static str) -> ColumnDef {
    ColumnDef::new(Alias::new(name)).text().not_null().take()
}

/// Text that may be NULL.
pub(crate) fn maybe_text(name: &'static str) -> ColumnDef {
    ColumnDef::new(Alias::new(name)).text().null().take()
}

/// A 64-bit integer that is never NULL: times, counts, versions.
pub(crate) fn integer(name: &'static str) -> ColumnDef {
    ColumnDef::new(Alias::new(name))
        .big_integer()
        .not_null()
        .take()
}

/// A 64-bit integer that may be NULL: times of things that may not have happened.
pub(crate) fn maybe_integer(name: &'static str) -> ColumnDef {
    ColumnDef::new(Alias::new(name)).big_integer().null().take()
}

/// A small enumeration.
pub(crate) fn small(name: &'static str) -> ColumnDef {
    ColumnDef::new(Alias::new(name))
        .small_integer()
        .not_null()
        .take()
}

/// A truth value.
pub(crate) fn flag(name: &'static str) -> ColumnDef {
    ColumnDef::new(Alias::new(name)).boolean().not_null().take()
}

/// Bytes that are never NULL.
pub(crate) fn bytes(name: &'static str) -> ColumnDef {
    ColumnDef::new(Alias::new(name))
        .var_binary(u32::MAX)
        .not_null()
        .take()
}

/// A primary key over these columns.
pub(crate) fn key(columns: &[&'static str]) -> IndexCreateStatement {
    let mut index = Index::create();
    for column in columns {
        index.col(Alias::new(*column));
    }
    index.primary().to_owned()
}

/// Creates an index over these columns.
pub(crate) async fn index(
    manager: &SchemaManager<'_>,
    name: &'static str,
    on: &'static str,
    columns: &[&'static str],
    unique: bool,
) -> Result<(), DbErr> {
    let mut index = Index::create();
    index.name(name).table(Alias::new(on));
    for column in columns {
        index.col(Alias::new(*column));
    }
    if unique {
        index.unique();
    }
    manager.create_index(index.to_owned()).await
}
