//! Slices: views of shared, immutable elements.

use std::fmt;
use std::rc::Rc;

use super::drop::unlink;
use super::types::{ANY_SLICE, SliceType, Type};
use super::{Str, Value};

/// A slice. Copies and sub-slices share the elements, which never change.
#[derive(Clone)]
pub struct List {
    data: Rc<Data>,
    start: u32,
    len: u32,
}

struct Data {
    ty: &'static SliceType,
    nil: bool,
    items: Vec<Value>,
}

impl Drop for Data {
    fn drop(&mut self) {
        unlink(std::mem::take(&mut self.items));
    }
}

impl List {
    /// A slice of a type.
    pub fn new(ty: &'static SliceType, mut items: Vec<Value>) -> Self {
        // No template makes so many: the step limit is far below.
        items.truncate(u32::MAX as usize);
        let len = u32::try_from(items.len()).unwrap_or(u32::MAX);
        let data = Rc::new(Data {
            ty,
            nil: false,
            items,
        });
        List {
            data,
            start: 0,
            len,
        }
    }

    /// The nil slice of a type: empty, and equal to nil.
    pub fn nil(ty: &'static SliceType) -> Self {
        let data = Rc::new(Data {
            ty,
            nil: true,
            items: Vec::new(),
        });
        List {
            data,
            start: 0,
            len: 0,
        }
    }

    /// Its type.
    pub fn ty(&self) -> &'static SliceType {
        self.data.ty
    }

    /// It is the nil slice.
    pub fn is_nil(&self) -> bool {
        self.data.nil
    }

    /// The elements.
    pub fn items(&self) -> &[Value] {
        let (start, len) = (self.start as usize, self.len as usize);
        self.data.items.get(start..start + len).unwrap_or_default()
    }

    /// How many elements could be seen by slicing up to the end of what is
    /// behind the slice.
    pub fn capacity(&self) -> usize {
        self.data.items.len() - self.start as usize
    }

    /// The elements from `from` up to `to`, which may reach up to the
    /// capacity; nothing if that is out of range.
    pub fn slice(&self, from: usize, to: usize) -> Option<List> {
        if from > to || to > self.capacity() {
            return None;
        }
        Some(List {
            data: self.data.clone(),
            start: self.start + u32::try_from(from).ok()?,
            len: u32::try_from(to - from).ok()?,
        })
    }

    /// Both are views of the same elements.
    pub fn is_same(&self, other: &List) -> bool {
        Rc::ptr_eq(&self.data, &other.data) && self.start == other.start && self.len == other.len
    }

    /// The elements, without copying them where nothing else holds them.
    pub fn into_items(mut self) -> Vec<Value> {
        if self.start == 0
            && self.len as usize == self.data.items.len()
            && let Some(data) = Rc::get_mut(&mut self.data)
        {
            return std::mem::take(&mut data.items);
        }
        self.items().to_vec()
    }

    /// Elements are seen through an interface.
    pub(crate) fn is_boxed(&self) -> bool {
        matches!(self.data.ty.elem, Type::Any)
    }

    /// The elements to unlink, if nothing else holds them.
    pub(super) fn take_unshared(&mut self) -> Vec<Value> {
        match Rc::get_mut(&mut self.data) {
            Some(data) => std::mem::take(&mut data.items),
            None => Vec::new(),
        }
    }

    /// Where the elements are, as a number.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.data).cast::<u8>() as usize
    }
}

impl FromIterator<Value> for List {
    fn from_iter<T: IntoIterator<Item = Value>>(iter: T) -> Self {
        List::new(&ANY_SLICE, iter.into_iter().collect())
    }
}

impl FromIterator<Str> for List {
    fn from_iter<T: IntoIterator<Item = Str>>(iter: T) -> Self {
        let items = iter.into_iter().map(Value::String).collect();
        List::new(&super::types::STRING_SLICE, items)
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.items()).finish()
    }
}
