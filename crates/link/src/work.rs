//! What an object needs before a controller can do what it asks for.
//!
//! That an ExternalSecret is accepted does not make its Secret: the store, the
//! store's own credentials and the operator must be there too. The same holds
//! for a source and its credentials, a Certificate and its issuer, a claim and
//! its class.

use ecow::EcoString;
use model::Object;
use yaml::{Node, Span};

use crate::imports::{core_object, is_custom};
use crate::item::SOURCE_GROUP;
use crate::pods::{class_of, named};
use crate::{Cause, Exports, Item, producers};

/// Something an object needs before its controller can act on it.
pub(crate) struct Need {
    /// Why.
    pub cause: Cause,
    /// What, in the object's own cluster.
    pub item: Item,
    /// Where the object says so.
    pub span: Span,
}

/// What an object needs for its work.
pub(crate) fn needs(object: &Object, cluster: &str, exports: &Exports) -> Vec<Need> {
    let mut needs = Needs {
        object,
        cluster,
        exports,
        list: Vec::new(),
    };
    let identity = &object.identity;
    match (identity.group.as_str(), identity.kind.as_str()) {
        (SOURCE_GROUP, kind) => needs.source(kind),
        ("image.toolkit.fluxcd.io", "ImageRepository") => needs.source("ImageRepository"),
        ("notification.toolkit.fluxcd.io", "Receiver") => needs.secret(&["secretRef"]),
        ("source.extensions.fluxcd.io", "ArtifactGenerator") => needs.copied(),
        ("external-secrets.io", "ExternalSecret") => needs.external_secret(&["spec"]),
        ("external-secrets.io", "ClusterExternalSecret") => {
            needs.external_secret(&["spec", "externalSecretSpec"]);
        }
        ("external-secrets.io", "SecretStore" | "ClusterSecretStore") => needs.store(),
        ("cert-manager.io", "Certificate") => needs.issuer(),
        ("cert-manager.io", "Issuer" | "ClusterIssuer") => needs.issuing(),
        ("", "PersistentVolumeClaim") => needs.class(),
        _ => {}
    }
    if is_custom(&identity.group) && producers::makes(object) {
        needs.controller(&identity.group, &identity.kind);
    }
    needs.list
}

/// Whether an object is not healthy before it works: one of Flux's says so from
/// the start, and a claim is pending. Others look healthy until their
/// controller first writes what it thinks of them.
pub(crate) fn is_healthy_by_work(object: &Object) -> bool {
    let identity = &object.identity;
    match (identity.group.as_str(), identity.kind.as_str()) {
        (SOURCE_GROUP, _) => is_fetched(object),
        ("image.toolkit.fluxcd.io", "ImageRepository")
        | ("notification.toolkit.fluxcd.io", "Receiver")
        | ("", "PersistentVolumeClaim") => true,
        _ => false,
    }
}

/// Whether Flux fetches a source by itself. A HelmRepository of type `oci` only
/// says where charts are.
pub(crate) fn is_fetched(source: &Object) -> bool {
    source.identity.kind != "HelmRepository" || source.node.str_at(&["spec", "type"]) != Some("oci")
}

struct Needs<'a> {
    object: &'a Object,
    cluster: &'a str,
    exports: &'a Exports,
    list: Vec<Need>,
}

impl<'a> Needs<'a> {
    fn spec(&self) -> Option<&'a Node> {
        self.object.node.get("spec")
    }

    fn push(&mut self, cause: Cause, item: Item, span: Span) {
        self.list.push(Need { cause, item, span });
    }

    /// A Secret that a field's `name` names, in the object's own namespace.
    fn secret(&mut self, path: &[&str]) {
        let found = self.spec().and_then(|spec| spec.path(path));
        if let Some((name, span)) = found.and_then(|reference| named(reference, "name")) {
            let item = core_object("Secret", &self.object.identity.namespace, name);
            self.push(Cause::Credentials, item, span);
        }
    }

    fn source(&mut self, kind: &str) {
        for path in [
            &["secretRef"][..],
            &["certSecretRef"],
            &["proxySecretRef"],
            &["verify", "secretRef"],
            &["sts", "secretRef"],
            &["sts", "certSecretRef"],
        ] {
            self.secret(path);
        }
        let Some(spec) = self.spec() else { return };
        if let Some((name, span)) = named(spec, "serviceAccountName") {
            let item = core_object("ServiceAccount", &self.object.identity.namespace, name);
            self.push(Cause::Credentials, item, span);
        }
        if let ("HelmChart", Some(reference)) = (kind, spec.get("sourceRef")) {
            self.upstream(reference, None);
        }
        for included in spec.get("include").map_or(&[][..], Node::items) {
            if let Some(repository) = included.get("repository") {
                self.upstream(repository, Some("GitRepository"));
            }
        }
    }

    /// What an ArtifactGenerator copies from.
    fn copied(&mut self) {
        let listed = self.spec().and_then(|spec| spec.get("sources"));
        for source in listed.map_or(&[][..], Node::items) {
            self.upstream(source, None);
        }
    }

    fn upstream(&mut self, reference: &Node, kind: Option<&str>) {
        let Some((name, span)) = named(reference, "name") else {
            return;
        };
        let Some(kind) = kind.or_else(|| reference.str_at(&["kind"])) else {
            return;
        };
        let namespace = named(reference, "namespace").map(|(namespace, _)| namespace);
        let item = Item::Object {
            group: SOURCE_GROUP.into(),
            kind: kind.into(),
            namespace: namespace.unwrap_or_else(|| self.object.identity.namespace.clone()),
            name,
        };
        self.push(Cause::Upstream, item, span);
    }

    /// The stores and generators of an ExternalSecret. One that is missing
    /// fails it as a whole.
    fn external_secret(&mut self, spec: &[&str]) {
        let Some(spec) = self.object.node.path(spec) else {
            return;
        };
        if let Some(store) = spec.get("secretStoreRef") {
            self.store_ref(store);
        }
        for list in ["data", "dataFrom"] {
            for entry in spec.get(list).map_or(&[][..], Node::items) {
                if let Some(store) = entry.path(&["sourceRef", "storeRef"]) {
                    self.store_ref(store);
                }
                if let Some(generator) = entry.path(&["sourceRef", "generatorRef"]) {
                    self.generator(generator);
                }
            }
        }
    }

    fn store_ref(&mut self, store: &Node) {
        let Some((name, span)) = named(store, "name") else {
            return;
        };
        let kind = store.str_at(&["kind"]).unwrap_or("SecretStore");
        let item = self.named_in("external-secrets.io", kind, name);
        self.push(Cause::Store, item, span);
    }

    fn generator(&mut self, generator: &Node) {
        if let (Some((name, span)), Some(kind)) =
            (named(generator, "name"), generator.str_at(&["kind"]))
        {
            let item = self.named_in("generators.external-secrets.io", kind, name);
            self.push(Cause::Store, item, span);
        }
    }

    /// An object of the cluster where the kind begins so, else of the object's
    /// own namespace.
    fn named_in(&self, group: &str, kind: &str, name: EcoString) -> Item {
        let namespace = match kind.starts_with("Cluster") {
            true => EcoString::new(),
            false => self.object.identity.namespace.clone(),
        };
        Item::Object {
            group: group.into(),
            kind: kind.into(),
            namespace,
            name,
        }
    }

    /// How a store proves who it is: every Secret below its provider's part
    /// that is about that. Of a cluster's store without a namespace, it is the
    /// reader's: that is left open.
    fn store(&mut self) {
        let provider = self.spec().and_then(|spec| spec.get("provider"));
        let mut found = Vec::new();
        if let Some(provider) = provider {
            secret_keys(provider, false, DEPTH, &mut found);
        }
        let own = &self.object.identity.namespace;
        for (name, namespace, span) in found {
            let namespace = match own.is_empty() {
                true => namespace.unwrap_or_default(),
                false => own.clone(),
            };
            if !namespace.is_empty() {
                let item = core_object("Secret", &namespace, name);
                self.push(Cause::Credentials, item, span);
            }
        }
    }

    fn issuer(&mut self) {
        let Some(reference) = self.spec().and_then(|spec| spec.get("issuerRef")) else {
            return;
        };
        let Some((name, span)) = named(reference, "name") else {
            return;
        };
        let kind = reference.str_at(&["kind"]).unwrap_or("Issuer");
        let group = reference.str_at(&["group"]).unwrap_or("cert-manager.io");
        let item = self.named_in(group, kind, name);
        self.push(Cause::Issuer, item, span);
    }

    /// The Secrets an issuer signs, or proves itself, with. Of several solvers
    /// only those are used that match: they are left out.
    fn issuing(&mut self) {
        let Some(spec) = self.spec() else { return };
        if let Some((name, span)) = spec.get("ca").and_then(|ca| named(ca, "secretName")) {
            self.issuing_with(name, span);
        }
        let mut found = Vec::new();
        for path in [
            &["vault", "auth"][..],
            &["venafi"],
            &["acme", "externalAccountBinding"],
        ] {
            if let Some(node) = spec.path(path) {
                secret_keys(node, true, DEPTH, &mut found);
            }
        }
        let solvers = spec.path(&["acme", "solvers"]).map_or(&[][..], Node::items);
        if let [solver] = solvers {
            secret_keys(solver, true, DEPTH, &mut found);
        }
        for (name, _, span) in found {
            self.issuing_with(name, span);
        }
    }

    /// A cluster's issuer reads Secrets from a namespace that cert-manager is
    /// told; where only one namespace has a Secret of the name, it is that.
    fn issuing_with(&mut self, name: EcoString, span: Span) {
        let own = &self.object.identity.namespace;
        let namespace = match own.is_empty() {
            true => self.exports.only_secret(self.cluster, &name),
            false => Some(own.clone()),
        };
        if let Some(namespace) = namespace {
            let item = core_object("Secret", &namespace, name);
            self.push(Cause::Credentials, item, span);
        }
    }

    /// A claim's class, unless a volume made by hand carries its name.
    fn class(&mut self) {
        let mut needed = Vec::new();
        class_of(&self.object.node, &mut needed);
        for class in needed {
            if !self.exports.has_volume_of(self.cluster, &class.name) {
                let item = class.item(&EcoString::new());
                self.push(Cause::Class, item, class.span);
            }
        }
    }

    fn controller(&mut self, group: &str, kind: &str) {
        let item = Item::Crd {
            group: group.into(),
            kind: kind.into(),
        };
        self.push(Cause::Controller, item, self.object.node.span);
    }
}

/// How deep references to Secrets are looked for.
const DEPTH: usize = 12;

/// References to a key of a Secret: mappings with a `name` and a `key` below
/// something that is called after authentication.
fn secret_keys(
    node: &Node,
    about: bool,
    depth: usize,
    found: &mut Vec<(EcoString, Option<EcoString>, Span)>,
) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    for item in node.items() {
        secret_keys(item, about, depth, found);
    }
    let is_config_map = node.str_at(&["type"]) == Some("ConfigMap");
    if let (true, false, Some((name, span)), Some(_)) = (
        about,
        is_config_map,
        named(node, "name"),
        named(node, "key"),
    ) {
        let namespace = named(node, "namespace").map(|(namespace, _)| namespace);
        found.push((name, namespace, span));
    }
    for entry in node.entries() {
        let key = entry.key.text().map(|key| key.to_ascii_lowercase());
        let about = about
            || key.is_some_and(|key| {
                key.contains("auth") || key.contains("secretref") || key == "caprovider"
            });
        secret_keys(&entry.value, about, depth, found);
    }
}
