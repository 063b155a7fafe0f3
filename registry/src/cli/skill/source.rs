//! What to publish: a SKILL.md, a folder, or standard input.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use vestry_policies::{ItemName, Kind, SkillName};

use super::Reference;
use crate::bundle::{Bundle, find};
use crate::cli::failure::Failure;
use crate::cli::output::Out;

/// The most bytes that are read from standard input.
const MAX_INPUT: u64 = 2 << 20;

/// Where the content is, and as what it is published.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Source {
    /// A folder with a SKILL.md (its other files become the skill's), a SKILL.md (the skill keeps its files), or `-`
    /// for standard input.
    path: PathBuf,
    /// The scope.
    #[arg(long)]
    scope: String,
    /// The name; that of the folder, or of the file, when left out.
    #[arg(long)]
    name: Option<String>,
    /// It is the instruction of the role of this name, and no skill.
    #[arg(long)]
    role: bool,
    /// It is a prompt template for roles of workflows, and no skill.
    #[arg(long, conflicts_with = "role")]
    prompt: bool,
}

impl Source {
    /// Reads the content, and says what of a folder is left out.
    ///
    /// # Errors
    /// When there is none, or no name.
    pub(in crate::cli) fn read(&self, out: Out) -> Result<(Reference, Bundle), Failure> {
        let (derived, bundle) = bundle_at(&self.path, out)?;
        let name = self.name.clone().or(derived).ok_or_else(|| {
            Failure::usage("nothing here says what the skill is called: give --name")
        })?;
        let name = SkillName::parse(&name).map_err(|error| {
            Failure::new(format!(
                "{name} is no name of a skill: {error}; give another with --name"
            ))
        })?;
        let reference = Reference {
            scope: self.scope.clone(),
            name: match (self.role, self.prompt) {
                (true, _) => ItemName::role(name),
                (false, true) => ItemName::prompt(name),
                (false, false) => ItemName::new(Kind::Skill, name),
            },
        };
        Ok((reference, bundle))
    }
}

/// Reads a folder, a SKILL.md or standard input, and what it is called if that says so.
///
/// # Errors
/// When there is nothing that can be read.
pub(in crate::cli) fn bundle_at(
    path: &Path,
    out: Out,
) -> Result<(Option<String>, Bundle), Failure> {
    if path == Path::new("-") {
        return Ok((None, Bundle::of_skill_md(stdin()?)?));
    }
    if path.is_dir() {
        return folder(path, out);
    }
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    Ok((name_of_file(path), Bundle::of_skill_md(bytes)?))
}

fn folder(path: &Path, out: Out) -> Result<(Option<String>, Bundle), Failure> {
    let found = find(path)?;
    let skill = found
        .skills
        .into_iter()
        .find(|skill| skill.place() == path)
        .ok_or_else(|| {
            Failure::new(format!(
                "{} has no SKILL.md; to publish the skills below it, run `vestry import`",
                path.display()
            ))
        })?;
    let bundle = Bundle::read(&skill)?;
    if !skill.left_out.is_empty() {
        out.note(format!("left out: {}", skill.left_out.join(", ")));
    }
    Ok((Some(skill.name), bundle))
}

/// `refunds/SKILL.md` is called refunds, and `refunds.md` too.
fn name_of_file(path: &Path) -> Option<String> {
    let stem = path.file_stem()?.to_str()?;
    if !stem.eq_ignore_ascii_case("skill") {
        return Some(stem.to_owned());
    }
    let path = std::fs::canonicalize(path).ok()?;
    let folder = path.parent()?.file_name()?;
    folder.to_str().map(str::to_owned)
}

fn stdin() -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MAX_INPUT)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::new(format!("cannot read standard input: {error}")))?;
    Ok(bytes)
}
