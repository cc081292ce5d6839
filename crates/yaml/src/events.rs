//! A document in passing: its scalars and collections in their order, each with
//! its path, and no tree. For texts so large that only a part of them is to be
//! kept.

use std::borrow::Cow;

use crate::bare::settled;
use crate::read::input::stop;
use crate::read::place;
use crate::read::{Dialect, Grammar, Properties, Refusal, Sink};
use crate::{Comments, Error, FileId, Limits, Node, Step, Style, Text};

/// What is met on the way through a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A scalar, as [`crate::sigs_to_json`] gives it.
    Scalar(Node),
    /// A mapping or sequence begins; what it holds follows.
    Open,
    /// It ends.
    Close,
}

/// Goes through the first document of a text as [`crate::sigs_to_json`] reads it,
/// and tells `visit` what is met and where. What a key says twice is told twice;
/// the last counts.
///
/// `false` where only the whole tree tells what is meant, as of anchors, aliases,
/// tags, merges and keys that are no strings. What was told until then is to be
/// forgotten.
///
/// # Errors
///
/// When the text is no YAML.
pub fn events(
    text: &str,
    file: FileId,
    visit: &mut dyn FnMut(&[Step<'_>], Event),
) -> Result<bool, Error> {
    if stop(text).is_some() {
        return Ok(false);
    }
    let mut passing = Passing {
        visit,
        open: Vec::new(),
        odd: false,
    };
    match Grammar::new(text, Dialect::V2).document(&mut passing) {
        Ok(_) => Ok(true),
        Err(_) if passing.odd => Ok(false),
        Err(refusal) => Err(place::error(refusal, text, Dialect::V2, file, 0)),
    }
}

/// A collection whose end was not met yet.
enum Open<'a> {
    /// How many items of a sequence were met.
    Items(usize),
    /// The key of a mapping that was met last, while its value was not.
    Fields(Option<Cow<'a, str>>),
}

struct Passing<'v, 'a> {
    visit: &'v mut dyn FnMut(&[Step<'_>], Event),
    open: Vec<Open<'a>>,
    /// What was refused is only too odd for here.
    odd: bool,
}

type Done = Result<(), Refusal>;

impl<'a> Passing<'_, 'a> {
    fn refuse(&mut self, at: usize) -> Done {
        self.odd = true;
        Err(Refusal {
            problem: Cow::Borrowed("it is not read in passing"),
            context: None,
            at,
            scanner: false,
            limit: false,
        })
    }

    fn check(&mut self, properties: &Properties<'a>) -> Done {
        let is_plain = properties.anchor.is_none() && properties.tag.is_none();
        match is_plain {
            true => Ok(()),
            false => self.refuse(properties.start),
        }
    }

    /// Tells what is met where everything that is open leads to.
    fn tell(&mut self, event: Event) {
        let path: Vec<Step<'_>> = self
            .open
            .iter()
            .map(|open| match open {
                Open::Items(at) => Step::Index(*at),
                Open::Fields(key) => Step::Key(key.as_deref().unwrap_or_default()),
            })
            .collect();
        (self.visit)(&path, event);
    }

    /// A value has ended.
    fn step(&mut self) {
        match self.open.last_mut() {
            Some(Open::Items(at)) => *at += 1,
            Some(Open::Fields(key)) => *key = None,
            None => {}
        }
    }

    fn awaits_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Fields(None)))
    }
}

impl<'a> Sink<'a> for Passing<'_, 'a> {
    fn scalar(
        &mut self,
        properties: Properties<'a>,
        value: Cow<'a, str>,
        style: Style,
        bytes: (usize, usize),
    ) -> Done {
        self.check(&properties)?;
        if self.awaits_key() {
            let is_text = style != Style::Plain || crate::bare::is_text(&value);
            if !is_text || value == "<<" {
                return self.refuse(bytes.0);
            }
            if let Some(Open::Fields(key)) = self.open.last_mut() {
                *key = Some(value);
            }
            return Ok(());
        }
        let Some(node) = settled(Text::from(value.as_ref()), style) else {
            return self.refuse(bytes.0);
        };
        self.tell(Event::Scalar(node));
        self.step();
        Ok(())
    }

    fn open(&mut self, map: bool, _: bool, properties: Properties<'a>, at: usize) -> Done {
        self.check(&properties)?;
        let is_deep = self.open.len() >= Limits::default().depth;
        if is_deep || self.awaits_key() {
            return self.refuse(at);
        }
        self.tell(Event::Open);
        self.open.push(match map {
            true => Open::Fields(None),
            false => Open::Items(0),
        });
        Ok(())
    }

    fn close(&mut self, _: usize, _: Comments) -> Done {
        self.open.pop();
        self.tell(Event::Close);
        self.step();
        Ok(())
    }

    fn alias(&mut self, _: &'a str, bytes: (usize, usize), _: Comments) -> Done {
        self.refuse(bytes.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::display_path;

    fn told(text: &str) -> Option<Vec<String>> {
        let mut lines = Vec::new();
        let mut visit = |path: &[Step<'_>], event: Event| {
            let what = match event {
                Event::Scalar(node) => crate::to_json(&node),
                Event::Open => "(".into(),
                Event::Close => ")".into(),
            };
            lines.push(format!("{} {what}", display_path(path)));
        };
        let whole = events(text, FileId::NONE, &mut visit).unwrap();
        whole.then_some(lines)
    }

    #[test]
    fn everything_is_told_in_its_order() {
        let text = "a: 1\nb:\n- x: 1.0\n  'y': yes\n- []\n- ~\na: '2'\n---\nno: more\n";
        let expected = [
            " (",
            "a 1",
            "b (",
            "b[0] (",
            "b[0].x 1",
            "b[0].y true",
            "b[0] )",
            "b[1] (",
            "b[1] )",
            "b[2] null",
            "b )",
            "a \"2\"",
            " )",
        ];
        assert_eq!(told(text).unwrap(), expected);
        assert!(told("").unwrap().is_empty());
        assert_eq!(told("text").unwrap(), [" \"text\""]);
    }

    #[test]
    fn what_is_odd_is_not_told() {
        for text in [
            "a: &x 1\nb: *x\n",
            "a: !!str 1\n",
            "<<: {a: b}\n",
            "1: a\n",
            "~: a\n",
            "[a]: b\n",
            "a: .inf\n",
        ] {
            assert_eq!(told(text), None, "{text:?}");
        }
        assert!(events("a: b: c\n", FileId::NONE, &mut |_, _| {}).is_err());
    }
}
