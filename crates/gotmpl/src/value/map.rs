//! Maps: shared and changeable, with sorted keys.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::drop::unlink;
use super::types::{ANY_MAP, MapType, Type};
use super::{Str, Value};

/// A map with string keys. Copies are the same map: what one changes, all see.
#[derive(Clone)]
pub struct Map {
    ty: &'static MapType,
    data: Rc<Data>,
}

struct Data {
    nil: bool,
    entries: RefCell<BTreeMap<Str, Value>>,
}

impl Drop for Data {
    fn drop(&mut self) {
        unlink(std::mem::take(self.entries.get_mut()).into_values());
    }
}

impl Map {
    /// An empty map of a type.
    pub fn new(ty: &'static MapType) -> Self {
        Map::with(ty, BTreeMap::new())
    }

    /// A map of a type with its entries.
    pub fn with(ty: &'static MapType, entries: BTreeMap<Str, Value>) -> Self {
        Map {
            ty,
            data: Rc::new(Data {
                nil: false,
                entries: RefCell::new(entries),
            }),
        }
    }

    /// The nil map of a type: empty, equal to nil, and not to be written.
    pub fn nil(ty: &'static MapType) -> Self {
        Map {
            ty,
            data: Rc::new(Data {
                nil: true,
                entries: RefCell::new(BTreeMap::new()),
            }),
        }
    }

    /// Its type.
    pub fn ty(&self) -> &'static MapType {
        self.ty
    }

    /// The same map under another type.
    pub fn as_type(&self, ty: &'static MapType) -> Self {
        Map {
            ty,
            data: self.data.clone(),
        }
    }

    /// It is the nil map.
    pub fn is_nil(&self) -> bool {
        self.data.nil
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.data.entries.borrow().len()
    }

    /// It has no entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<Value> {
        self.data.entries.borrow().get(key).cloned()
    }

    /// It has the key.
    pub fn contains(&self, key: &[u8]) -> bool {
        self.data.entries.borrow().contains_key(key)
    }

    /// Sets the value of a key. The nil map stays empty: ask [`Map::is_nil`]
    /// first where Go would panic.
    pub fn insert(&self, key: Str, value: Value) {
        if !self.data.nil {
            self.data.entries.borrow_mut().insert(key, value);
        }
    }

    /// Takes a key out.
    pub fn remove(&self, key: &[u8]) -> Option<Value> {
        self.data.entries.borrow_mut().remove(key)
    }

    /// The keys, sorted.
    pub fn keys(&self) -> Vec<Str> {
        self.data.entries.borrow().keys().cloned().collect()
    }

    /// The entries as they are now, sorted by key.
    pub fn entries(&self) -> Vec<(Str, Value)> {
        let entries = self.data.entries.borrow();
        let pair = |(key, value): (&Str, &Value)| (key.clone(), value.clone());
        entries.iter().map(pair).collect()
    }

    /// Looks at each entry, sorted by key. `look` must not change the map.
    pub(crate) fn each(&self, mut look: impl FnMut(&Str, &Value)) {
        for (key, value) in self.data.entries.borrow().iter() {
            look(key, value);
        }
    }

    /// Both are one map.
    pub fn is_same(&self, other: &Map) -> bool {
        Rc::ptr_eq(&self.data, &other.data)
    }

    /// Values are seen through an interface.
    pub(crate) fn is_boxed(&self) -> bool {
        matches!(self.ty.elem, Type::Any)
    }

    /// The values to unlink, if nothing else holds the map.
    pub(super) fn take_unshared(&mut self) -> Vec<Value> {
        match Rc::get_mut(&mut self.data) {
            Some(data) => std::mem::take(data.entries.get_mut())
                .into_values()
                .collect(),
            None => Vec::new(),
        }
    }

    /// Where the map is, as a number.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.data).cast::<u8>() as usize
    }
}

impl FromIterator<(Str, Value)> for Map {
    fn from_iter<T: IntoIterator<Item = (Str, Value)>>(iter: T) -> Self {
        Map::with(&ANY_MAP, iter.into_iter().collect())
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Maps can hold themselves.
        write!(f, "map of {} entries", self.len())
    }
}
