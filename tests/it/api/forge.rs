//! Tokens as a forger makes them who has stolen every key, so that nothing but the checks stands in the way.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use sha2::Sha256;
use vestry::server::keys_file;

use crate::harness::TestServer;

/// The keys of a server.
pub(crate) struct Forge {
    rings: Value,
}

pub(crate) fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Header and claims of a token.
pub(crate) fn opened(token: &str) -> (Value, Value) {
    let read = |part: Option<&str>| {
        let bytes = URL_SAFE_NO_PAD.decode(part.unwrap()).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    };
    let mut parts = token.split('.');
    (read(parts.next()), read(parts.next()))
}

impl Forge {
    pub(crate) fn of(server: &TestServer) -> Self {
        let bytes = std::fs::read(keys_file(server.directory.path())).unwrap();
        let file: Value = serde_json::from_slice(&bytes).unwrap();
        Self {
            rings: file["rings"].clone(),
        }
    }

    pub(crate) fn kid(&self, ring: &str) -> String {
        self.rings[ring][0]["kid"].as_str().unwrap().to_owned()
    }

    pub(crate) fn secret(&self, ring: &str) -> Vec<u8> {
        let text = self.rings[ring][0]["secret"].as_str().unwrap();
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    /// Signs a header and claims, both as they are written, with a ring's key.
    pub(crate) fn sign(&self, ring: &str, header: &str, claims: &str) -> String {
        mac(
            &self.secret(ring),
            &format!("{}.{}", b64(header), b64(claims)),
        )
    }

    /// Signs with a ring's key, under the header that belongs to the ring.
    pub(crate) fn claims(&self, ring: &str, claims: &Value) -> String {
        self.sign(ring, &self.header(ring).to_string(), &claims.to_string())
    }

    /// The header that the server writes for a ring.
    pub(crate) fn header(&self, ring: &str) -> Value {
        let typ = match ring {
            "human" => "at+jwt",
            "elevated" => "elevated+jwt",
            "agent" => "agent+jwt",
            "offer" => "skill-offer+jwt",
            other => panic!("{other} signs no tokens"),
        };
        json!({"typ": typ, "alg": "HS256", "kid": self.kid(ring)})
    }
}

/// A message with its HS256 signature.
pub(crate) fn mac(secret: &[u8], message: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    mac.update(message.as_bytes());
    format!("{message}.{}", b64(mac.finalize().into_bytes()))
}

/// The object with a member set; a member set to null is null, not absent.
pub(crate) fn with(object: &Value, name: &str, value: impl Into<Value>) -> Value {
    let mut object = object.clone();
    object[name] = value.into();
    object
}

/// The object without a member.
pub(crate) fn without(object: &Value, name: &str) -> Value {
    let mut object = object.clone();
    object.as_object_mut().unwrap().remove(name).unwrap();
    object
}
