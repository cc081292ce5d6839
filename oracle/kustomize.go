package main

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
)

// kustomizeBuild is a plain `kustomize build` of a directory on disk or of the
// files in the request, with plugins disabled.
func kustomizeBuild(r *request) (answer, error) {
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOption(r.Reorder)
	options.AddManagedbyLabel = r.ManagedByLabel
	switch r.LoadRestrictor {
	case "", "root":
	case "none":
		options.LoadRestrictions = types.LoadRestrictionsNone
	default:
		return answer{}, fmt.Errorf("unknown loadRestrictor %q", r.LoadRestrictor)
	}
	fs, target, err := tree(r)
	if err != nil {
		return answer{}, err
	}
	// The schema is a global that one build may change for the next; the
	// command line program starts with a fresh one. Reading it takes longer than
	// most builds, so others keep it.
	if mayChangeSchema(r) {
		openapi.ResetOpenAPI()
		defer openapi.ResetOpenAPI()
	}
	built, err := krusty.MakeKustomizer(options).Run(fs, target)
	if err != nil {
		return answer{}, err
	}
	return resources(built)
}

// mayChangeSchema tells whether a file of the tree may name a schema.
func mayChangeSchema(r *request) bool {
	for _, text := range r.Files {
		if strings.Contains(strings.ToLower(text), "openapi") {
			return true
		}
	}
	for _, data := range r.FilesBase64 {
		if strings.Contains(strings.ToLower(string(data)), "openapi") {
			return true
		}
	}
	return r.Root != ""
}

// tree is the file system of a request and the target in it.
func tree(r *request) (filesys.FileSystem, string, error) {
	if r.Root != "" {
		return filesys.MakeFsOnDisk(), filepath.Join(r.Root, r.Path), nil
	}
	fs := filesys.MakeFsInMemory()
	for name, text := range r.Files {
		if err := fs.WriteFile(path.Join("/", name), []byte(text)); err != nil {
			return nil, "", err
		}
	}
	for name, data := range r.FilesBase64 {
		if err := fs.WriteFile(path.Join("/", name), data); err != nil {
			return nil, "", err
		}
	}
	return fs, path.Join("/", r.Path), nil
}

// resources is a build's result as text and as one JSON object a resource.
func resources(built resmap.ResMap) (answer, error) {
	text, err := built.AsYaml()
	if err != nil {
		return answer{}, err
	}
	objects := make([]json.RawMessage, 0, built.Size())
	for _, res := range built.Resources() {
		object, err := res.MarshalJSON()
		if err != nil {
			return answer{}, err
		}
		objects = append(objects, object)
	}
	return answer{Output: string(text), Objects: objects}, nil
}
