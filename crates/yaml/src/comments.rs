//! The comments that belong to a node.

use std::sync::Arc;

use crate::Text;

/// The comments that go-yaml v3 gives to a node, each with its `#`; lines of one
/// comment are separated by `\n`. They mean nothing, but kyaml prints them, and
/// takes objects through that text: now and then it cannot read it again.
///
/// Most nodes have none, which costs no memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comments(Option<Arc<Texts>>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Texts {
    head: Text,
    line: Text,
    foot: Text,
    above: Text,
    below: Text,
}

impl Comments {
    /// No comment.
    pub const NONE: Comments = Comments(None);

    /// Comments before a node, behind it on its line, and below it.
    pub fn new(head: Text, line: Text, foot: Text) -> Self {
        if head.is_empty() && line.is_empty() && foot.is_empty() {
            return Comments::NONE;
        }
        Comments(Some(Arc::new(Texts {
            head,
            line,
            foot,
            ..Texts::default()
        })))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// What stands in the lines before the node.
    pub fn head(&self) -> &str {
        self.0.as_ref().map_or("", |texts| texts.head.as_str())
    }

    /// What stands behind the node on its line.
    pub fn line(&self) -> &str {
        self.0.as_ref().map_or("", |texts| texts.line.as_str())
    }

    /// What stands in the lines below the node.
    pub fn foot(&self) -> &str {
        self.0.as_ref().map_or("", |texts| texts.foot.as_str())
    }

    /// For the root of a document: what stands above the document, set off by an
    /// empty line.
    pub fn above(&self) -> &str {
        self.0.as_ref().map_or("", |texts| texts.above.as_str())
    }

    /// For the root of a document: what stands below the document.
    pub fn below(&self) -> &str {
        self.0.as_ref().map_or("", |texts| texts.below.as_str())
    }

    /// Takes the comments before, behind and below of another node where that has
    /// some, as kyaml's merging does.
    pub fn take_over(&mut self, other: &Comments) {
        let Some(new) = &other.0 else {
            return;
        };
        self.change(|texts| {
            for (own, other) in [
                (&mut texts.head, &new.head),
                (&mut texts.line, &new.line),
                (&mut texts.foot, &new.foot),
            ] {
                if !other.is_empty() {
                    own.clone_from(other);
                }
            }
        });
    }

    /// The comments of a collection that begins with these and ends with others:
    /// of those at its start only the one before it is kept.
    pub(crate) fn up_to(&self, end: &Comments) -> Comments {
        if self.is_empty() && end.is_empty() {
            return Comments::NONE;
        }
        Comments::new(self.head().into(), end.line().into(), end.foot().into())
    }

    /// All but the one below.
    pub(crate) fn without_foot(&self) -> Comments {
        Comments::new(self.head().into(), self.line().into(), Text::new())
    }

    /// Hands the comment below a node, or below the end, of a mapping that has
    /// `children` keys and values so far to the key it belongs to: a value's to its
    /// key, others to the key before. `key`: the comments of the child so many from
    /// the last.
    pub(crate) fn settle_foot<'c>(
        &mut self,
        flow: bool,
        children: usize,
        key: impl FnOnce(usize) -> Option<&'c mut Comments>,
    ) {
        let back = match children % 2 {
            1 => 1,
            _ if !flow && children >= 2 => 2,
            _ => return,
        };
        if self.foot().is_empty() {
            return;
        }
        if let Some(owner) = key(back)
            && (back == 2 || owner.foot().is_empty())
        {
            let mut foot = Text::new();
            self.change(|texts| foot = std::mem::take(&mut texts.foot));
            owner.change(|texts| texts.foot = foot);
        }
    }

    /// Sets what stands around the document.
    pub(crate) fn set_around(&mut self, above: Text, below: Text) {
        if above.is_empty() && below.is_empty() {
            return;
        }
        self.change(|texts| {
            texts.above = above;
            texts.below = below;
        });
    }

    fn change(&mut self, change: impl FnOnce(&mut Texts)) {
        let texts = Arc::make_mut(self.0.get_or_insert_default());
        change(texts);
        if *texts == Texts::default() {
            self.0 = None;
        }
    }
}
