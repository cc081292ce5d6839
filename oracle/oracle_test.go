package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	generator "github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func ask(t *testing.T, request string) answer {
	t.Helper()
	return reply([]byte(request))
}

func TestPanicIsAnAnswer(t *testing.T) {
	a := ask(t, `{"op":"envsubst","text":"${A:1:-2}","vars":{"A":"xyz"}}`)
	if !a.Panic || a.Error == "" {
		t.Fatalf("want a panic as an answer, got %+v", a)
	}
}

func TestBatchKeepsItsOrder(t *testing.T) {
	a := ask(t, `{"id":"x","op":"yaml","how":"sigs-to-json","texts":["a: 1","[","b: yes"]}`)
	got, _ := json.Marshal(a)
	want := `{"id":"x","answers":[{"output":"{\"a\":1}"},{"error":"yaml: line 1: did not find expected node content"},{"output":"{\"b\":true}"}]}`
	if string(got) != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

var fixture = map[string]string{
	"app/kustomization.yaml":      "resources: [web.yaml, ../shared]\nnamePrefix: own-\nunknown: field\n",
	"app/web.yaml":                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {v: \"${V}\"}\n",
	"shared/one.yaml":             "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n",
	"shared/kustomization.yaml":   "resources: [one.yaml]\n",
	"plain/a.yaml":                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	"plain/sub/kustomization.yml": "resources: [b.yaml]\n",
	"plain/sub/b.yaml":            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n",
}

func writeFixture(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range fixture {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// The controller writes the generated file into its copy of the artifact; here
// it lies over an untouched root. Both must build the same.
func TestOverlayBuildsLikeTheDisk(t *testing.T) {
	for _, path := range []string{"app", "./plain", "shared"} {
		var k kustomizev1.Kustomization
		k.Name = "test"
		k.Spec.Path = path
		k.Spec.TargetNamespace = "there"
		k.Spec.Components = nil

		built, _, err := generateAndBuild(writeFixture(t), &k)
		if err != nil {
			t.Fatal(path, err)
		}
		overlay, err := built.AsYaml()
		if err != nil {
			t.Fatal(path, err)
		}

		root := writeFixture(t)
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&k)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(root, path)
		if _, err := generator.NewGenerator(root, unstructured.Unstructured{Object: object}).WriteFile(dir); err != nil {
			t.Fatal(path, err)
		}
		written, err := generator.SecureBuild(root, dir, true)
		if err != nil {
			t.Fatal(path, err)
		}
		disk, err := written.AsYaml()
		if err != nil {
			t.Fatal(path, err)
		}
		if string(overlay) != string(disk) {
			t.Errorf("%q: overlay\n%s\ndisk\n%s", path, overlay, disk)
		}
	}
}

func TestRootStaysAsItIs(t *testing.T) {
	root := writeFixture(t)
	request, err := json.Marshal(map[string]any{
		"op": "flux", "root": root, "substitute": map[string]any{"strict": true},
		"kustomization": map[string]any{
			"metadata": map[string]any{"name": "k", "namespace": "flux-system"},
			"spec": map[string]any{
				"path":      "app",
				"postBuild": map[string]any{"substitute": map[string]any{"V": "text"}},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := ask(t, string(request))
	if a.Error != "" || len(a.Objects) != 2 || !strings.Contains(string(a.Objects[0]), `"v":"text"`) {
		t.Fatalf("unexpected answer %+v", a)
	}
	seen := map[string]string{}
	err = filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		seen[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) != len(fixture) {
		t.Fatalf("files changed: %v", seen)
	}
	for name, text := range fixture {
		if seen[name] != text {
			t.Errorf("%s changed", name)
		}
	}
}

func TestUnsetVariableNamesItsStage(t *testing.T) {
	root := writeFixture(t)
	a := ask(t, `{"op":"flux","root":`+quote(root)+`,"kustomization":{"metadata":{"name":"k"},"spec":{"path":"app","postBuild":{"substitute":{"W":"1"}}}},"substitute":{"strict":true}}`)
	if a.Stage != "substitute" || !strings.Contains(a.Error, `variable not set (strict mode): "V"`) {
		t.Fatalf("unexpected answer %+v", a)
	}
}

func TestMissingSourceObject(t *testing.T) {
	root := writeFixture(t)
	a := ask(t, `{"op":"flux","root":`+quote(root)+`,"kustomization":{"metadata":{"name":"k","namespace":"n"},"spec":{"path":"app","postBuild":{"substituteFrom":[{"kind":"ConfigMap","name":"vars"}]}}},"substitute":{"from":[]}}`)
	if a.Stage != "substitute" || !strings.Contains(a.Error, `substitute from 'ConfigMap/vars' error: configmaps "vars" not found`) {
		t.Fatalf("unexpected answer %+v", a)
	}
}

func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}
