//! Names, tags and digests of container images.

use ecow::{EcoString, EcoVec, eco_format};
use regex::Regex;
use yaml::{Node, Span, Value};

use super::field::{concerns, each_place_of};
use super::kind::{Kind, expect_kind};
use super::scalar::{Written, replace};
use crate::error::Error;
use crate::field_spec::FieldSpec;
use crate::id::field_text;
use crate::kustomization::Image;
use crate::regexp;

/// What may follow the name in an image that is changed.
const TAG_AND_DIGEST: &str = "(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$";

/// One entry of `images`, ready to be applied.
#[derive(Debug)]
pub struct ImageChange<'a> {
    image: &'a Image,
    pattern: Result<Regex, Error>,
}

/// An image, taken apart. Absent parts are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts<'t> {
    name: &'t str,
    tag: &'t str,
    digest: &'t str,
}

impl<'t> Parts<'t> {
    fn of(image: &'t str) -> Self {
        // A colon in front of the first slash belongs to a registry's port.
        let path = image.find('/').filter(|at| *at > 0).unwrap_or(0);
        let find = |c: char| image.get(path..)?.find(c).map(|at| at + path);
        let until = |start: usize, end: usize| image.get(start..end).unwrap_or_default();
        let (colon, at) = (find(':'), find('@'));
        let end = image.len();
        match (colon, at) {
            (Some(colon), Some(at)) if colon < at => Parts {
                name: until(0, colon),
                tag: until(colon + 1, at),
                digest: until(at + 1, end),
            },
            (_, Some(at)) => Parts {
                name: until(0, at),
                tag: "",
                digest: until(at + 1, end),
            },
            (Some(colon), None) => Parts {
                name: until(0, colon),
                tag: until(colon + 1, end),
                digest: "",
            },
            (None, None) => Parts {
                name: image,
                tag: "",
                digest: "",
            },
        }
    }
}

impl<'a> ImageChange<'a> {
    /// Prepares an entry. That its name is no regular expression matters only
    /// when an image is met.
    pub fn new(image: &'a Image) -> Self {
        let pattern = regexp::compile(&format!("^{}{TAG_AND_DIGEST}", image.name));
        ImageChange { image, pattern }
    }

    /// Changes the images of all lists named `containers` or `initContainers`,
    /// wherever they stand, then those the specs lead to. Custom resource
    /// definitions are left alone. Fails where an image is no scalar, and where
    /// an element of such a list is no mapping.
    pub fn apply(&self, object: &mut Node, specs: &[FieldSpec]) -> Result<(), Error> {
        if field_text(object, "kind") == Some("CustomResourceDefinition") {
            return Ok(());
        }
        // Objects share their nodes with the files they were read from: only
        // what changes is copied.
        if self.concerns_containers(object) {
            self.containers(object)?;
        }
        let wanted = |spec: &&FieldSpec| concerns(object, spec, |place| self.concerns(place));
        let specs: Vec<&FieldSpec> = specs.iter().filter(wanted).collect();
        each_place_of(object, specs, None, &mut |place| self.change(place))
    }

    /// Whether something happens to an image: it changes, or is refused.
    fn concerns(&self, image: &Node) -> bool {
        match (&image.value, &self.pattern) {
            (Value::Scalar(text), Ok(pattern)) => pattern.is_match(text),
            _ => true,
        }
    }

    /// Whether something happens to any of the containers in a node.
    fn concerns_containers(&self, node: &Node) -> bool {
        let element = |item: &Node| match item.is_map() {
            true => item.get("image").is_some_and(|image| self.concerns(image)),
            false => !item.is_null(),
        };
        match &node.value {
            Value::Scalar(_) => false,
            Value::Sequence(items) => items.iter().any(|item| self.concerns_containers(item)),
            Value::Mapping(entries) => entries.iter().any(|entry| {
                (holds_containers(entry) && entry.value.items().iter().any(element))
                    || self.concerns_containers(&entry.value)
            }),
        }
    }

    fn containers(&self, node: &mut Node) -> Result<(), Error> {
        match &mut node.value {
            Value::Scalar(_) => Ok(()),
            Value::Sequence(items) => {
                let mut items = EcoVec::make_mut(items).iter_mut();
                items.try_for_each(|item| self.containers(item))
            }
            Value::Mapping(entries) => {
                for entry in EcoVec::make_mut(entries) {
                    self.containers(&mut entry.value)?;
                    if holds_containers(entry) {
                        self.elements(&mut entry.value)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn elements(&self, list: &mut Node) -> Result<(), Error> {
        let Some(items) = list.items_mut() else {
            return Ok(());
        };
        for item in EcoVec::make_mut(items) {
            expect_kind(Kind::Mapping, item)?;
            if let Some(image) = item.get_mut("image") {
                self.change(image)?;
            }
        }
        Ok(())
    }

    fn change(&self, place: &mut Node) -> Result<(), Error> {
        expect_kind(Kind::Scalar, place)?;
        let old = place.text().cloned().unwrap_or_default();
        let pattern = match &self.pattern {
            Ok(pattern) => pattern,
            Err(error) => return Err(error.clone().at(self.span())),
        };
        if !pattern.is_match(&old) {
            return Ok(());
        }
        let new = self.changed(&old);
        let span = if new == old { place.span } else { self.span() };
        replace(place, new, Written::Untyped, span)
    }

    fn span(&self) -> Span {
        self.image.span.unwrap_or(Span::NONE)
    }

    /// The image after the change. A new tag drops the digest and a new digest
    /// the tag, unless both are given.
    fn changed(&self, old: &str) -> EcoString {
        let Parts { name, tag, digest } = Parts::of(old);
        let image = self.image;
        let name = if image.new_name.is_empty() {
            name
        } else {
            &image.new_name
        };
        let (new_tag, new_digest) = (image.new_tag.as_str(), image.digest.as_str());
        let (tag, digest) = match (new_tag, new_digest, image.tag_suffix.as_str()) {
            ("", "", "") => (EcoString::from(tag), digest),
            ("", "", suffix) => (eco_format!("{tag}{suffix}"), ""),
            (new_tag, new_digest, _) => (new_tag.into(), new_digest),
        };
        let mut changed = EcoString::from(name);
        if !tag.is_empty() {
            changed.push(':');
            changed.push_str(&tag);
        }
        if !digest.is_empty() {
            changed.push('@');
            changed.push_str(digest);
        }
        changed
    }
}

fn holds_containers(entry: &yaml::Entry) -> bool {
    let key = entry.key.text().map_or("", |text| text.as_str());
    matches!(key, "containers" | "initContainers")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(image: Image, old: &str) -> String {
        let mut place = Node::string(old);
        ImageChange::new(&image).change(&mut place).unwrap();
        place.text().unwrap().to_string()
    }

    fn image(name: &str) -> Image {
        Image {
            name: name.into(),
            new_tag: "v2".into(),
            ..Image::default()
        }
    }

    #[test]
    fn images_are_taken_apart() {
        let parts = |text| {
            let Parts { name, tag, digest } = Parts::of(text);
            [name, tag, digest]
        };
        assert_eq!(parts("nginx"), ["nginx", "", ""]);
        assert_eq!(parts("nginx:1"), ["nginx", "1", ""]);
        assert_eq!(parts("r.example:5000/a/b"), ["r.example:5000/a/b", "", ""]);
        assert_eq!(
            parts("r:5000/a:1@sha256:ab"),
            ["r:5000/a", "1", "sha256:ab"]
        );
        assert_eq!(parts("a@sha256:ab"), ["a", "", "sha256:ab"]);
        assert_eq!(parts("a@sha256:ab:x"), ["a", "", "sha256:ab:x"]);
    }

    #[test]
    fn the_name_is_a_regular_expression_for_the_whole_name() {
        assert_eq!(change(image("nginx"), "nginx:1"), "nginx:v2");
        assert_eq!(change(image("nginx"), "my-nginx:1"), "my-nginx:1");
        assert_eq!(change(image(".*/app"), "r.example/app"), "r.example/app:v2");
    }

    #[test]
    fn tag_and_digest_replace_both() {
        let digest = Image {
            digest: "sha256:new".into(),
            ..Image::default()
        };
        let with = |f: fn(&mut Image)| {
            let mut image = Image {
                name: "a".into(),
                ..digest.clone()
            };
            f(&mut image);
            image
        };
        assert_eq!(change(with(|_| {}), "a:1"), "a@sha256:new");
        assert_eq!(
            change(with(|i| i.new_tag = "2".into()), "a:1"),
            "a:2@sha256:new"
        );
        let suffix = |i: &mut Image| (i.digest, i.tag_suffix) = ("".into(), "-x".into());
        assert_eq!(change(with(suffix), "a:1@sha256:old"), "a:1-x");
        assert_eq!(
            change(with(|i| i.digest = "".into()), "a:1@sha256:old"),
            "a:1@sha256:old"
        );
    }
}
