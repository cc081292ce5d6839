//! The steps of a build.

use ecow::{EcoString, eco_format};
use kustomize::git_url;
use kustomize::kustomization::Kustomization;
use kustomize::{Cause, Documents, Error, Options, Output, RemoteUse, ResId, Resource};
use model::{Fault, Identity, Problem, SubstituteSource};
use rustc_hash::FxHashMap;
use vfs::Kind;
use yaml::{Node, Span};

use super::{Built, Env, Outcome, Request, lost, path, read_back};
use crate::engine::KustomizeBuild;
use crate::generate;
use crate::sops::{self, Encrypted};
use crate::substitute::{Provider, Substitution, Variables};

/// Builds one Kustomization. Never fails without a problem that says why.
pub fn build(request: &Request<'_>, env: &dyn Env) -> Built {
    let mut run = Run {
        request,
        env,
        problems: Vec::new(),
        failed: false,
        left_out: None,
    };
    let outcome = run.build();
    let (outcome, objects) = match (outcome, run.left_out) {
        (Ok(nodes), _) if run.failed => (Outcome::Failed, nodes),
        (Ok(nodes), Some(reason)) => (Outcome::Partial(reason), nodes),
        (Ok(nodes), None) => (Outcome::Rendered, nodes),
        (Err(stopped), _) => (stopped, Vec::new()),
    };
    Built {
        outcome,
        objects: read_back::objects(objects),
        problems: run.problems,
    }
}

/// Why a remote base or file is not there.
struct NotHere {
    reason: EcoString,
    /// It does not exist: Flux fails as well.
    certain: bool,
}

struct Run<'a> {
    request: &'a Request<'a>,
    env: &'a dyn Env,
    problems: Vec<Problem>,
    /// Flux fails, but what would be there is still of interest.
    failed: bool,
    /// Why some objects are not known.
    left_out: Option<EcoString>,
}

impl Run<'_> {
    fn build(&mut self) -> Result<Vec<Node>, Outcome> {
        let documents = self.request.documents;
        let dir = self.directory()?;
        let generated = generate::generate(documents, &dir, self.request.object);
        let (kustomization, faults) =
            generated.map_err(|error| self.fail(error.message, error.span))?;
        for fault in faults {
            self.failed = true;
            let lost = self.lost(fault.span);
            self.problems.push(Problem::Build {
                message: fault.message,
                span: fault.span.filter(|span| !span.is_none()),
                fault: Fault::Undecoded,
                lost,
            });
        }
        let resources = self.kustomize(&dir, kustomization)?;
        let mut nodes = Vec::with_capacity(resources.len());
        for resource in resources {
            nodes.push(self.decrypted(resource.into_node())?);
        }
        if self.request.spec.post_build {
            self.substitute(&mut nodes, self.env)?;
        }
        let mut read = Vec::with_capacity(nodes.len());
        for node in nodes {
            read_back::read(node, &mut read)
                .map_err(|(message, span)| self.fail(message, Some(span)))?;
        }
        if let Some(spec) = self.request.object.get("spec") {
            for node in &mut read {
                read_back::add_common_metadata(node, spec);
            }
        }
        Ok(read)
    }

    fn fail(&mut self, message: impl Into<EcoString>, span: Option<Span>) -> Outcome {
        let lost = self.lost(span);
        self.problems.push(Problem::Build {
            message: message.into(),
            span: span.filter(|span| !span.is_none()),
            fault: Fault::Other,
            lost,
        });
        Outcome::Failed
    }

    /// What Flux misses by a fault at a place.
    fn lost(&self, span: Option<Span>) -> Vec<Identity> {
        span.map_or_else(Vec::new, |span| lost::below(self.request.documents, span))
    }

    /// The directory of the artifact that is built.
    fn directory(&mut self) -> Result<EcoString, Outcome> {
        let Request {
            documents, spec, ..
        } = self.request;
        let dir = path::join(&spec.path);
        match documents.tree().probe(&dir) {
            Some(Kind::Directory) => Ok(dir),
            Some(Kind::File) => {
                Err(self.fail(eco_format!("/{dir}: not a directory"), Some(spec.path_span)))
            }
            None => {
                self.problems.push(Problem::PathMissing {
                    path: spec.path.clone(),
                    candidates: path::candidates(documents, &dir),
                    ignored: None,
                    span: spec.path_span,
                });
                Err(Outcome::Failed)
            }
        }
    }

    /// Whether the controller decrypts for this Kustomization.
    fn decrypts(&self) -> bool {
        let provider = self
            .request
            .object
            .str_at(&["spec", "decryption", "provider"]);
        provider == Some("sops")
    }

    fn kustomize(&mut self, dir: &str, kustomization: Node) -> Result<Vec<Resource>, Outcome> {
        let decrypted = self.decrypted_inputs(dir, &kustomization);
        let documents = decrypted.as_ref().unwrap_or(self.request.documents);
        let mut options = Options {
            remote: self.request.remote.clone(),
            ..Options::default()
        };
        let built = self.built(documents, dir, &kustomization, &options);
        let output = match built {
            Ok(output) => output,
            // What the rest of the build makes tells more than nothing at all.
            Err(error) => {
                options.leave_out_unavailable = !self.request.no_remote_bases;
                options.keep_going = true;
                let part = kustomize::build_root(documents, dir, kustomization, &options);
                self.besides(&error, part.ok())?
            }
        };
        self.remotes(&output.remotes)?;
        let mut resources = output.resources;
        if decrypted.is_some() || options.leave_out_unavailable {
            for resource in &mut resources {
                let name = self.name_of(resource.node());
                let hashed = resource.record.needs_hash;
                sops::mark_generated(resource.node_mut(), hashed, &name);
            }
        }
        Ok(resources)
    }

    fn built(
        &self,
        documents: &Documents,
        dir: &str,
        kustomization: &Node,
        options: &Options,
    ) -> Result<Output, Error> {
        let native = kustomize::build_root(documents, dir, kustomization.clone(), options);
        let Some(engine) = self.request.engine else {
            return native;
        };
        let build = KustomizeBuild {
            component: self.request.key,
            documents,
            dir,
            kustomization,
            options,
        };
        engine.kustomize(&build, native)
    }

    /// Why a remote base or file is not there.
    fn not_here(&self, url: &str) -> NotHere {
        match self.env.absence(url) {
            Some(absence) => NotHere {
                certain: absence.is_certain(),
                reason: eco_format!("its remote base {url} is not available: {}", absence.reason),
            },
            None => NotHere {
                reason: eco_format!("its remote base {url} is not available offline"),
                certain: false,
            },
        }
    }

    /// What there would be besides the fault that a build ends with. Where that is a
    /// remote base that is not here, what is not here may be what else it lacks,
    /// but a file that is not there is none the less missing.
    fn besides(&mut self, first: &Error, part: Option<Output>) -> Result<Output, Outcome> {
        if first.cause == Cause::Unmodelled {
            self.problems.push(Problem::RenderGap {
                what: first.message.clone(),
                span: first.span.unwrap_or(Span::NONE),
            });
            return Err(Outcome::Opaque(first.message.clone()));
        }
        let not_here = first.remote.as_deref().map(|url| self.not_here(url));
        if not_here.is_none() || part.is_none() || self.request.no_remote_bases {
            let stopped = self.not_built(first);
            if not_here.is_some() {
                return Err(stopped);
            }
            self.failed = true;
        } else if let Some(NotHere {
            reason,
            certain: true,
        }) = &not_here
        {
            self.failed = true;
            self.absent(reason.clone(), first.span);
        }
        let part = part.ok_or(Outcome::Failed)?;
        let further = part.faults.iter().filter(|fault| {
            (&fault.message, fault.span) != (&first.message, first.span)
                && (not_here.is_none() || fault.is_of_files())
        });
        for fault in further {
            self.failed = true;
            self.fail(eco_format!("kustomize build failed: {fault}"), fault.span);
        }
        self.left_out = not_here.map(|not_here| not_here.reason);
        Ok(part)
    }

    /// A remote base that does not exist.
    fn absent(&mut self, reason: EcoString, span: Option<Span>) {
        self.problems.push(Problem::Build {
            message: reason,
            span: span.filter(|span| !span.is_none()),
            fault: Fault::Absent,
            lost: Vec::new(),
        });
    }

    /// The artifact with the inputs of generators as a key makes them.
    fn decrypted_inputs(&self, dir: &str, kustomization: &Node) -> Option<Documents> {
        if !self.decrypts() {
            return None;
        }
        let kustomization = Kustomization::decode(kustomization).ok()?;
        sops::decrypt_inputs(self.request.documents, dir, &kustomization)
    }

    fn not_built(&mut self, error: &kustomize::Error) -> Outcome {
        let Some(url) = &error.remote else {
            return self.fail(eco_format!("kustomize build failed: {error}"), error.span);
        };
        if self.request.no_remote_bases {
            return self.refused_remote(url, error.span);
        }
        self.problems.push(Problem::RemoteBase {
            url: url.clone(),
            pinned: git_url::is_pinned(url),
            available: false,
            span: error.span.unwrap_or(Span::NONE),
        });
        let not_here = self.not_here(url);
        if not_here.certain {
            self.absent(not_here.reason, error.span);
            return Outcome::Failed;
        }
        Outcome::Opaque(not_here.reason)
    }

    fn remotes(&mut self, remotes: &[RemoteUse]) -> Result<(), Outcome> {
        for remote in remotes {
            if self.request.no_remote_bases {
                return Err(self.refused_remote(&remote.url, remote.span));
            }
            self.problems.push(Problem::RemoteBase {
                url: remote.url.clone(),
                pinned: remote.pinned,
                available: remote.available,
                span: remote.span.unwrap_or(Span::NONE),
            });
        }
        Ok(())
    }

    fn refused_remote(&mut self, url: &str, span: Option<Span>) -> Outcome {
        let message = eco_format!(
            "kustomize build failed: remote base {url} is refused: the controller runs with --no-remote-bases"
        );
        self.fail(message, span)
    }

    /// Names an object within the run, for the markers of its values.
    fn name_of(&self, node: &Node) -> String {
        format!("{}#{}", self.request.key, read_back::identity(node))
    }

    /// An object with its encrypted parts as a key makes them.
    fn decrypted(&mut self, mut node: Node) -> Result<Node, Outcome> {
        let identity = read_back::identity(&node);
        if !read_back::says_what_it_is(&node) {
            let message = eco_format!(
                "failed to decode Kubernetes apiVersion, kind and name from: {}",
                yaml::to_json(&node)
            );
            return Err(self.fail(message, Some(node.span)));
        }
        if self.decrypts() {
            let name = self.name_of(&node);
            sops::decrypt(&mut node, &name);
        } else if let Some(encrypted) = sops::encrypted(&node)
            && !sops::is_disabled(&node)
        {
            // The controller refuses Secrets that are encrypted as a whole;
            // what else is encrypted is applied as it is.
            let whole = matches!(encrypted, Encrypted::Object(_));
            self.failed |= whole && identity.kind == "Secret" && identity.group.is_empty();
            let (Encrypted::Object(span) | Encrypted::Value(span) | Encrypted::Text(span)) =
                encrypted;
            self.problems.push(Problem::EncryptedWithoutDecryption {
                object: identity,
                span,
            });
        }
        Ok(node)
    }

    fn substitute(&mut self, nodes: &mut [Node], env: &dyn Env) -> Result<(), Outcome> {
        if nodes.iter().all(Substitution::is_disabled) {
            return Ok(());
        }
        let post_build = self.request.object.path(&["spec", "postBuild"]);
        let mut variables = self.sources(env);
        if let Some(inline) = post_build.and_then(|p| p.get("substitute")) {
            variables.add(&Provider::Inline(inline));
        }
        let strategy = post_build.and_then(|p| p.str_at(&["substituteStrategy"]));
        if variables.is_empty() && strategy != Some("Always") {
            self.problems.push(Problem::NoVariables {
                span: post_build.map_or(Span::NONE, |node| node.span),
            });
            return Ok(());
        }
        let invalid = variables.invalid_names();
        if !invalid.is_empty() {
            self.problems.extend(invalid);
            self.failed = true;
            return Ok(());
        }
        let request = self.request;
        let substitution = Substitution {
            variables: &variables,
            strict: request.strict,
            sources: request.documents.sources(),
        };
        self.check_ids(nodes, |run, node| {
            let identity = read_back::identity(node);
            let done = substitution.apply(node, &identity);
            run.problems.extend(done.problems);
            run.failed |= done.failed;
            *node = done.node;
        })
    }

    /// The variables of `substituteFrom`.
    fn sources(&mut self, env: &dyn Env) -> Variables {
        let mut variables = Variables::default();
        for SubstituteSource {
            reference,
            optional,
        } in &self.request.spec.substitute_from
        {
            // The controller knows two kinds and passes over others.
            if !matches!(reference.kind.as_str(), "ConfigMap" | "Secret") {
                continue;
            }
            match env.variables(reference) {
                Some(provided) => variables.add(&Provider::Source(&provided)),
                None if *optional => {}
                None => {
                    self.failed = true;
                    let name = eco_format!(
                        "{}/{}/{}",
                        reference.kind,
                        reference.namespace,
                        reference.name
                    );
                    variables.add(&Provider::Missing(&name));
                    self.problems.push(Problem::MissingSubstituteSource {
                        reference: reference.clone(),
                    });
                }
            }
        }
        variables
    }

    /// Changes one object after the other. The controller looks each up again
    /// afterwards by its identity and fails when two have the same by then.
    fn check_ids(
        &mut self,
        nodes: &mut [Node],
        mut change: impl FnMut(&mut Self, &mut Node),
    ) -> Result<(), Outcome> {
        let mut ids: Vec<ResId> = nodes.iter().map(ResId::of).collect();
        let mut count: FxHashMap<ResId, usize> = FxHashMap::default();
        for id in &ids {
            *count.entry(effective(id)).or_default() += 1;
        }
        for (node, id) in nodes.iter_mut().zip(&mut ids) {
            if Substitution::is_disabled(node) {
                continue;
            }
            change(self, node);
            let new = ResId::of(node);
            if new != *id {
                *count.entry(effective(id)).or_default() -= 1;
                *count.entry(effective(&new)).or_default() += 1;
                *id = new;
            }
            let same = count.get(&effective(id)).copied().unwrap_or(0);
            if same > 1 {
                let message = eco_format!("in Replace: id matched {same} resources ({id})");
                return Err(self.fail(message, Some(node.span)));
            }
        }
        Ok(())
    }
}

/// An identity in the form in which equal ones are the same.
fn effective(id: &ResId) -> ResId {
    let mut id = id.clone();
    id.namespace = id.effective_namespace().into();
    id
}
