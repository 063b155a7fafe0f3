//! The grammars of names, ids, scopes and digests.

use proptest::prelude::*;
use vestry_policies::{
    ActorId, Digest, IdError, NameError, Scope, ScopeError, SkillName, TenantId, Username,
};

use crate::support::{config, tenant_id};

#[test]
fn names_follow_the_agent_skills_rule() {
    let longest = "a".repeat(64);
    for good in ["a", "0", "refund-policy", "a-1-b", &longest] {
        assert_eq!(
            SkillName::parse(good).map(|name| name.to_string()),
            Ok(good.to_owned())
        );
    }
    assert_eq!(SkillName::parse(""), Err(NameError::Empty));
    assert_eq!(SkillName::parse(&"a".repeat(65)), Err(NameError::TooLong));
    for bad in [
        " a", "a ", "-a", "a-", "a--b", "A", "a_b", "a.b", "é", "a\n", "a/b", "-",
    ] {
        assert_eq!(SkillName::parse(bad), Err(NameError::Grammar), "{bad:?}");
    }
}

#[test]
fn ids_refuse_what_careless_clients_send_for_nothing() {
    for good in ["u1", "A.b_c:d@e+f-g", "...", &"x".repeat(64)] {
        assert!(ActorId::parse(good).is_ok(), "{good}");
    }
    for bad in [".", "..", "null", "undefined", "NULL", "Undefined"] {
        assert_eq!(TenantId::parse(bad), Err(IdError::Reserved), "{bad}");
    }
    assert_eq!(TenantId::parse(""), Err(IdError::Empty));
    assert_eq!(TenantId::parse(&"x".repeat(65)), Err(IdError::TooLong));
    for bad in [" u1", "u1 ", "a/b", "a\0", "é", "a b", "a\n", "*"] {
        assert_eq!(TenantId::parse(bad), Err(IdError::Character), "{bad:?}");
    }
    assert_eq!(TenantId::parse("Acme").unwrap().folded(), "acme");
    let ada = Username::parse("ada").unwrap();
    assert_eq!(ActorId::from(&ada).as_str(), "ada");
}

#[test]
fn an_actor_of_one_tenant_is_not_the_same_one_of_another() {
    let at = |tenant: &str| Scope::parse("actor:7", Some(&tenant_id(tenant))).unwrap();
    assert_ne!(at("acme"), at("rival"));
    assert_ne!(at("acme"), Scope::parse("actor:7", None).unwrap());
    assert_eq!(at("acme").to_string(), at("rival").to_string());
}

#[test]
fn scopes_have_three_forms() {
    for bad in [
        "",
        "Global",
        "global:",
        "global:x",
        "user:1",
        "actor",
        "tenant",
        "tenant acme",
    ] {
        assert_eq!(Scope::parse(bad, None), Err(ScopeError::Form), "{bad:?}");
    }
    for bad in [
        "actor:",
        "tenant:",
        "tenant:null",
        "actor:undefined",
        "tenant: acme",
        "actor:a/b",
    ] {
        assert!(
            matches!(Scope::parse(bad, None), Err(ScopeError::Id(_))),
            "{bad:?}"
        );
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_scope_reads_as_it_is_written(text in "actor:[A-Za-z0-9:@+-]{1,9}|tenant:[a-z]{1,4}|global") {
        let acme = tenant_id("acme");
        if let Ok(scope) = Scope::parse(&text, Some(&acme)) {
            prop_assert_eq!(scope.to_string(), text);
        }
    }

    #[test]
    fn a_digest_has_one_spelling(bytes in any::<[u8; 32]>(), noise in ".{0,80}") {
        let text = Digest(bytes).to_string();
        prop_assert_eq!(Digest::parse(&text), Some(Digest(bytes)));
        prop_assert_eq!(Digest::parse(&text.to_uppercase()), None);
        prop_assert_eq!(Digest::parse(&noise), None);
    }

    /// Any text at all: an answer, never a panic; and what is accepted is in the grammar.
    #[test]
    fn any_text_has_an_answer(text in any::<String>()) {
        if let Ok(name) = SkillName::parse(&text) {
            prop_assert!(name.as_str().bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
        }
        if let Ok(id) = ActorId::parse(&text) {
            prop_assert!(!id.as_str().contains(|c: char| c.is_whitespace() || c == '/'));
        }
        let _ = Scope::parse(&text, None);
    }
}
