//! The places of a context that a template names, and what is known of each where the checker is.

use super::facts::{Facts, May};
use super::schema::types::{Field, Object, Type};
use super::types::Shape;

/// A place: the root, a field of another place, or the item that a loop is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct PlaceId(u32);

/// How a place is reached from the one that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key<'a> {
    Root,
    Field(&'a str),
    /// The item of the loop of this depth: two loops over one list are at two items.
    Item(usize),
}

#[derive(Debug)]
struct Place<'a> {
    parent: PlaceId,
    key: Key<'a>,
    shape: Shape<'a>,
    first: May,
    may: May,
    children: Vec<PlaceId>,
    read: bool,
    /// Whether everything below it is read with it.
    whole: bool,
}

/// All places that were named.
#[derive(Debug)]
pub(super) struct Places<'a> {
    all: Vec<Place<'a>>,
    /// What was known before, so that a branch can be left.
    trail: Vec<(PlaceId, May)>,
}

/// How far a branch goes back when it is left.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark(usize);

impl<'a> Places<'a> {
    pub(super) const ROOT: PlaceId = PlaceId(0);

    pub(super) fn new(root: &'a Object) -> Places<'a> {
        let shape = Shape::Object(root);
        let may = shape.may(false, None);
        let place = Place {
            parent: Places::ROOT,
            key: Key::Root,
            shape,
            first: may,
            may,
            children: Vec::new(),
            read: false,
            whole: false,
        };
        Places {
            all: vec![place],
            trail: Vec::new(),
        }
    }

    /// Forgets what is known, but not which places there are.
    pub(super) fn reset(&mut self) {
        self.trail.clear();
        for place in &mut self.all {
            place.may = place.first;
        }
    }

    fn get(&self, id: PlaceId) -> Option<&Place<'a>> {
        self.all.get(id.0 as usize)
    }

    pub(super) fn shape(&self, id: PlaceId) -> Shape<'a> {
        self.get(id).map_or(Shape::Null, |place| place.shape)
    }

    pub(super) fn may(&self, id: PlaceId) -> May {
        self.get(id).map_or(May::NOTHING, |place| place.may)
    }

    fn child(&mut self, of: PlaceId, key: Key<'a>, ty: &'a Type, nullable: bool) -> PlaceId {
        let known = self.get(of).and_then(|place| {
            place
                .children
                .iter()
                .copied()
                .find(|child| self.get(*child).is_some_and(|child| child.key == key))
        });
        if let Some(known) = known {
            return known;
        }
        // A template has fewer names than a number of 32 bits counts.
        let id = PlaceId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        let shape = Shape::of(ty);
        let may = shape.may(nullable, Some(ty));
        self.all.push(Place {
            parent: of,
            key,
            shape,
            first: may,
            may,
            children: Vec::new(),
            read: false,
            whole: false,
        });
        if let Some(place) = self.all.get_mut(of.0 as usize) {
            place.children.push(id);
        }
        id
    }

    pub(super) fn field(&mut self, of: PlaceId, field: &'a Field) -> PlaceId {
        self.child(of, Key::Field(&field.name), &field.ty, field.nullable)
    }

    pub(super) fn item(&mut self, of: PlaceId, ty: &'a Type, depth: usize) -> PlaceId {
        self.child(of, Key::Item(depth), ty, false)
    }

    pub(super) fn read(&mut self, id: PlaceId) {
        if let Some(place) = self.all.get_mut(id.0 as usize) {
            place.read = true;
        }
    }

    pub(super) fn read_whole(&mut self, id: PlaceId) {
        if let Some(place) = self.all.get_mut(id.0 as usize) {
            place.whole = true;
        }
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.trail.len())
    }

    /// Takes facts for true; false when they cannot all be, so that the branch is never reached.
    pub(super) fn assume(&mut self, facts: &Facts) -> bool {
        let mut possible = true;
        for (id, fact) in facts {
            if let Some(place) = self.all.get_mut(id.0 as usize) {
                self.trail.push((*id, place.may));
                place.may = place.may.and(*fact);
                possible &= !place.may.impossible();
            }
        }
        possible
    }

    pub(super) fn undo(&mut self, mark: Mark) {
        while self.trail.len() > mark.0 {
            let Some((id, may)) = self.trail.pop() else {
                return;
            };
            if let Some(place) = self.all.get_mut(id.0 as usize) {
                place.may = may;
            }
        }
    }

    /// Whether two places are the same by the schema, so that their values may be one and the same.
    pub(super) fn may_be_one(&self, mut one: PlaceId, mut other: PlaceId) -> bool {
        loop {
            let (Some(a), Some(b)) = (self.get(one), self.get(other)) else {
                return false;
            };
            match (a.key, b.key) {
                (Key::Root, Key::Root) => return true,
                (Key::Field(a), Key::Field(b)) if a == b => {}
                (Key::Item(_), Key::Item(_)) => {}
                _ => return false,
            }
            (one, other) = (a.parent, b.parent);
        }
    }

    /// The path of a place from the root, `*` for the items of a list.
    pub(super) fn path(&self, id: PlaceId) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        while let Some(place) = self.get(at) {
            match place.key {
                Key::Root => break,
                Key::Field(name) => steps.push(name),
                Key::Item(_) => steps.push("*"),
            }
            at = place.parent;
        }
        steps.reverse();
        steps.join(".")
    }

    pub(super) fn all_read(&self) -> impl Iterator<Item = String> {
        self.all
            .iter()
            .enumerate()
            .filter(|(_, place)| place.read)
            .map(|(at, place)| {
                let path = self.path(PlaceId(u32::try_from(at).unwrap_or(u32::MAX)));
                match (place.whole, path.is_empty()) {
                    (false, _) => path,
                    (true, true) => "**".to_owned(),
                    (true, false) => format!("{path}.**"),
                }
            })
    }
}
