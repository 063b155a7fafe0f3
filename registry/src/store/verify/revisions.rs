//! Every revision: its digest against its SKILL.md and its files, and that both are there.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr, QueryResult, Statement, Value};
use vestry_policies::Digest;

use super::Part;
use crate::content::digest::{ManifestFile, of_manifest};

/// Revisions at once; each has 512 files at most.
const PAGE: u64 = 128;

/// The revisions after a key, with how long the bytes are that they name; no number where there are none.
const REVISIONS: &str = "SELECT r.tenant, r.scope_kind, r.scope_id, r.kind, r.name, r.number, r.digest, r.content, r.size, \
     r.files, CAST(length(c.bytes) AS BIGINT) FROM revisions AS r \
     LEFT JOIN contents AS c ON c.tenant = r.tenant AND c.sha256 = r.content \
     WHERE (r.tenant, r.scope_kind, r.scope_id, r.kind, r.name, r.number) > ($1, $2, $3, $4, $5, $6) \
     ORDER BY r.tenant, r.scope_kind, r.scope_id, r.kind, r.name, r.number";

/// The files of the revisions between two keys.
const FILES: &str = "SELECT f.tenant, f.scope_kind, f.scope_id, f.kind, f.name, f.number, f.path, f.size, f.sha256, b.size \
     FROM revision_files AS f LEFT JOIN blobs AS b ON b.tenant = f.tenant AND b.sha256 = f.sha256 \
     WHERE (f.tenant, f.scope_kind, f.scope_id, f.kind, f.name, f.number) > ($1, $2, $3, $4, $5, $6) \
     AND (f.tenant, f.scope_kind, f.scope_id, f.kind, f.name, f.number) <= ($7, $8, $9, $10, $11, $12)";

/// Files that no revision has.
const STRAY: &str = "SELECT f.tenant, f.scope_kind, f.scope_id, f.kind, f.name, f.number, f.path FROM revision_files AS f \
     WHERE NOT EXISTS (SELECT 1 FROM revisions AS r WHERE r.tenant = f.tenant AND r.scope_kind = f.scope_kind \
     AND r.scope_id = f.scope_id AND r.kind = f.kind AND r.name = f.name AND r.number = f.number)";

pub(super) async fn check<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = Part::new("revisions");
    let backend = db.get_database_backend();
    let sql = format!("{REVISIONS} LIMIT {PAGE}");
    let mut read_to = Key::first();
    loop {
        let statement = Statement::from_sql_and_values(backend, &sql, read_to.values());
        let rows = db.query_all_raw(statement).await?;
        let Some(last) = rows.last() else {
            break;
        };
        let last = Key::of(last)?;
        let between = read_to.values().into_iter().chain(last.values());
        let statement = Statement::from_sql_and_values(backend, FILES, between);
        let mut files = by_revision(&db.query_all_raw(statement).await?)?;
        for row in rows {
            part.checked(1);
            let key = Key::of(&row)?;
            let files = files.remove(&key).unwrap_or_default();
            let said = Said {
                digest: row.try_get_by_index(6)?,
                content: row.try_get_by_index(7)?,
                size: row.try_get_by_index(8)?,
                files: row.try_get_by_index(9)?,
                length: row.try_get_by_index(10)?,
            };
            if let Some(wrong) = said.wrong(&files) {
                part.fault(format!("{}: {wrong}", key.place()));
            }
        }
        read_to = last;
    }
    for row in db
        .query_all_raw(Statement::from_string(backend, STRAY))
        .await?
    {
        let path: String = row.try_get_by_index(6)?;
        part.fault(format!(
            "{}: it is missing, and its file `{path}` is there",
            Key::of(&row)?.place()
        ));
    }
    Ok(part)
}

fn by_revision(rows: &[QueryResult]) -> Result<HashMap<Key, Vec<KeptFile>>, DbErr> {
    let mut files: HashMap<Key, Vec<KeptFile>> = HashMap::new();
    for row in rows {
        files.entry(Key::of(row)?).or_default().push(KeptFile {
            path: row.try_get_by_index(6)?,
            size: row.try_get_by_index(7)?,
            sha256: row.try_get_by_index(8)?,
            kept: row.try_get_by_index(9)?,
        });
    }
    Ok(files)
}

/// The key of a revision.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    tenant: String,
    scope_kind: i64,
    scope_id: String,
    kind: i64,
    name: String,
    number: i64,
}

impl Key {
    /// Before every key.
    fn first() -> Self {
        Self {
            tenant: String::new(),
            scope_kind: i64::from(i16::MIN),
            scope_id: String::new(),
            kind: i64::from(i16::MIN),
            name: String::new(),
            number: i64::MIN,
        }
    }

    fn of(row: &QueryResult) -> Result<Self, DbErr> {
        Ok(Self {
            tenant: row.try_get_by_index(0)?,
            scope_kind: small(row, 1)?,
            scope_id: row.try_get_by_index(2)?,
            kind: small(row, 3)?,
            name: row.try_get_by_index(4)?,
            number: row.try_get_by_index(5)?,
        })
    }

    fn values(&self) -> [Value; 6] {
        [
            self.tenant.clone().into(),
            self.scope_kind.into(),
            self.scope_id.clone().into(),
            self.kind.into(),
            self.name.clone().into(),
            self.number.into(),
        ]
    }

    fn place(&self) -> String {
        let skill = place(
            &self.tenant,
            self.scope_kind,
            &self.scope_id,
            self.kind,
            &self.name,
        );
        format!("revision {} of {skill}", self.number)
    }
}

/// A small enumeration, as wide as every other number here.
pub(super) fn small(row: &QueryResult, index: usize) -> Result<i64, DbErr> {
    row.try_get_by_index::<i16>(index).map(i64::from)
}

/// Where a skill is, in words; what the columns say is not taken for granted.
pub(super) fn place(
    tenant: &str,
    scope_kind: i64,
    scope_id: &str,
    kind: i64,
    name: &str,
) -> String {
    let item = match kind {
        0 => "",
        1 => "role:",
        2 => "prompt:",
        _ => "?:",
    };
    match scope_kind {
        0 => format!("global/{item}{name}"),
        1 => format!("tenant:{tenant}/{item}{name}"),
        _ => format!("actor:{scope_id}/{item}{name} in {tenant}"),
    }
}

/// A file that a manifest names.
pub(super) struct KeptFile {
    pub(super) path: String,
    pub(super) size: i64,
    pub(super) sha256: String,
    /// The size of the bytes that are kept for it.
    pub(super) kept: Option<i64>,
}

/// What a revision or a proposal says of its content.
pub(super) struct Said {
    pub(super) digest: String,
    pub(super) content: String,
    pub(super) size: i64,
    pub(super) files: i64,
    /// The length of the SKILL.md that is kept for it.
    pub(super) length: Option<i64>,
}

impl Said {
    /// What is wrong with it, in a sentence. The bytes themselves are hashed where they are kept.
    pub(super) fn wrong(&self, files: &[KeptFile]) -> Option<String> {
        let Some(length) = self.length else {
            return Some(format!("its SKILL.md {} is missing", self.content));
        };
        if length != self.size {
            return Some(format!(
                "its SKILL.md has {length} bytes, and is said to have {}",
                self.size
            ));
        }
        if i64::try_from(files.len()) != Ok(self.files) {
            return Some(format!(
                "it has {} files, and is said to have {}",
                files.len(),
                self.files
            ));
        }
        for file in files {
            match file.kept {
                None => return Some(format!("the bytes of its file `{}` are missing", file.path)),
                Some(kept) if kept != file.size => {
                    return Some(format!(
                        "its file `{}` has {kept} bytes, and is said to have {}",
                        file.path, file.size
                    ));
                }
                Some(_) => {}
            }
        }
        let named = Digest::parse(&self.digest);
        (named.is_none() || self.manifest(files) != named).then(|| {
            format!(
                "its digest {} is not that of its SKILL.md and its files: it was changed",
                self.digest
            )
        })
    }

    fn manifest(&self, files: &[KeptFile]) -> Option<Digest> {
        let files: Option<Vec<ManifestFile>> = files
            .iter()
            .map(|file| {
                Some(ManifestFile {
                    path: file.path.clone(),
                    size: u64::try_from(file.size).ok()?,
                    digest: Digest::parse(&file.sha256)?,
                })
            })
            .collect();
        Some(of_manifest(Digest::parse(&self.content)?, &files?))
    }
}
