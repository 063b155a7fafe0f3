//! Every kind of fault is refused, at its place.

mod document;
mod fields;
mod situations;

use serde_json::Value;

use super::{base, parse};

/// The base with a value at a JSON pointer, whose parent is there.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = base();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let key = key.replace("~1", "/").replace("~0", "~");
    document.pointer_mut(parent).unwrap()[key] = value;
    document
}

/// The base without what is at a JSON pointer.
fn without(pointer: &str) -> Value {
    let mut document = base();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    document
        .pointer_mut(parent)
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove(key)
        .unwrap();
    document
}

/// The document has this fault, and no other.
#[track_caller]
fn refused(document: &Value, path: &str, part: &str) {
    let faults = parse(document).expect_err("the document is refused");
    let [fault] = faults.as_slice() else {
        panic!("one fault: {faults:#?}");
    };
    assert_eq!(fault.path, path, "{fault}");
    assert!(fault.detail.contains(part), "{fault}");
    assert!(fault.detail.ends_with('.'), "a sentence: {fault}");
}
