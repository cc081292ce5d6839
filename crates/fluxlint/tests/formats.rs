//! `fluxlint check --format`: what each form says of the broken example. The
//! order of findings is that of the text: errors first, by file.

mod common;

use common::{fluxlint, tree};
use snapbox::str;

fn broken(format: &str) -> snapbox::cmd::OutputAssert {
    fluxlint(&["check", "--repo", "examples/broken", "--format", format])
        .assert()
        .code(1)
        .stderr_eq("")
}

#[test]
fn sarif() {
    broken("sarif").stdout_eq(str![[r#"
{
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "runs": [
    {
      "columnKind": "unicodeCodePoints",
      "invocations": [
        {
          "executionSuccessful": true,
          "toolConfigurationNotifications": []
        }
      ],
      "originalUriBaseIds": {
        "%SRCROOT%": {
          "description": {
            "text": "The root of the repository"
          }
        }
      },
      "results": [
        {
          "fixes": [
            {
              "artifactChanges": [
                {
                  "artifactLocation": {
                    "uri": "apps/backups/nightly.yaml",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "replacements": [
                    {
                      "deletedRegion": {
                        "byteLength": 28,
                        "byteOffset": 12
                      },
                      "insertedContent": {
                        "text": "storage.example.org/v1"
                      }
                    }
                  ]
                }
              ],
              "description": {
                "text": "write `apiVersion: storage.example.org/v1`"
              }
            }
          ],
          "level": "error",
          "locations": [
            {
              "logicalLocations": [
                {
                  "fullyQualifiedName": "flux-system/backups",
                  "kind": "resource"
                },
                {
                  "fullyQualifiedName": "Backup/backups/nightly",
                  "kind": "object"
                }
              ],
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "apps/backups/nightly.yaml",
                  "uriBaseId": "%SRCROOT%"
                },
                "region": {
                  "endColumn": 41,
                  "snippet": {
                    "text": "apiVersion: storage.example.org/v1alpha1"
                  },
                  "startColumn": 13,
                  "startLine": 1
                }
              }
            }
          ],
...
"#]]);
}

#[test]
fn gitlab() {
    broken("gitlab").stdout_eq(str![[r#"
[
  {
    "check_name": "FL-G006",
    "description": "unserved-version: Backup `backups/nightly` of `flux-system/backups` is written as `storage.example.org/v1alpha1`, which the CRD does not serve. What to do: write `apiVersion: storage.example.org/v1`",
    "fingerprint": "1a12114e1dd45083564c10e0d61cd9afdcaabc9bdd8bd5f7d211b61dac156b54",
    "location": {
      "lines": {
        "begin": 1
      },
      "path": "apps/backups/nightly.yaml"
    },
    "severity": "critical"
  },
...
"#]]);
}

#[test]
fn github() {
    broken("github").stdout_eq(str![[r#"
::error file=apps/backups/nightly.yaml,line=1,col=13,title=FL-G006 unserved-version::Backup `backups/nightly` of `flux-system/backups` is written as `storage.example.org/v1alpha1`, which the CRD does not serve%0A- the CRD that `flux-system/crds` installs serves `v1` [crds/backups.yaml:4:9]%0AWhat to do: write `apiVersion: storage.example.org/v1`
::error file=apps/gateway/config.yaml,line=6,col=13,title=FL-S001 undefined-variable::[..]
::error file=apps/shop/kustomization.yaml,line=3,col=12,title=FL-G004 missing-namespace::[..]
::error file=clusters/main/apps.yaml,line=8,col=13,title=FL-G001 dangling-reference::[..]
::error file=clusters/main/infrastructure.yaml,line=28,col=9,title=FL-G002 bootstrap-deadlock::[..]
...
fluxlint: 5 errors, [..]

"#]]);
}

#[test]
fn junit() {
    broken("junit").stdout_eq(str![[r#"
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="fluxlint" tests="7" failures="5" errors="0" skipped="0" time="[..]">
  <testsuite name="clusters/main" tests="7" failures="5" errors="0" skipped="0">
    <testcase classname="clusters/main" name="flux-system/flux-system"[..]>
...
    <testcase classname="clusters/main" name="flux-system/gateway">
      <failure type="FL-S001" message="variable `${domian}` in ConfigMap `gateway/gateway` has no definition for `flux-system/gateway`">error[FL-S001] undefined-variable: variable `${domian}` in ConfigMap `gateway/gateway` has no definition for `flux-system/gateway`
  --&gt; apps/gateway/config.yaml:6:13
  object: ConfigMap/gateway/gateway
  note: Flux 2.9 fails the whole component on it; what was applied before keeps running
  help: did you mean `${domain}`?</failure>
...
</testsuites>

"#]]);
}

#[test]
fn markdown() {
    broken("markdown").stdout_eq(str![[r#"
<!-- fluxlint -->
### fluxlint: 5 errors[..]

| entrypoint | errors | warnings | rendered | bootstrap |
|---|--:|--:|---|---|
| `clusters/main` | 5 | [..] | 7 Kustomizations: 6 rendered (17 objects), 1 failed | never ends, 4 components cannot become ready |

<details><summary>🔴 <b>FL-G006 unserved-version</b>: Backup <code>backups/nightly</code> of <code>flux-system/backups</code> is written as <code>storage.example.org/v1alpha1</code>, which the CRD does not serve</summary>

```text
 --> apps/backups/nightly.yaml:1:13
  |
1 | apiVersion: storage.example.org/v1alpha1
  |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
```

* component: `flux-system/backups`
* object: `Backup/backups/nightly`
* the CRD that `flux-system/crds` installs serves `v1` [..]
* **what to do**: write `apiVersion: storage.example.org/v1`

</details>
...
<sub>fluxlint [..] · 1 entrypoint · [..] s</sub>

"#]]);
}

#[test]
fn html() {
    broken("html").stdout_eq(str![[r#"
<!DOCTYPE html>
...
<tr><td><code>clusters/main</code></td><td>5</td><td>[..]</td><td>7 Kustomizations: 6 rendered (17 objects), 1 failed</td><td>never ends, 4 components cannot become ready</td></tr>
...
<details class="error" open>
<summary><b>error FL-G006 unserved-version</b>: Backup <code>backups/nightly</code> of <code>flux-system/backups</code> is written as <code>storage.example.org/v1alpha1</code>, which the CRD does not serve</summary>
<pre> --&gt; apps/backups/nightly.yaml:1:13
...
</html>

"#]]);
}

/// Values of Secrets that rules have something to say about.
const SECRETS: &[(&str, &str)] = &[
    ("FL-S001", "hunter2-${cluster}"),
    ("FL-S005", "${hunter2 and more"),
    ("FL-S005", "${x-hunter2}"),
];

const ROOT: &str = "\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata:
  name: flux-system
  namespace: flux-system
spec:
  interval: 10m
  path: ./cluster
  prune: true
  sourceRef:
    kind: GitRepository
    name: flux-system
  postBuild:
    substitute:
      region: north
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata:
  name: flux-system
  namespace: flux-system
spec:
  interval: 1m
  url: https://git.example.org/fleet.git
  ref:
    branch: main
";

/// The whole way from a file to each form.
#[test]
fn no_form_shows_the_value_of_a_secret() {
    for (rule, value) in SECRETS {
        let secret = format!(
            "apiVersion: v1\nkind: Secret\nmetadata:\n  name: token\n  namespace: flux-system\n\
             stringData:\n  token: {value}\n"
        );
        let dir = tree(&[
            ("cluster/flux-system/gotk-sync.yaml", ROOT),
            ("cluster/secret.yaml", &secret),
        ]);
        for format in [
            "text", "json", "sarif", "gitlab", "github", "junit", "markdown", "html",
        ] {
            let output = fluxlint(&["check", "-v", "--format", format])
                .current_dir(dir.path())
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(text.contains(rule), "{format}: {text}");
            assert!(!text.contains("hunter2"), "{format}: {text}");
        }
    }
}

/// A report is complete or not there.
#[test]
fn a_file_is_replaced_as_a_whole() {
    let dir = tree(&[("cluster/flux-system/gotk-sync.yaml", ROOT), ("out", "old")]);
    let check = |output: &str| {
        fluxlint(&["check", "--format", "json", "-o", output])
            .current_dir(dir.path())
            .assert()
    };
    check("out").code(0).stdout_eq("");
    let text = std::fs::read_to_string(dir.path().join("out")).unwrap();
    serde_json::from_str::<serde_json::Value>(&text).unwrap();
    check("nowhere/out").code(2).stderr_eq(str![[r#"
error: cannot write nowhere/out
  cause: No such file or directory (os error 2)

"#]]);
    check("/dev/null").code(0);
    let mut names: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["cluster", "out"]);
}

/// One run writes all that a pipeline wants.
#[test]
fn one_run_writes_several_reports() {
    let dir = tree(&[("cluster/flux-system/gotk-sync.yaml", ROOT)]);
    let file = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    fluxlint(&[
        "check",
        "--report",
        "gitlab=q.json",
        "--report",
        "text=t.txt",
    ])
    .args(["--report", "markdown=m=1.md"])
    .current_dir(dir.path())
    .assert()
    .success()
    .stdout_eq("no errors, no warnings\n...\n");
    assert!(file("q.json").starts_with("[\n"));
    assert!(file("t.txt").starts_with("no errors"));
    assert!(file("m=1.md").starts_with("<!-- fluxlint -->"));
    for (wrong, why) in [
        ("xml=a", "there is no form `xml`, only text, json, sarif"),
        ("json", "write it as FORM=FILE"),
        ("json=", "write it as FORM=FILE"),
    ] {
        let output = fluxlint(&["check", "--report", wrong]).assert().code(2);
        let text = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
        assert!(text.contains(why), "{text}");
    }
}

/// A Kustomization whose waits take long, and one whose retries are slow.
#[test]
fn advice_fails_only_when_the_configuration_raises_it() {
    let with = |config: &str| {
        tree(&[
            ("cluster/flux-system/gotk-sync.yaml", ROOT),
            (".fluxlint.yaml", config),
        ])
    };
    let check = |config: &str, level: &str| {
        let dir = with(config);
        let output = fluxlint(&["check", "--fail-on", level])
            .current_dir(dir.path())
            .output()
            .unwrap();
        output.status.code()
    };
    assert_eq!(check("", "warning"), Some(0));
    let raised = "rules: {FL-T001: warning}\n";
    assert_eq!(check(raised, "error"), Some(0));
    assert_eq!(check(raised, "warning"), Some(1));
    assert_eq!(check("rules: {critical-path: error}\n", "error"), Some(1));
}

/// Other programs take the form after `-o`: here it would be a file of that name.
#[test]
fn a_form_is_no_file() {
    fluxlint(&["check", "--repo", "examples/broken", "-o", "json"])
        .assert()
        .code(2)
        .stdout_eq("")
        .stderr_eq(str![[r#"
error: invalid value 'json' for '--output <FILE>': this is the file to write; the form of the result is --format json (a file of that name: ./json)

For more information, try '--help'.

"#]]);
}
