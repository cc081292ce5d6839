//! `IAMPolicyGenerator`: a service account for Google's workload identity.

use ecow::{EcoString, eco_format};
use yaml::{FileId, Limits, Node, Span};

use crate::decode::LENIENT;
use crate::error::Error;
use crate::resource::Resource;

/// What the generator's configuration says.
#[derive(Default)]
pub(crate) struct IamPolicy {
    cloud: EcoString,
    project: EcoString,
    /// The account of the cloud.
    account: EcoString,
    /// The account in Kubernetes.
    name: EcoString,
    namespace: EcoString,
    span: Option<Span>,
}

impl IamPolicy {
    /// Reads a configuration.
    pub fn of(config: &Node) -> Result<Self, Error> {
        let mut said = IamPolicy {
            span: Some(config.span),
            ..IamPolicy::default()
        };
        LENIENT.object(config, "IAMPolicyGeneratorArgs", |name, value| {
            match name {
                "cloud" => said.cloud = LENIENT.string(value, "IAMPolicyGeneratorArgs.cloud")?,
                "kubernetesservice" => said.kubernetes_account(value)?,
                "serviceaccount" => said.cloud_account(value)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(said)
    }

    fn kubernetes_account(&mut self, node: &Node) -> Result<(), Error> {
        LENIENT.object(node, "KubernetesService", |name, value| {
            let at = eco_format!("KubernetesService.{name}");
            match name {
                "name" => self.name = LENIENT.string(value, &at)?,
                "namespace" => self.namespace = LENIENT.string(value, &at)?,
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    fn cloud_account(&mut self, node: &Node) -> Result<(), Error> {
        LENIENT.object(node, "ServiceAccount", |name, value| {
            let at = eco_format!("ServiceAccount.{name}");
            match name {
                "name" => self.account = LENIENT.string(value, &at)?,
                "projectid" => self.project = LENIENT.string(value, &at)?,
                _ => return Ok(false),
            }
            Ok(true)
        })
    }

    /// The account. Values go into the text of an object, as upstream has it, so
    /// one may be text that does not read.
    pub fn objects(&self) -> Result<Vec<Resource>, Error> {
        if self.cloud != "gke" {
            let cause = eco_format!("cloud provider {} not supported yet", self.cloud);
            return Err(Error::new(cause));
        }
        let documents = yaml::parse(&self.text(), FileId::NONE, &Limits::default())
            .map_err(|e| Error::new(eco_format!("{e}")))?;
        let objects = documents.into_iter().take(1).map(|mut object| {
            let place = self.span.unwrap_or(Span::NONE);
            object.each_span(&mut |span| *span = place);
            Resource::new(object)
        });
        Ok(objects.collect())
    }

    fn text(&self) -> String {
        let mut text = format!(
            "\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  annotations:\n    \
             iam.gke.io/gcp-service-account: {}@{}.iam.gserviceaccount.com\n  name: {}\n",
            self.account, self.project, self.name
        );
        if !self.namespace.is_empty() {
            text.push_str("\n  namespace: ");
            text.push_str(&self.namespace);
        }
        text
    }
}
