//! The three forms of durations, states, and what is refused.

use model::{ComponentKey, ComponentKind, Durations, Measured};
use observed::{ClusterState, Error, Form, Reading, State, read_durations, read_state};
use yaml::Sources;

const SECOND: u64 = 1_000_000_000;

fn kustomization(name: &str) -> ComponentKey {
    key(ComponentKind::Kustomization, "flux-system", name)
}

fn key(kind: ComponentKind, namespace: &str, name: &str) -> ComponentKey {
    ComponentKey {
        kind,
        namespace: namespace.into(),
        name: name.into(),
    }
}

fn read(text: &str) -> (Reading, Durations) {
    let mut durations = Durations::default();
    let texts = Sources::new();
    let reading = read_durations("seen.txt", text.as_bytes(), &texts, &mut durations);
    (reading.expect("a reading"), durations)
}

/// `file:line:column message` and the help.
fn refused(text: &str) -> (String, String) {
    let texts = Sources::new();
    let error = read_durations(
        "seen.txt",
        text.as_bytes(),
        &texts,
        &mut Durations::default(),
    )
    .expect_err("a refusal");
    said(&error, &texts)
}

fn said(error: &Error, texts: &Sources) -> (String, String) {
    let place = error.place(texts).unwrap_or_default();
    let help = error.help.clone().unwrap_or_default();
    (format!("{place} {error}"), help.to_string())
}

fn state(text: &str) -> ClusterState {
    read_state("state.json", text.as_bytes(), &Sources::new()).expect("a state")
}

const DUMP: &str = r#"{
  "apiVersion": "v1",
  "kind": "List",
  "items": [
    {
      "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
      "kind": "Kustomization",
      "metadata": {"name": "apps", "namespace": "flux-system", "generation": 2},
      "spec": {"suspend": false},
      "status": {
        "conditions": [{"type": "Ready", "status": "True", "observedGeneration": 2}],
        "history": [
          {"lastReconciledDuration": "1.5s", "lastReconciledStatus": "ReconciliationSucceeded", "totalReconciliations": 212},
          {"lastReconciledDuration": "5m0s", "lastReconciledStatus": "HealthCheckFailed", "totalReconciliations": 1},
          {"lastReconciledDuration": "42.5s", "lastReconciledStatus": "ReconciliationSucceeded", "totalReconciliations": 1},
          {"lastReconciledDuration": "2m10s", "lastReconciledStatus": "ReconciliationSucceeded", "totalReconciliations": 1}
        ]
      }
    },
    {
      "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
      "kind": "Kustomization",
      "metadata": {"name": "old", "namespace": "flux-system"},
      "status": {
        "conditions": [{"type": "Ready", "status": "False", "reason": "DependencyNotReady", "message": "dependency 'flux-system/apps' is not ready"}],
        "history": [
          {"lastReconciledDuration": "700ms", "lastReconciledStatus": "ReconciliationSucceeded", "totalReconciliations": 9}
        ]
      }
    },
    {
      "apiVersion": "helm.toolkit.fluxcd.io/v2",
      "kind": "HelmRelease",
      "metadata": {"name": "plex", "namespace": "media"},
      "status": {
        "conditions": [{"type": "Ready", "status": "True"}],
        "lastAttemptedReleaseAction": "install",
        "lastAttemptedReleaseActionDuration": "1m17.25s"
      }
    },
    {
      "apiVersion": "helm.toolkit.fluxcd.io/v2",
      "kind": "HelmRelease",
      "metadata": {"name": "broken", "namespace": "media"},
      "status": {
        "conditions": [{"type": "Ready", "status": "False", "reason": "InstallFailed", "message": "no"}],
        "lastAttemptedReleaseActionDuration": "5m0s"
      }
    },
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x", "namespace": "y"}}
  ]
}"#;

#[test]
fn a_dump_tells_what_its_history_holds() {
    let (reading, durations) = read(DUMP);
    assert_eq!(reading.form, Form::Dump);
    assert_eq!((reading.measured.len(), reading.silent), (3, 1));
    // What was applied, not what was looked at for the 212th time, nor what failed.
    let apps = durations.get(&kustomization("apps")).expect("apps");
    assert_eq!((apps.least, apps.most), (42_500_000_000, 130 * SECOND));
    assert!(!apps.average);
    assert_eq!(apps.origin, "seen.txt:16");
    let old = durations.get(&kustomization("old")).expect("old");
    assert_eq!((old.most, old.average), (700_000_000, true));
    let plex = key(ComponentKind::HelmRelease, "media", "plex");
    let plex = durations.get(&plex).expect("plex");
    assert_eq!((plex.most, plex.average), (77_250_000_000, false));
}

#[test]
fn metrics_tell_means() {
    let (reading, durations) = read(
        "# TYPE gotk_reconcile_duration_seconds histogram\n\
         gotk_reconcile_duration_seconds_bucket{kind=\"Kustomization\",le=\"0.01\",name=\"apps\",namespace=\"flux-system\"} 0\n\
         gotk_reconcile_duration_seconds_sum{kind=\"Kustomization\",name=\"apps\",namespace=\"flux-system\"} 12.5\n\
         gotk_reconcile_duration_seconds_count{kind=\"Kustomization\",name=\"apps\",namespace=\"flux-system\"} 5 1700000000000\n\
         gotk_reconcile_duration_seconds_sum{kind=\"GitRepository\",name=\"apps\",namespace=\"flux-system\"} 1\n\
         gotk_reconcile_duration_seconds_sum{ exported_namespace=\"media\", kind=\"HelmRelease\", name=\"a\\\"}b\", namespace=\"flux-system\", } 3\n\
         gotk_reconcile_duration_seconds_count{exported_namespace=\"media\",kind=\"HelmRelease\",name=\"a\\\"}b\",namespace=\"flux-system\"} 2\n\
         gotk_reconcile_duration_seconds_count{kind=\"HelmRelease\",name=\"idle\",namespace=\"media\"} 0\n\
         gotk_reconcile_duration_seconds_sum{kind=\"HelmRelease\",name=\"idle\",namespace=\"media\"} NaN\n",
    );
    assert_eq!(reading.form, Form::Metrics);
    assert_eq!(durations.len(), 2);
    let apps = durations.get(&kustomization("apps")).expect("apps");
    let mean = Measured {
        average: true,
        ..Measured::exactly(2_500_000_000, "seen.txt:3")
    };
    assert_eq!(*apps, mean);
    let odd = key(ComponentKind::HelmRelease, "media", "a\"}b");
    assert_eq!(
        durations.get(&odd).expect("the odd one").most,
        3 * SECOND / 2
    );
}

#[test]
fn a_list_tells_what_somebody_wrote() {
    let (reading, durations) =
        read("# by hand\nflux-system/apps: 90s\nHelmRelease/media/plex: 1h30m\n");
    assert_eq!(reading.form, Form::List);
    assert_eq!(reading.measured.len(), 2);
    let apps = durations.get(&kustomization("apps")).expect("apps");
    assert_eq!(*apps, Measured::exactly(90 * SECOND, "seen.txt:2"));
}

#[test]
fn text_of_windows_is_read() {
    let bytes: Vec<u8> = [0xFEFF_u16]
        .into_iter()
        .chain("flux-system/apps: 90s\r\n".encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut durations = Durations::default();
    read_durations("seen.txt", &bytes, &Sources::new(), &mut durations).expect("a reading");
    assert_eq!(durations.len(), 1);
}

#[test]
fn what_is_no_such_file_is_refused_with_its_place() {
    assert_eq!(
        refused("apps: 90s\n").0,
        "seen.txt:1:1 `apps` names no component"
    );
    let (said, help) = refused("flux-system/apps: 90s\nflux-system/db: 90\n");
    assert_eq!(
        said,
        "seen.txt:2:17 `90`, for `flux-system/db`, is no duration"
    );
    assert_eq!(help, "write it as 90s, 5m or 1h30m");
    assert_eq!(
        refused("flux-system/db: {a: 1}\n").0,
        "seen.txt:1:17 `…`, for `flux-system/db`, is no duration"
    );
    assert!(
        refused("- 1\n")
            .0
            .starts_with("seen.txt:1:1 neither Kubernetes objects")
    );
    assert_eq!(refused("").0, "seen.txt:1:1 the file is empty");
    let (said, help) =
        refused("NAMESPACE     NAME   AGE   READY\nflux-system   apps   3d    True\n");
    assert_eq!(said, "seen.txt:1:1 this is the table for people");
    assert!(help.contains("-o json"));
    let (said, help) =
        refused(r#"{"kind": "List", "items": [{"kind": "Pod", "apiVersion": "v1"}]}"#);
    assert!(said.ends_with("but 1 objects of other kinds"), "{said}");
    assert!(help.contains("kubectl get kustomizations,helmreleases -A -o json"));
    assert!(
        refused("{\n  \"kind\": \"List\",\n  \"items\": [\n")
            .0
            .starts_with("seen.txt:4:")
    );
    let metric = "gotk_reconcile_duration_seconds_sum";
    assert_eq!(
        refused(&format!("# TYPE x y\n{metric}{{kind=\"a\n")).0,
        "seen.txt:2:1 the value of label `kind` has no end"
    );
    assert_eq!(
        refused(&format!("{metric}{{}} x\n")).0,
        "seen.txt:1:1 `x` is no number"
    );
    assert!(
        refused("# TYPE up gauge\nup 1\n")
            .0
            .contains("no `gotk_reconcile_duration_seconds`")
    );
}

#[test]
fn deep_nesting_is_refused() {
    for text in ["[".repeat(2_000_000), format!("a: {}", "[".repeat(200_000))] {
        assert!(!refused(&text).0.is_empty());
    }
}

#[test]
fn a_state_is_what_the_ready_condition_says() {
    let of = |object: &str| {
        let text = format!(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n\
             metadata: {{name: a, namespace: b, generation: 3}}\n{object}"
        );
        let state = state(&text);
        let key = key(ComponentKind::Kustomization, "b", "a");
        state.get(&key).expect("a state").state.clone()
    };
    let ready = |status: &str, more: &str| {
        format!(
            "status: {{observedGeneration: 3, conditions: [{{type: Ready, status: \"{status}\"{more}}}]}}\n"
        )
    };
    assert_eq!(of(&ready("True", "")), State::Ready);
    assert_eq!(
        of(&ready("True", ", observedGeneration: 2")),
        State::Undecided
    );
    assert_eq!(of(&ready("Unknown", "")), State::Undecided);
    assert_eq!(of("status: {conditions: []}\n"), State::Undecided);
    assert_eq!(of(""), State::Undecided);
    assert_eq!(
        of(&format!("spec: {{suspend: true}}\n{}", ready("False", ""))),
        State::Suspended
    );
    let failing = State::Failing {
        reason: "BuildFailed".into(),
        message: "no such file".into(),
    };
    let more = ", reason: BuildFailed, message: no such file, observedGeneration: 1";
    assert_eq!(of(&ready("False", more)), failing);
}

/// Files that were cut off or damaged are read or refused, and never more.
#[test]
fn damaged_files_are_read_or_refused() {
    let metrics = "gotk_reconcile_duration_seconds_sum{kind=\"Kustomization\",name=\"a\\\"\",namespace=\"b\"} 1e3 5\n";
    let list = "flux-system/apps: 90s\nHelmRelease/media/plex: 1h30m\n";
    let mut random: u32 = 1;
    let mut next = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below.max(1)
    };
    for text in [DUMP, metrics, list] {
        for round in 0..400 {
            let mut bytes = text.as_bytes().to_vec();
            if round % 2 == 0 {
                bytes.truncate(next(text.len()));
            }
            for _ in 0..next(4) {
                let at = next(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = b"\"{}[]:,\\\n -0x\xFF\0="[next(16)];
                }
            }
            let texts = Sources::new();
            for error in [
                read_durations("seen", &bytes, &texts, &mut Durations::default()).err(),
                read_state("seen", &bytes, &texts).err(),
            ]
            .into_iter()
            .flatten()
            {
                assert!(!error.to_string().is_empty());
            }
        }
    }
}
