//! Where assignments put their values.

use std::collections::BTreeMap;
use std::sync::Arc;

use gotmpl::Value;
use gotmpl::strconv::quote;
use gotmpl::value::{List, Type};

use super::text::Runes;
use super::value::Read;
use super::{Form, ReadFile};
use crate::data::Data;

/// Helm's limit of keys in each other.
const KEYS: usize = 30;
/// Helm's limit of an index.
const INDEX: i64 = 65_536;
/// Steps of a name. Helm has no limit for indexes.
const STEPS: usize = 256;
/// Items that all assignments of a text may make room for. Helm has no limit.
const ROOM: usize = 1 << 20;

/// Why an assignment ended.
pub(super) enum Stop {
    /// The text has ended, which is no fault.
    End,
    /// A fault, in Helm's words.
    Fault(String),
}

impl Stop {
    pub fn fault(message: impl Into<String>) -> Self {
        Stop::Fault(message.into())
    }
}

/// The keys of a map.
type Entries = BTreeMap<Arc<[u8]>, Data>;

/// Reads assignments and does them.
pub(super) struct Assigner<'a> {
    pub runes: Runes,
    pub form: Form,
    pub read: Option<&'a mut ReadFile<'a>>,
    /// Room that is left for items.
    room: usize,
}

/// How deep a name has come.
#[derive(Clone, Copy, Default)]
struct Depth {
    keys: usize,
    steps: usize,
}

impl Depth {
    fn step(self) -> Result<Self, Stop> {
        let steps = self.steps + 1;
        if steps > STEPS {
            return Err(Stop::fault(format!(
                "a name has more than {STEPS} keys and indexes"
            )));
        }
        Ok(Depth { steps, ..self })
    }

    fn key(self) -> Result<Self, Stop> {
        let keys = self.keys + 1;
        if keys > KEYS {
            return Err(Stop::fault(format!(
                "value name nested level is greater than maximum supported nested level of {KEYS}"
            )));
        }
        Depth { keys, ..self }.step()
    }
}

impl<'a> Assigner<'a> {
    pub fn new(runes: Runes, form: Form, read: Option<&'a mut ReadFile<'_>>) -> Self {
        // A shorter life of the reader's own borrows is enough.
        let read = read.map(shortened);
        Assigner {
            runes,
            form,
            read,
            room: ROOM,
        }
    }

    /// All assignments of the text.
    pub fn all(mut self, map: &mut Entries) -> Result<(), String> {
        loop {
            match self.entry(map, Depth::default()) {
                Ok(()) => {}
                Err(Stop::End) => return Ok(()),
                Err(Stop::Fault(message)) => return Err(message),
            }
        }
    }

    fn word(&mut self, ends: &str) -> super::text::Word {
        self.runes.until(ends, self.form != Form::Literal)
    }

    /// A name from one of its keys on, and its value.
    fn entry(&mut self, map: &mut Entries, depth: Depth) -> Result<(), Stop> {
        let ends = match self.form {
            Form::Literal => "=[.",
            _ => "=[.,",
        };
        let (word, end) = self.word(ends);
        let key: String = word.iter().collect();
        let shown = || quote(key.as_bytes());
        match end {
            None if key.is_empty() => Err(Stop::End),
            None => Err(Stop::fault(format!("key {} has no value", shown()))),
            Some('=') => match self.value()? {
                Read::Value(value) => {
                    put(map, &key, value);
                    Ok(())
                }
                Read::Nothing => {
                    put(map, &key, Data::text(""));
                    Err(Stop::End)
                }
            },
            Some('[') => self.below_index(map, &key, depth),
            Some('.') => self.below_key(map, &key, depth.key()?),
            Some(_) => Err(Stop::fault(format!(
                "key {} has no value (cannot end with ,)",
                shown()
            ))),
        }
    }

    /// Behind `key[`.
    fn below_index(&mut self, map: &mut Entries, key: &str, depth: Depth) -> Result<(), Stop> {
        let index = self.index()?;
        let (known, mut list) = match map.remove(key.as_bytes()) {
            None => (false, Vec::new()),
            Some(Data::List(list)) => (true, list),
            Some(other) => return Err(no_such(&other, "[]interface {}")),
        };
        let done = self.item(&mut list, index, depth.step()?);
        if known || !key.is_empty() {
            map.insert(Arc::from(key.as_bytes()), Data::List(list));
        }
        done
    }

    /// Behind `key.`.
    fn below_key(&mut self, map: &mut Entries, key: &str, depth: Depth) -> Result<(), Stop> {
        let (known, mut inner) = match map.remove(key.as_bytes()) {
            None => (false, Entries::new()),
            Some(Data::Map(inner)) => (true, inner),
            Some(other) => return Err(no_such(&other, "map[string]interface {}")),
        };
        let done = self.entry(&mut inner, depth);
        if done.is_ok() && inner.is_empty() {
            let key = quote(key.as_bytes());
            return Err(Stop::fault(format!("key map {key} has no value")));
        }
        if known || !inner.is_empty() && !key.is_empty() {
            map.insert(Arc::from(key.as_bytes()), Data::Map(inner));
        }
        done
    }

    /// The index up to a `]`.
    fn index(&mut self) -> Result<i64, Stop> {
        let (word, end) = self.word("]");
        if end.is_none() {
            return Err(Stop::End);
        }
        let word: String = word.iter().collect();
        atoi(&word).map_err(|e| Stop::fault(format!("error parsing index: {e}")))
    }

    /// Behind `[index]`: what is set to an item of a list, or below it.
    fn item(&mut self, list: &mut Vec<Data>, index: i64, depth: Depth) -> Result<(), Stop> {
        let at = usize::try_from(index)
            .map_err(|_| Stop::fault(format!("negative {index} index not allowed")))?;
        let (word, end) = self.word("[.=");
        if !word.is_empty() {
            let shown = quoted_runes(&word);
            return Err(Stop::fault(format!(
                "unexpected data at end of array index: {shown}"
            )));
        }
        let made = match end {
            None => return Err(Stop::End),
            Some('=') => match self.value()? {
                Read::Value(value) => value,
                Read::Nothing => Data::text(""),
            },
            Some('[') => {
                let next = self.index()?;
                match list.get_mut(at) {
                    Some(Data::List(known)) => return self.item(known, next, depth.step()?),
                    None | Some(Data::Null) => {}
                    Some(other) => return Err(no_such(other, "[]interface {}")),
                }
                let mut inner = Vec::new();
                self.item(&mut inner, next, depth.step()?)?;
                Data::List(inner)
            }
            Some(_) => {
                if let Some(known) = list.get_mut(at) {
                    if !matches!(known, Data::Map(_)) {
                        *known = Data::map();
                    }
                    if let Data::Map(known) = known {
                        return self.entry(known, depth.step()?);
                    }
                }
                let mut inner = Entries::new();
                self.entry(&mut inner, depth.step()?)?;
                Data::Map(inner)
            }
        };
        self.put_item(list, index, made)
    }

    fn put_item(&mut self, list: &mut Vec<Data>, index: i64, item: Data) -> Result<(), Stop> {
        if index > INDEX {
            return Err(Stop::fault(format!(
                "index of {index} is greater than maximum supported index of {INDEX}"
            )));
        }
        let at = usize::try_from(index).unwrap_or_default();
        let more = (at + 1).saturating_sub(list.len());
        let Some(room) = self.room.checked_sub(more) else {
            return Err(Stop::fault(format!("lists get more than {ROOM} items")));
        };
        self.room = room;
        if more > 0 {
            list.resize(at + 1, Data::Null);
        }
        if let Some(place) = list.get_mut(at) {
            *place = item;
        }
        Ok(())
    }
}

fn shortened<'a>(read: &'a mut ReadFile<'_>) -> &'a mut ReadFile<'a> {
    read
}

/// Sets an entry. What has no name is not set.
fn put(map: &mut Entries, key: &str, value: Data) {
    if !key.is_empty() {
        map.insert(Arc::from(key.as_bytes()), value);
    }
}

/// A name goes through a value that has nothing below it.
fn no_such(found: &Data, wanted: &str) -> Stop {
    let found = match found {
        Data::Null => "nil",
        Data::Bool(_) => "bool",
        Data::Int(_) => "int64",
        Data::Float(_) => "float64",
        Data::String(_) => "string",
        Data::List(_) => "[]interface {}",
        Data::Map(_) => "map[string]interface {}",
    };
    Stop::fault(format!(
        "unable to parse key: interface conversion: interface {{}} is {found}, not {wanted}"
    ))
}

/// Go's `strconv.Atoi`.
fn atoi(word: &str) -> Result<i64, String> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let fault = match digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => "invalid syntax",
        false => "value out of range",
    };
    word.parse()
        .map_err(|_| format!("strconv.Atoi: parsing {}: {fault}", quote(word.as_bytes())))
}

/// As Go prints a list of runes with `%q`.
fn quoted_runes(word: &[char]) -> String {
    static RUNES: gotmpl::value::SliceType = gotmpl::value::SliceType {
        name: "[]int32",
        elem: Type::Any,
        named: false,
        methods: &[],
    };
    let runes = word
        .iter()
        .map(|rune| Value::int(i64::from(u32::from(*rune))));
    let list = List::new(&RUNES, runes.collect());
    String::from_utf8_lossy(&gotmpl::fmt::sprintf(b"%q", &[list.into()])).into_owned()
}
