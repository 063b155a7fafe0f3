//! The key file and its rotation.

use std::fs;
use std::path::PathBuf;

use super::*;

/// A directory that goes away with the test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("vestry-keys-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
    fn file(&self) -> PathBuf {
        self.0.join("keys.json")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn put(path: &std::path::Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

#[test]
fn a_file_is_made_once_and_for_its_owner() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new("made");
    let entropy = SeededEntropy::new(3);
    let made = KeyRings::load_or_create(&place.file(), &entropy).unwrap();
    let mode = fs::metadata(place.file()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let loaded = KeyRings::load_or_create(&place.file(), &entropy).unwrap();
    assert_eq!(made.fingerprints(), loaded.fingerprints());
    assert_eq!(made.fingerprints().len(), 5);
    assert!(matches!(
        KeyRings::create(&place.file(), &entropy),
        Err(KeyError::File { .. })
    ));
    assert_eq!(fs::read_dir(&place.0).unwrap().count(), 1, "no drafts stay");
    for mode in [0o640, 0o604, 0o644, 0o660] {
        fs::set_permissions(place.file(), fs::Permissions::from_mode(mode)).unwrap();
        let error = KeyRings::load(&place.file()).unwrap_err();
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
}

#[test]
fn bad_files_are_refused_without_showing_secrets() {
    let place = Place::new("bad");
    KeyRings::create(&place.file(), &SeededEntropy::new(3)).unwrap();
    let good: serde_json::Value = serde_json::from_slice(&fs::read(place.file()).unwrap()).unwrap();
    type Change = fn(&mut serde_json::Value);
    let changes: [(&str, Change); 12] = [
        ("breaks the format", |v| v["extra"] = true.into()),
        ("breaks the format", |v| {
            v["rings"]["human"][0]["extra"] = true.into()
        }),
        ("breaks the format", |v| {
            v["rings"]["admin"] = serde_json::json!([])
        }),
        ("breaks the format", |v| {
            v["rings"]["human"][0]["state"] = "off".into()
        }),
        ("its version is 2", |v| v["version"] = 2.into()),
        ("has 31 bytes", |v| {
            v["rings"]["human"][0]["secret"] = URL_SAFE_NO_PAD.encode([7; 31]).into();
        }),
        ("too regular", |v| {
            v["rings"]["human"][0]["secret"] = URL_SAFE_NO_PAD.encode([7; 32]).into();
        }),
        ("same secret", |v| {
            v["rings"]["human"][0]["secret"] = v["rings"]["offer"][0]["secret"].clone();
        }),
        ("used twice", |v| {
            v["rings"]["human"][0]["kid"] = v["rings"]["offer"][0]["kid"].clone();
        }),
        ("0 keys with state", |v| {
            v["rings"]["human"][0]["state"] = "accept".into()
        }),
        ("letters, digits", |v| {
            v["rings"]["human"][0]["kid"] = "a b".into()
        }),
        ("not base64url", |v| {
            v["rings"]["human"][0]["secret"] = "%%%SECRET".into()
        }),
    ];
    for (says, change) in changes {
        let mut value = good.clone();
        change(&mut value);
        put(&place.file(), &value.to_string());
        let error = KeyRings::load(&place.file()).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
        assert!(!error.contains("SECRET"), "{error}");
    }
    put(&place.file(), "{\"version\": \"SECRET");
    let error = KeyRings::load(&place.file()).unwrap_err().to_string();
    assert!(!error.contains("SECRET"), "{error}");
    let mut raw = raw_keys();
    raw.push(RawKey {
        kid: "second".to_owned(),
        secret: (50..90).collect(),
        ..raw[0].clone()
    });
    assert!(matches!(
        KeyRings::from_raw(&raw),
        Err(KeyError::SignKeys { count: 2, .. })
    ));
}

#[test]
fn rotation_never_breaks_a_token() {
    let place = Place::new("rotate");
    let entropy = SeededEntropy::new(5);
    let path = place.file();
    KeyRings::create(&path, &entropy).unwrap();
    let at = || {
        Identity::new(
            Arc::new(KeyRings::load(&path).unwrap()),
            ISSUER,
            Arc::new(ManualClock::new(Micros(NOW * SECOND))),
            Arc::new(SeededEntropy::new(1)),
            PasswordParams::cheap_for_tests(),
        )
        .unwrap()
    };
    let mint = |identity: &Identity| {
        let grant = HumanGrant {
            username: &user("alice"),
            tenant: None,
            session_id: "s",
            actor_epoch: 0,
        };
        identity.mint_human(&grant).unwrap().token
    };
    let before = at();
    let old = mint(&before);
    assert!(matches!(
        rotate_promote(&path, Ring::Human, &entropy),
        Err(KeyError::NothingToPromote { ring: Ring::Human })
    ));
    let kid = rotate_begin(&path, Ring::Human, &entropy).unwrap();
    let begun = at();
    assert_eq!(rotate_promote(&path, Ring::Human, &entropy).unwrap(), kid);
    let promoted = at();
    let new = mint(&promoted);
    // Replicas that have begun and those that were promoted know each other's tokens.
    for identity in [&begun, &promoted] {
        assert!(identity.verify_access(&old).is_ok());
        assert!(identity.verify_access(&new).is_ok());
    }
    assert!(before.verify_access(&new).is_err());
    assert_eq!(
        rotate_retire(&path, Ring::Human, &entropy).unwrap().len(),
        1
    );
    let retired = at();
    assert!(retired.verify_access(&new).is_ok());
    assert_eq!(
        retired.verify_access(&old).unwrap_err(),
        TokenError::UnknownKey
    );
    assert_eq!(retired.rings().fingerprints().len(), 5);
}

#[test]
fn secrets_are_never_shown() {
    let w = world();
    let shown = format!("{:?} {:?}", w.identity, w.identity.rings().fingerprints());
    for ring in Ring::ALL {
        assert!(!shown.contains(&URL_SAFE_NO_PAD.encode(secret(ring))));
        assert!(!shown.contains(&format!("{:?}", secret(ring))[1..20]));
    }
}
