//! Cursors of lists: opaque, and bound to what they continue (tenant, route and filter).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use super::jwt::SignError;
use super::keys::{KeyRings, Ring};

/// The most bytes of a cursor.
pub const MAX_CURSOR_BYTES: usize = 4096;

/// Seals the place where a list goes on. `context` is everything that the list depends on; it is not part of the
/// cursor, and has to be the same when the cursor comes back.
///
/// # Errors
/// When the rings have no key for it, which loaded rings always have.
pub fn seal_cursor(rings: &KeyRings, context: &[u8], place: &[u8]) -> Result<String, SignError> {
    let key = rings.signer(Ring::Cursor).ok_or(SignError)?;
    let tag = tagged(key.mac(), context, place).finalize().into_bytes();
    Ok(format!(
        "{}.{}.{}",
        key.kid(),
        URL_SAFE_NO_PAD.encode(place),
        URL_SAFE_NO_PAD.encode(tag)
    ))
}

/// Opens a cursor that was sealed with the same `context`; none for any other text.
#[must_use]
pub fn open_cursor(rings: &KeyRings, context: &[u8], cursor: &str) -> Option<Vec<u8>> {
    if cursor.len() > MAX_CURSOR_BYTES {
        return None;
    }
    let (kid, rest) = cursor.split_once('.')?;
    let (place, tag) = rest.split_once('.')?;
    let key = rings.by_kid(kid).filter(|key| key.ring() == Ring::Cursor)?;
    let place = URL_SAFE_NO_PAD.decode(place).ok()?;
    let tag = URL_SAFE_NO_PAD.decode(tag).ok()?;
    tagged(key.mac(), context, &place).verify_slice(&tag).ok()?;
    Some(place)
}

/// A digest that only who has the keys can make: for comparing what must not be kept, not even as a plain hash.
///
/// # Errors
/// When the rings have no key for it, which loaded rings always have.
pub fn keyed_digest(rings: &KeyRings, bytes: &[u8]) -> Result<String, SignError> {
    let key = rings.signer(Ring::Cursor).ok_or(SignError)?;
    let tag = tagged(key.mac(), b"digest", bytes).finalize().into_bytes();
    Ok(format!("{}.{}", key.kid(), URL_SAFE_NO_PAD.encode(tag)))
}

/// The length goes first, so that no byte can move from the context into the place.
fn tagged(mac: Hmac<Sha256>, context: &[u8], place: &[u8]) -> Hmac<Sha256> {
    mac.chain_update((context.len() as u64).to_be_bytes())
        .chain_update(context)
        .chain_update(place)
}
