//! The offer of the last catalog, kept so that `vestry load` works right after `vestry catalog`.

use std::io::Read as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::failure::{Failure, Outcome};
use super::profile::{ProfileFile, write_private};
use crate::client::agent::Offer;

/// The most bytes that are read as an offer: one of 256 entries has 35 KiB.
const MAX_BYTES: u64 = 256 * 1024;

/// An offer and whose it is.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptOffer {
    /// The server that made it.
    pub(super) server: String,
    /// The offer, and what its turn asked for.
    #[serde(flatten)]
    pub(super) offer: Offer,
}

/// Keeps an offer beside the profile.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn keep(file: &ProfileFile, offer: &KeptOffer) -> Outcome {
    write_private(&file.offer_path(), &serde_json::to_vec_pretty(offer)?)
}

/// The offer of the last catalog.
///
/// # Errors
/// When there is none, or it is another server's.
pub(super) fn kept(file: &ProfileFile, server: &str) -> Result<Offer, Failure> {
    let none = || Failure::new("there is no offer yet: run `vestry catalog` first");
    let bytes = std::fs::read(file.offer_path()).map_err(|_| none())?;
    let kept: KeptOffer = serde_json::from_slice(&bytes).map_err(|_| none())?;
    if kept.server == server {
        Ok(kept.offer)
    } else {
        Err(Failure::new(format!(
            "the last catalog was one of {}: run `vestry catalog` again",
            kept.server
        )))
    }
}

/// An offer in a file, or on standard input (`-`): the offer itself, or the answer of `vestry catalog --json`.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read(path: &Path) -> Result<Offer, Failure> {
    let failed = |error: std::io::Error| {
        Failure::new(format!(
            "cannot read the offer from {}: {error}",
            path.display()
        ))
    };
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin()
            .take(MAX_BYTES)
            .read_to_string(&mut text)
            .map_err(failed)?;
    } else {
        std::fs::File::open(path)
            .and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text))
            .map_err(failed)?;
    }
    let offer = match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(answer) => super::output::value::text(&answer, "offer").to_owned(),
        Err(_) => text.trim().to_owned(),
    };
    if offer.is_empty() {
        return Err(Failure::new(format!(
            "{} holds no offer; give what `vestry catalog --json` printed",
            path.display()
        )));
    }
    Ok(Offer::signed_elsewhere(offer))
}
