//! API keys, refresh tokens, cursors and passwords.

use super::*;

#[test]
fn api_keys_are_checked_before_any_lookup() {
    let entropy = SeededEntropy::new(7);
    for kind in [KeyKind::Service, KeyKind::User] {
        let key = ApiKey::generate(kind, &entropy).unwrap();
        assert_eq!(key.reveal().len(), 44);
        let again = ApiKey::parse(key.reveal()).unwrap();
        assert_eq!((again.kind(), again.hash()), (kind, key.hash()));
        assert!(again.matches(&key.hash()).is_some());
        assert!(again.matches(&[0; 32]).is_none());
        assert!(!format!("{key:?}").contains(&key.reveal()[12..]));
        assert_eq!(key.hint(), key.reveal()[..12]);
        for at in 0..key.reveal().len() {
            let mut bytes = key.reveal().as_bytes().to_vec();
            bytes[at] = if bytes[at] == b'x' { b'y' } else { b'x' };
            assert!(ApiKey::parse(std::str::from_utf8(&bytes).unwrap()).is_err());
        }
        for text in ["", "vst_", "vst_svc_", "vst_abc_x", "vst_usr_ööö"] {
            assert!(ApiKey::parse(text).is_err(), "{text}");
        }
        assert!(ApiKey::parse(&format!("{}a", key.reveal())).is_err());
        assert!(ApiKey::parse(&format!(" {}", key.reveal())).is_err());
    }
}

#[test]
fn base62_digits_are_even() {
    let entropy = SeededEntropy::new(9);
    let mut counts = std::collections::HashMap::new();
    for _ in 0..2000 {
        let key = ApiKey::generate(KeyKind::User, &entropy).unwrap();
        for digit in key.reveal()[8..38].chars() {
            *counts.entry(digit).or_insert(0_u32) += 1;
        }
    }
    // 60,000 digits, 968 of each expected, with a standard deviation of 31.
    assert_eq!(counts.len(), 62);
    assert!(
        counts.values().all(|n| (780..1160).contains(n)),
        "{counts:?}"
    );
}

#[test]
fn a_key_makes_only_its_own_kind_of_caller() {
    let entropy = SeededEntropy::new(7);
    let service = ApiKey::generate(KeyKind::Service, &entropy).unwrap();
    let human = ApiKey::generate(KeyKind::User, &entropy).unwrap();
    let service = service.matches(&service.hash()).unwrap();
    let human = human.matches(&human.hash()).unwrap();
    let acme = tenant("acme");
    assert!(Caller::from_user_key(&service, user("alice"), None, "key_1", 0).is_none());
    assert!(Caller::from_service_key(&human, "svc_1", acme.clone(), 0).is_none());
    let alice =
        Caller::from_user_key(&human, user("alice"), Some(acme.clone()), "key_1", 2).unwrap();
    assert_eq!(alice.credential(), vestry_policies::Credential::ApiKey);
    assert_eq!((alice.elevation(), alice.key_id()), (None, Some("key_1")));
    let platform = Caller::from_service_key(&service, "svc_1", acme.clone(), 4).unwrap();
    assert_eq!(platform.principal_text(), "service:svc_1");
    assert_eq!(platform.scopes(), [Scope::Tenant(acme), Scope::Global]);
    assert_eq!(platform.actor(), None);
}

#[test]
fn refresh_tokens_have_one_form() {
    let token = RefreshToken::generate(&SeededEntropy::new(1)).unwrap();
    assert_eq!(token.reveal().len(), 47);
    assert_eq!(
        RefreshToken::parse(token.reveal()).unwrap().hash(),
        token.hash()
    );
    assert!(!format!("{token:?}").contains(&token.reveal()[4..]));
    for text in [
        "",
        "vrt_",
        "vst_usr_1",
        &token.reveal()[..46],
        &format!("{}A", token.reveal()),
    ] {
        assert!(RefreshToken::parse(text).is_err(), "{text}");
    }
}

#[test]
fn cursors_open_in_their_context_only() {
    let w = world();
    let rings = w.identity.rings();
    let cursor = seal_cursor(rings, b"acme/skills?q=", b"42").unwrap();
    assert_eq!(
        open_cursor(rings, b"acme/skills?q=", &cursor).unwrap(),
        b"42"
    );
    assert!(open_cursor(rings, b"acme/skills?q=4", &cursor).is_none());
    assert!(open_cursor(rings, b"acme/skills?q=", &format!("{cursor}A")).is_none());
    assert!(open_cursor(rings, b"acme/skills?q=", &cursor.replace("cursor", "human")).is_none());
    assert!(open_cursor(rings, b"", "").is_none());
}

#[tokio::test]
async fn passwords() {
    let w = world();
    let passwords = w.identity.passwords();
    let phc = passwords.hash("correct horse battery").await.unwrap();
    assert!(phc.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{phc}");
    assert_ne!(phc, passwords.hash("correct horse battery").await.unwrap());
    for (password, stored, right) in [
        ("correct horse battery", Some(&*phc), true),
        ("correct horse battery ", Some(&*phc), false),
        ("Correct horse battery", Some(&*phc), false),
        ("", Some(&*phc), false),
        ("correct horse battery", None, false),
        ("", None, false),
    ] {
        assert_eq!(passwords.verify(password, stored).await.unwrap(), right);
    }
    assert!(
        passwords
            .verify("correct horse battery", Some("junk"))
            .await
            .is_err()
    );
    // Composed and decomposed are one password.
    let phc = passwords
        .hash("caf\u{e9} caf\u{e9} caf\u{e9}")
        .await
        .unwrap();
    let decomposed = "cafe\u{301} cafe\u{301} cafe\u{301}";
    assert!(passwords.verify(decomposed, Some(&phc)).await.unwrap());
    assert_eq!(Passwords::check("elevenchars"), Err(PasswordRule::TooShort));
    assert_eq!(
        Passwords::check(&"x".repeat(257)),
        Err(PasswordRule::TooLong)
    );
    assert_eq!(
        Passwords::check(&"x".repeat(1 << 20)),
        Err(PasswordRule::TooLong)
    );
    assert_eq!(Passwords::check(&"€".repeat(256)), Ok(()));
    let params = PasswordParams::default();
    let dear = Passwords::new(params, Arc::new(SeededEntropy::new(2))).unwrap();
    let phc = dear.hash("correct horse battery").await.unwrap();
    assert!(phc.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{phc}");
    assert!(
        dear.verify("correct horse battery", Some(&phc))
            .await
            .unwrap()
    );
}
