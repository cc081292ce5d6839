package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	securejoin "github.com/cyphar/filepath-securejoin"
	kustomizev1 "github.com/fluxcd/kustomize-controller/api/v1"
	generator "github.com/fluxcd/pkg/kustomize"
	fluxfs "github.com/fluxcd/pkg/kustomize/filesys"
	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	ssautil "github.com/fluxcd/pkg/ssa/utils"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/resmap"
)

// fluxBuild does for one Flux Kustomization what kustomize-controller does
// between fetching the artifact and applying it, without decryption. The
// generated kustomization file lives in memory; the root is never written to.
func fluxBuild(r *request) (answer, error) {
	if r.Root == "" {
		return withFilesOnDisk(r, fluxBuild)
	}
	var kustomization kustomizev1.Kustomization
	if err := json.Unmarshal(r.Kustomization, &kustomization); err != nil {
		return answer{}, &stageError{"object", err}
	}
	built, manifest, err := generateAndBuild(r.Root, &kustomization)
	if err != nil {
		return answer{}, err
	}
	if err := substitute(built, &kustomization, r.Substitute); err != nil {
		return answer{}, &stageError{"substitute", err}
	}
	a, err := resources(built)
	if err != nil {
		return answer{}, &stageError{"build", err}
	}
	a.Manifest = manifest
	if r.After == "" || r.After == "build" {
		return a, nil
	}
	a.Objects, err = readBack(a.Output.(string), &kustomization, r.After)
	return a, err
}

// generateAndBuild merges the Kustomization into the kustomization file of its
// path, or into one made for the path, and builds the result.
func generateAndBuild(root string, kustomization *kustomizev1.Kustomization) (resmap.ResMap, string, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return nil, "", &stageError{"path", err}
	}
	dir, err := securejoin.SecureJoin(root, kustomization.Spec.Path)
	if err != nil {
		return nil, "", &stageError{"path", err}
	}
	if _, err := os.Stat(dir); err != nil {
		return nil, "", &stageError{"path", fmt.Errorf("kustomization path not found: %w", err)}
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(kustomization)
	if err != nil {
		return nil, "", &stageError{"generate", err}
	}
	// A generator with an ignore list would read .sourceignore, which only the
	// command line tool does; the controller gets a tree without those files.
	manifest, file, _, err := generator.NewGenerator(root, unstructured.Unstructured{Object: object}).GenerateManifest(dir)
	if err != nil {
		return nil, "", &stageError{"generate", err}
	}
	disk, err := fluxfs.MakeFsOnDiskSecureBuild(root)
	if err != nil {
		return nil, "", &stageError{"build", err}
	}
	overlay := fluxfs.MakeFsInMemory(disk)
	if err := overlay.WriteFile(file, manifest); err != nil {
		return nil, "", &stageError{"generate", err}
	}
	built, err := generator.Build(overlay, dir)
	if err != nil {
		return nil, "", &stageError{"build", err}
	}
	for _, res := range built.Resources() {
		if res.GetName() == "" || res.GetKind() == "" || res.GetApiVersion() == "" {
			return nil, "", &stageError{"build", fmt.Errorf("failed to decode Kubernetes apiVersion, kind and name from: %v", res.String())}
		}
	}
	return built, string(manifest), nil
}

// substitution says where the variables of a Kustomization come from.
type substitution struct {
	Strict   bool              `json:"strict"`
	Strategy string            `json:"strategy,omitempty"`
	Vars     map[string]string `json:"vars,omitempty"`
	From     []dataObject      `json:"from,omitempty"`
}

// substitute expands variables in every resource, when the Kustomization has a
// postBuild field. Without From the objects of substituteFrom are not looked
// up: Vars stands for what they hold. The Kustomization's own variables win.
func substitute(built resmap.ResMap, kustomization *kustomizev1.Kustomization, s *substitution) error {
	if kustomization.Spec.PostBuild == nil || s == nil {
		return nil
	}
	vars := map[string]string{}
	for _, source := range []map[string]string{s.Vars, kustomization.Spec.PostBuild.Substitute} {
		for name, value := range source {
			vars[name] = value
		}
	}
	k := kustomization.DeepCopy()
	k.Spec.PostBuild.Substitute = vars
	if s.Strategy != "" {
		k.Spec.PostBuild.SubstituteStrategy = kustomizev1.SubstituteStrategy(s.Strategy)
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(k)
	if err != nil {
		return err
	}
	for _, res := range built.Resources() {
		changed, err := generator.SubstituteVariables(context.Background(), dataClient{objects: s.From}, unstructured.Unstructured{Object: object}, res,
			generator.SubstituteWithDryRun(s.From == nil),
			generator.SubstituteWithStrict(s.Strict),
			generator.SubstituteWithAlways(k.GetSubstituteStrategy() == kustomizev1.SubstituteStrategyAlways))
		if err != nil {
			return fmt.Errorf("post build failed for '%s/%s': %w", res.GetGvk(), res.GetName(), err)
		}
		if changed != nil {
			if _, err := built.Replace(res); err != nil {
				return err
			}
		}
	}
	return nil
}

// readBack is what happens to the built text before it is applied. "read":
// kustomize's own objects and nameless ones dropped, lists flattened.
// "metadata": also the common metadata. "apply": also, before that, the owner
// labels and the typed normalisation.
func readBack(text string, kustomization *kustomizev1.Kustomization, after string) ([]json.RawMessage, error) {
	objects, err := ssautil.ReadObjects(bytes.NewReader([]byte(text)))
	if err != nil {
		return nil, &stageError{"read", err}
	}
	switch after {
	case "read", "metadata":
	case "apply":
		manager := ssa.NewResourceManager(nil, nil, ssa.Owner{Field: "kustomize-controller", Group: kustomizev1.GroupVersion.Group})
		manager.SetOwnerLabels(objects, kustomization.GetName(), kustomization.GetNamespace())
		if err := normalize.UnstructuredList(objects); err != nil {
			return nil, &stageError{"apply", err}
		}
	default:
		return nil, fmt.Errorf("unknown value %q for after", after)
	}
	if meta := kustomization.Spec.CommonMetadata; meta != nil && after != "read" {
		ssautil.SetCommonMetadata(objects, meta.Labels, meta.Annotations)
	}
	texts := make([]json.RawMessage, 0, len(objects))
	for _, object := range objects {
		data, err := json.Marshal(object.Object)
		if err != nil {
			return nil, &stageError{"read", err}
		}
		texts = append(texts, data)
	}
	return texts, nil
}
