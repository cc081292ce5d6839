//! Reading a kustomization file as Go fills its struct when told to be lenient,
//! and writes it out again: unknown fields are lost, names match in any case,
//! numbers and booleans become text where text is due, and what is empty is
//! left out. A value of a wrong type is kept, for the build to refuse.

use yaml::{Node, Tag};

use crate::number;

/// What a field holds.
enum Shape {
    Text,
    /// A pointer to text: empty text counts.
    OptionalText,
    Bool,
    Int,
    /// An integer that is written even when it is zero.
    Count,
    Texts,
    Pairs,
    Anything,
    Object(&'static [Field]),
    Objects(&'static [Field]),
}

type Field = (&'static str, Shape);

use Shape::{Anything, Bool, Count, Int, Object, Objects, OptionalText, Pairs, Text, Texts};

const KUSTOMIZATION: &[Field] = &[
    ("kind", Text),
    ("apiVersion", Text),
    ("metadata", Object(METADATA)),
    ("openapi", Pairs),
    ("namePrefix", Text),
    ("nameSuffix", Text),
    ("namespace", Text),
    ("commonLabels", Pairs),
    ("labels", Objects(LABEL)),
    ("commonAnnotations", Pairs),
    ("patchesStrategicMerge", Texts),
    ("patchesJson6902", Objects(PATCH)),
    ("patches", Objects(PATCH)),
    ("images", Objects(IMAGE)),
    ("imageTags", Objects(IMAGE)),
    ("replacements", Objects(REPLACEMENT)),
    ("replicas", Objects(&[("name", Text), ("count", Count)])),
    ("vars", Objects(VAR)),
    ("sortOptions", Object(SORT_OPTIONS)),
    ("resources", Texts),
    ("components", Texts),
    ("crds", Texts),
    ("bases", Texts),
    ("configMapGenerator", Objects(GENERATOR)),
    ("secretGenerator", Objects(SECRET_GENERATOR)),
    (
        "helmGlobals",
        Object(&[("chartHome", Text), ("configHome", Text)]),
    ),
    ("helmCharts", Objects(HELM_CHART)),
    ("helmChartInflationGenerator", Objects(OLD_HELM_CHART)),
    ("generatorOptions", Object(GENERATOR_OPTIONS)),
    ("configurations", Texts),
    ("generators", Texts),
    ("transformers", Texts),
    ("validators", Texts),
    ("buildMetadata", Texts),
];

const METADATA: &[Field] = &[
    ("name", Text),
    ("namespace", Text),
    ("labels", Pairs),
    ("annotations", Pairs),
];

const LABEL: &[Field] = &[
    ("pairs", Pairs),
    ("includeSelectors", Bool),
    ("includeTemplates", Bool),
    (
        "fields",
        Objects(&[
            ("group", Text),
            ("version", Text),
            ("kind", Text),
            ("path", Text),
            ("create", Bool),
        ]),
    ),
];

const SELECTOR: &[Field] = &[
    ("group", Text),
    ("version", Text),
    ("kind", Text),
    ("name", Text),
    ("namespace", Text),
    ("annotationSelector", Text),
    ("labelSelector", Text),
];

const PATCH: &[Field] = &[
    ("path", Text),
    ("patch", Text),
    ("target", Object(SELECTOR)),
    (
        "options",
        Object(&[("allowNameChange", Bool), ("allowKindChange", Bool)]),
    ),
];

const IMAGE: &[Field] = &[
    ("name", Text),
    ("newName", Text),
    ("tagSuffix", Text),
    ("newTag", Text),
    ("digest", Text),
];

const FIELD_OPTIONS: &[Field] = &[
    ("delimiter", Text),
    ("index", Int),
    ("encoding", Text),
    ("create", Bool),
];

const REPLACEMENT: &[Field] = &[
    ("path", Text),
    (
        "source",
        Object(&[
            ("group", Text),
            ("version", Text),
            ("kind", Text),
            ("name", Text),
            ("namespace", Text),
            ("fieldPath", Text),
            ("options", Object(FIELD_OPTIONS)),
        ]),
    ),
    ("sourceValue", OptionalText),
    (
        "targets",
        Objects(&[
            ("select", Object(SELECTOR)),
            ("reject", Objects(SELECTOR)),
            ("fieldPaths", Texts),
            ("options", Object(FIELD_OPTIONS)),
        ]),
    ),
];

const VAR: &[Field] = &[
    ("name", Text),
    (
        "objref",
        Object(&[
            ("apiVersion", Text),
            ("group", Text),
            ("version", Text),
            ("kind", Text),
            ("name", Text),
            ("namespace", Text),
        ]),
    ),
    ("fieldref", Object(&[("fieldPath", Text)])),
];

const SORT_OPTIONS: &[Field] = &[
    ("order", Text),
    (
        "legacySortOptions",
        Object(&[("orderFirst", Texts), ("orderLast", Texts)]),
    ),
];

const GENERATOR_OPTIONS: &[Field] = &[
    ("labels", Pairs),
    ("annotations", Pairs),
    ("disableNameSuffixHash", Bool),
    ("immutable", Bool),
];

const GENERATOR: &[Field] = &[
    ("namespace", Text),
    ("name", Text),
    ("behavior", Text),
    ("literals", Texts),
    ("files", Texts),
    ("envs", Texts),
    ("env", Text),
    ("options", Object(GENERATOR_OPTIONS)),
];

const SECRET_GENERATOR: &[Field] = &[
    ("namespace", Text),
    ("name", Text),
    ("behavior", Text),
    ("literals", Texts),
    ("files", Texts),
    ("envs", Texts),
    ("env", Text),
    ("options", Object(GENERATOR_OPTIONS)),
    ("type", Text),
];

const HELM_CHART: &[Field] = &[
    ("name", Text),
    ("version", Text),
    ("repo", Text),
    ("releaseName", Text),
    ("namespace", Text),
    ("additionalValuesFiles", Texts),
    ("valuesFile", Text),
    ("valuesInline", Anything),
    ("valuesMerge", Text),
    ("includeCRDs", Bool),
    ("skipHooks", Bool),
    ("apiVersions", Texts),
    ("kubeVersion", Text),
    ("nameTemplate", Text),
    ("skipTests", Bool),
    ("debug", Bool),
    ("devel", Bool),
];

const OLD_HELM_CHART: &[Field] = &[
    ("chartName", Text),
    ("chartVersion", Text),
    ("chartRepoUrl", Text),
    ("chartHome", Text),
    ("chartRepoName", Text),
    ("helmBin", Text),
    ("helmHome", Text),
    ("values", Text),
    ("valuesLocal", Anything),
    ("valuesMerge", Text),
    ("releaseName", Text),
    ("releaseNamespace", Text),
    ("extraArgs", Texts),
];

/// Takes what a kustomization may hold from `read` into `into`.
pub(super) fn take(read: &Node, into: &mut Node) {
    take_fields(read, KUSTOMIZATION, into);
}

fn take_fields(read: &Node, known: &[Field], into: &mut Node) {
    for entry in read.entries() {
        let Some(name) = entry.key.text() else {
            continue;
        };
        let field = known
            .iter()
            .find(|(field, _)| field == name)
            .or_else(|| known.iter().find(|(f, _)| f.eq_ignore_ascii_case(name)));
        let Some((field, shape)) = field else {
            continue;
        };
        // Null leaves a field as it was.
        if entry.value.is_null() {
            continue;
        }
        match shape.read(&entry.value) {
            Some(value) => into.insert(field, value),
            None => {
                into.remove(field);
            }
        }
    }
}

impl Shape {
    /// A value that is not null as it is written out; `None` when it is empty.
    fn read(&self, value: &Node) -> Option<Node> {
        match self {
            Text => Some(text(value)).filter(|text| text.as_str() != Some("")),
            OptionalText => Some(text(value)),
            Bool => Some(value.clone()).filter(|value| value.as_bool() != Some(false)),
            Int => Some(value.clone()).filter(|value| value.as_i64() != Some(0)),
            Count | Anything => Some(value.clone()),
            Texts | Objects(_) => {
                let mut list = value.clone();
                for item in list.items_mut()?.make_mut() {
                    *item = self.item(item);
                }
                (!list.items().is_empty()).then_some(list)
            }
            Pairs => {
                let mut pairs = value.clone();
                for entry in pairs.entries_mut()?.make_mut() {
                    entry.value = text(&entry.value);
                }
                (!pairs.entries().is_empty()).then_some(pairs)
            }
            Object(fields) => Some(object(value, fields)),
        }
    }

    fn item(&self, item: &Node) -> Node {
        match self {
            Objects(_) if item.is_null() => Node::map::<&str>([]).at(item.span),
            Objects(fields) => object(item, fields),
            _ => text(item),
        }
    }
}

fn object(value: &Node, fields: &[Field]) -> Node {
    if !value.is_map() {
        return value.clone();
    }
    let mut object = Node::map::<&str>([]).at(value.span);
    take_fields(value, fields, &mut object);
    object
}

/// A scalar as text, where Go's reader would make text of it.
fn text(value: &Node) -> Node {
    let Some(written) = value.text() else {
        return value.clone();
    };
    let text = match value.tag {
        Tag::Null => "".into(),
        Tag::Bool | Tag::Int => written.clone(),
        Tag::Float => match written.parse() {
            Ok(float) => number::general(float).into(),
            Err(_) => written.clone(),
        },
        _ => return value.clone(),
    };
    Node::string(text).at(value.span)
}
