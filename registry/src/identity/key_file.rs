//! The file that the key rings live in: read strictly, written atomically, readable by its owner only.
//!
//! Whoever rotates holds the lock of the data directory; these functions do not lock by themselves.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use super::key_error::KeyError;
use super::keys::{KeyRings, KeyState, RawKey, Ring};
use crate::entropy::Entropy;

/// The most bytes of a key file: some 500 keys.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The one version of the format that exists.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    version: u32,
    rings: RingsOfFile,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RingsOfFile {
    human: Vec<KeyOfFile>,
    elevated: Vec<KeyOfFile>,
    agent: Vec<KeyOfFile>,
    offer: Vec<KeyOfFile>,
    cursor: Vec<KeyOfFile>,
}

/// Within a ring the newest key comes last.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyOfFile {
    kid: String,
    secret: String,
    state: KeyState,
}

impl KeyRings {
    /// Reads and checks a key file.
    ///
    /// # Errors
    /// A [`KeyError`] that says what to do: the file is missing, others may read it, it is no key file, or its
    /// keys are weak, repeated or without exactly one signing key a ring.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        Self::from_raw(&read(path)?)
    }

    /// Makes a key file with one new signing key a ring, mode 0600, and loads it. The file appears complete and
    /// durable or not at all, and an existing file is never replaced.
    ///
    /// # Errors
    /// A [`KeyError`] when the file exists already or cannot be written.
    pub fn create(path: &Path, entropy: &dyn Entropy) -> Result<Self, KeyError> {
        let raw = Ring::ALL
            .into_iter()
            .map(|ring| fresh(ring, KeyState::Sign, entropy))
            .collect::<Result<Vec<_>, _>>()?;
        let rings = Self::from_raw(&raw)?;
        let failed = failure(path, "created");
        let draft = write_draft(path, &raw, entropy)?;
        // A hard link, unlike a rename, fails when the name is taken.
        let linked = fs::hard_link(&draft, path);
        let removed = fs::remove_file(&draft);
        linked.and(removed).map_err(&failed)?;
        sync_directory(path).map_err(&failed)?;
        Ok(rings)
    }

    /// Loads the key file, or makes it when there is none.
    ///
    /// # Errors
    /// As [`KeyRings::load`] and [`KeyRings::create`].
    pub fn load_or_create(path: &Path, entropy: &dyn Entropy) -> Result<Self, KeyError> {
        if path.try_exists().map_err(failure(path, "read"))? {
            return Self::load(path);
        }
        match Self::create(path, entropy) {
            // Another process made it in between.
            Err(KeyError::File { .. }) if path.exists() => Self::load(path),
            made => made,
        }
    }

    /// Rings with fresh keys that are in no file; for tests and for a server whose data is in memory.
    ///
    /// # Errors
    /// When there are no random bytes.
    pub fn ephemeral(entropy: &dyn Entropy) -> Result<Self, KeyError> {
        let raw = Ring::ALL
            .into_iter()
            .map(|ring| fresh(ring, KeyState::Sign, entropy))
            .collect::<Result<Vec<_>, _>>()?;
        Self::from_raw(&raw)
    }
}

/// First step of a rotation: adds a new key that is accepted and does not sign yet. Gives its id. Restart every
/// replica before [`rotate_promote`].
///
/// # Errors
/// As [`KeyRings::load`], and when the file cannot be replaced.
pub fn rotate_begin(path: &Path, ring: Ring, entropy: &dyn Entropy) -> Result<String, KeyError> {
    let mut raw = read(path)?;
    let key = fresh(ring, KeyState::Accept, entropy)?;
    let kid = key.kid.clone();
    raw.push(key);
    replace(path, &raw, entropy)?;
    Ok(kid)
}

/// Second step: the newest accepted key signs from now on, and the one that signed is only accepted. Gives the
/// id of the key that signs.
///
/// # Errors
/// [`KeyError::NothingToPromote`] when the newest key of the ring signs already; else as [`rotate_begin`].
pub fn rotate_promote(path: &Path, ring: Ring, entropy: &dyn Entropy) -> Result<String, KeyError> {
    let mut raw = read(path)?;
    let newest = raw
        .iter()
        .rev()
        .find(|key| key.ring == ring)
        .filter(|key| key.state == KeyState::Accept)
        .map(|key| key.kid.clone())
        .ok_or(KeyError::NothingToPromote { ring })?;
    for key in raw.iter_mut().filter(|key| key.ring == ring) {
        key.state = if key.kid == newest {
            KeyState::Sign
        } else {
            KeyState::Accept
        };
    }
    replace(path, &raw, entropy)?;
    Ok(newest)
}

/// Last step, once every token of the old key has expired (an hour): drops the keys of the ring that do not sign.
/// Gives the ids of those dropped.
///
/// # Errors
/// As [`rotate_begin`].
pub fn rotate_retire(
    path: &Path,
    ring: Ring,
    entropy: &dyn Entropy,
) -> Result<Vec<String>, KeyError> {
    let raw = read(path)?;
    let (dropped, kept): (Vec<_>, Vec<_>) = raw
        .into_iter()
        .partition(|key| key.ring == ring && key.state == KeyState::Accept);
    if !dropped.is_empty() {
        replace(path, &kept, entropy)?;
    }
    Ok(dropped.into_iter().map(|key| key.kid).collect())
}

fn fresh(ring: Ring, state: KeyState, entropy: &dyn Entropy) -> Result<RawKey, KeyError> {
    let mut id = [0_u8; 6];
    entropy.fill(&mut id)?;
    let mut secret = vec![0_u8; 32];
    entropy.fill(&mut secret)?;
    Ok(RawKey {
        ring,
        kid: URL_SAFE_NO_PAD.encode(id),
        secret,
        state,
    })
}

fn failure(path: &Path, action: &'static str) -> impl Fn(std::io::Error) -> KeyError {
    let path = path.display().to_string();
    move |error| KeyError::File {
        path: path.clone(),
        action,
        reason: error.to_string(),
    }
}

/// Reads a file into keys, and checks them together.
fn read(path: &Path) -> Result<Vec<RawKey>, KeyError> {
    let failed = failure(path, "read");
    let file = File::open(path).map_err(&failed)?;
    check_mode(path, &file)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(&failed)?;
    let wrong = |reason: String| KeyError::Format {
        path: path.display().to_string(),
        reason,
    };
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(wrong(format!("it is larger than {MAX_FILE_BYTES} bytes")));
    }
    // The parser's own message may quote the file, and with it a secret; the place is enough.
    let parsed: KeyFile = serde_json::from_slice(&bytes).map_err(|error| {
        wrong(format!(
            "it breaks the format at line {}, column {}",
            error.line(),
            error.column()
        ))
    })?;
    if parsed.version != VERSION {
        return Err(wrong(format!(
            "its version is {}, not {VERSION}",
            parsed.version
        )));
    }
    let rings = parsed.rings;
    let mut raw = Vec::new();
    for (ring, keys) in [
        (Ring::Human, rings.human),
        (Ring::Elevated, rings.elevated),
        (Ring::Agent, rings.agent),
        (Ring::Offer, rings.offer),
        (Ring::Cursor, rings.cursor),
    ] {
        for key in keys {
            let secret = URL_SAFE_NO_PAD.decode(&key.secret).map_err(|_| {
                wrong(format!(
                    "the secret of a key of the {ring} ring is not base64url"
                ))
            })?;
            raw.push(RawKey {
                ring,
                kid: key.kid,
                secret,
                state: key.state,
            });
        }
    }
    KeyRings::from_raw(&raw)?;
    Ok(raw)
}

#[cfg(unix)]
fn check_mode(path: &Path, file: &File) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt as _;
    // Asked of the open file, not of the path, so that nobody swaps it in between.
    let mode = file
        .metadata()
        .map_err(failure(path, "read"))?
        .permissions()
        .mode()
        & 0o777;
    if mode & 0o077 == 0 {
        return Ok(());
    }
    Err(KeyError::Permissions {
        path: path.display().to_string(),
        mode,
    })
}

#[cfg(not(unix))]
fn check_mode(_: &Path, _: &File) -> Result<(), KeyError> {
    Ok(())
}

/// Writes the keys beside `path`, durably, and gives the name of that file.
fn write_draft(path: &Path, raw: &[RawKey], entropy: &dyn Entropy) -> Result<PathBuf, KeyError> {
    let ring = |ring: Ring| {
        raw.iter()
            .filter(|key| key.ring == ring)
            .map(|key| KeyOfFile {
                kid: key.kid.clone(),
                secret: URL_SAFE_NO_PAD.encode(&key.secret),
                state: key.state,
            })
            .collect()
    };
    let content = KeyFile {
        version: VERSION,
        rings: RingsOfFile {
            human: ring(Ring::Human),
            elevated: ring(Ring::Elevated),
            agent: ring(Ring::Agent),
            offer: ring(Ring::Offer),
            cursor: ring(Ring::Cursor),
        },
    };
    let failed = failure(path, "created");
    let mut text = serde_json::to_vec_pretty(&content)
        .map_err(|error| failed(std::io::Error::other(error)))?;
    text.push(b'\n');
    let mut suffix = [0_u8; 6];
    entropy.fill(&mut suffix)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", URL_SAFE_NO_PAD.encode(suffix)));
    let draft = path.with_file_name(name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let mut file = options.open(&draft).map_err(&failed)?;
    let written = file.write_all(&text).and_then(|()| file.sync_all());
    if let Err(error) = written {
        // A draft with secrets in it must not stay behind; if it cannot be removed, the first error says enough.
        let _ = fs::remove_file(&draft);
        return Err(failed(error));
    }
    Ok(draft)
}

fn replace(path: &Path, raw: &[RawKey], entropy: &dyn Entropy) -> Result<(), KeyError> {
    KeyRings::from_raw(raw)?;
    let draft = write_draft(path, raw, entropy)?;
    fs::rename(&draft, path)
        .and_then(|()| sync_directory(path))
        .map_err(failure(path, "replaced"))
}

/// Makes the new name durable. Only unix can open a directory for that.
fn sync_directory(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        File::open(parent.unwrap_or_else(|| Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
