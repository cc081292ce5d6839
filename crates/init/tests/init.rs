//! What `init` declares, and that checking with it is quiet.

use config::{Config, FILE_NAME};
use flux::Settings;
use lint::Finding;
use vfs::{Memory, Tree};
use yaml::Sources;

fn tree(files: &[(&str, &str)]) -> Tree {
    let files = files.iter().map(|(path, text)| (*path, text.as_bytes()));
    Tree::new(Memory::new(files).expect("a tree"))
}

fn propose(tree: &Tree) -> init::Proposal {
    init::propose(tree, &[], &|_| {})
}

/// The findings of a tree checked with a configuration.
fn check(tree: &Tree, config: &str) -> Vec<Finding> {
    let texts = Sources::new();
    let config = Config::parse(FILE_NAME, config, &texts).expect("a configuration that reads back");
    let settings = Settings::from_config(&config);
    let repository = flux::render(tree.clone(), texts, &settings, &|_| {});
    let worlds = repository.worlds.iter();
    worlds
        .flat_map(|world| lint::judge(world, &config, &repository.texts, None).findings)
        .collect()
}

const SYNC: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux-system, namespace: flux-system}
spec:
  interval: 10m
  path: ./clusters/main
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  decryption:
    provider: sops
    secretRef: {name: sops-age}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1m, url: 'https://git.example.org/fleet.git'}
";

const APPS: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: apps, namespace: flux-system}
spec:
  interval: 10m
  path: ./apps
  prune: true
  sourceRef: {kind: GitRepository, name: flux-system}
  postBuild:
    substituteFrom:
      - {kind: ConfigMap, name: cluster-settings}
      - {kind: Secret, name: cluster-secrets, optional: true}
";

const OBJECTS: &str = "\
apiVersion: v1
kind: Namespace
metadata: {name: storefront}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: slip, namespace: storefrnt}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: legacy}
data:
  host: shop.${DOMAIN}
  token: ${SECRET_TOKEN}
  level: ${LEVEL:=info}
---
apiVersion: example.org/v1
kind: Widget
metadata: {name: one, namespace: storefront}
";

fn fixture() -> Tree {
    tree(&[
        ("clusters/main/flux-system/gotk-sync.yaml", SYNC),
        ("clusters/main/apps.yaml", APPS),
        ("apps/objects.yaml", OBJECTS),
    ])
}

#[test]
fn what_people_make_outside_git_is_declared_with_the_reason() {
    let proposal = propose(&fixture());
    let (_, externals) = proposal.text.split_once("externals:\n").expect("externals");
    assert_eq!(
        externals,
        "  namespaces:
    # flux-system/apps (apps/objects.yaml:11) lives there
    - legacy
  crdGroups:
    # flux-system/apps (apps/objects.yaml:18) has objects of it
    - example.org
  secrets:
    # flux-system/flux-system (clusters/main/flux-system/gotk-sync.yaml:11) reads it
    - namespace: flux-system
      name: sops-age
  substitutions:
    # flux-system/apps (clusters/main/apps.yaml:11) reads variables from it
    - kind: ConfigMap
      namespace: flux-system
      name: cluster-settings
      # With a value, `NAME: value`, what the variable goes into is checked as well.
      variables:
        DOMAIN:
    # flux-system/apps (apps/objects.yaml:14) reads variables from it
    - kind: Secret
      namespace: flux-system
      name: cluster-secrets
      variables:
        SECRET_TOKEN:
"
    );
    assert!(
        proposal
            .text
            .contains("\nentrypoints:\n  - clusters/main\n"),
        "{}",
        proposal.text
    );
    assert_eq!(proposal.externals, 5);
}

/// The slip stays a finding; nothing else of the families is left.
#[test]
fn a_slip_of_the_keyboard_is_left_to_the_finding() {
    let tree = fixture();
    let left = check(&tree, &propose(&tree).text);
    let left: Vec<_> = left
        .iter()
        .filter(|finding| covered(finding))
        .map(|finding| (finding.rule, finding.help.as_deref().unwrap_or_default()))
        .collect();
    let [(rule, help)] = left.as_slice() else {
        panic!("{left:?}");
    };
    assert_eq!(*rule, "FL-G004");
    assert!(
        help.contains("did you mean namespace `storefront`"),
        "{help}"
    );
}

#[test]
fn a_repository_that_lacks_nothing_declares_nothing() {
    let sync = SYNC.replace(
        "  decryption:\n    provider: sops\n    secretRef: {name: sops-age}\n",
        "",
    );
    let tree = tree(&[(
        "flux/flux-system/gotk-sync.yaml",
        &sync.replace("clusters/main", "flux"),
    )]);
    let proposal = propose(&tree);
    assert_eq!(proposal.externals, 0);
    assert!(
        proposal.text.ends_with("# externals: {}\n"),
        "{}",
        proposal.text
    );
    assert_eq!(
        check(&tree, &proposal.text).len(),
        1,
        "only the critical path"
    );
}

#[test]
fn a_directory_that_is_no_bootstrap_has_no_entrypoint() {
    let proposal = propose(&tree(&[("README.md", "nothing\n")]));
    assert!(proposal.entrypoints.is_empty());
}

/// Text of the repository cannot break out of its comment or its scalar.
#[test]
fn hostile_names_stay_names() {
    let apps = APPS.replace("name: cluster-settings", "name: \"a\\n    - b: [\"");
    let tree = tree(&[
        ("clusters/main/flux-system/gotk-sync.yaml", SYNC),
        ("clusters/main/apps.yaml", &apps),
        ("apps/objects.yaml", OBJECTS),
    ]);
    let proposal = propose(&tree);
    let config = Config::parse(FILE_NAME, &proposal.text, &Sources::new()).expect("it reads back");
    let names: Vec<_> = config
        .externals
        .substitutions
        .iter()
        .map(|s| s.name.as_str())
        .collect();
    assert!(names.contains(&"a\n    - b: ["), "{names:?}");
}

/// Whether a finding is one that an entry of `externals` may answer.
fn covered(finding: &Finding) -> bool {
    matches!(finding.rule, "FL-G004" | "FL-S001" | "FL-S002" | "FL-G005")
        && finding.severity > lint::Severity::Info
}

/// Checks with what was proposed: no finding is left that an entry would
/// answer.
fn is_quiet(name: &str, tree: &Tree) -> init::Proposal {
    let proposal = propose(tree);
    assert!(!proposal.entrypoints.is_empty(), "{name}: no entrypoint");
    for finding in check(tree, &proposal.text) {
        assert_eq!(finding.external, None, "{name}: {finding:?}");
    }
    proposal
}

#[test]
fn the_examples_are_quiet_afterwards() {
    for example in ["platform", "broken"] {
        let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/");
        let disk =
            vfs::Disk::new(std::path::Path::new(&format!("{dir}{example}"))).expect("an example");
        is_quiet(example, &Tree::new(disk));
    }
}

#[test]
fn real_repositories_are_quiet_afterwards() {
    let root = std::env::var_os("FLUXLINT_SHARED").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        Into::into,
    );
    let Ok(archives) = std::fs::read_dir(root.join("corpus/repos")) else {
        println!("skipped: no corpus");
        return;
    };
    let mut archives: Vec<_> = archives.flatten().map(|entry| entry.path()).collect();
    archives.sort();
    for (at, archive) in archives.into_iter().enumerate() {
        let bytes = std::fs::read(&archive).expect("an archive");
        let files = vfs::unpack_tar_gz(&bytes, vfs::ArchiveLimits::default()).expect("a tree");
        let (name, tree) = (archive.display().to_string(), Tree::new(files));
        let first = is_quiet(&name, &tree);
        println!("{name}: {} externals", first.externals);
        // Threads run in another order each time.
        if at % 6 == 0 {
            assert_eq!(propose(&tree).text, first.text, "{name}");
        }
    }
}
