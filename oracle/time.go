package main

import (
	"fmt"
	"path/filepath"
	"time"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/kio"
	sigs "sigs.k8s.io/yaml"
)

// target is a directory to build.
type target struct {
	Root string `json:"root"`
	Path string `json:"path"`
}

// measure does the same work several times in this process and answers how many
// nanoseconds each round took. The libraries are warm after the first.
func measure(r *request) (answer, error) {
	work, err := workload(r)
	if err != nil {
		return answer{}, err
	}
	rounds := make([]int64, 0, r.Rounds)
	for range r.Rounds {
		start := time.Now()
		if err := work(); err != nil {
			return answer{}, err
		}
		rounds = append(rounds, time.Since(start).Nanoseconds())
	}
	return answer{Output: rounds}, nil
}

func workload(r *request) (func() error, error) {
	text := []byte(r.Text)
	switch r.How {
	case "yaml-v3":
		return func() error {
			var node yaml.Node
			return yaml.Unmarshal(text, &node)
		}, nil
	case "yaml-sigs":
		return func() error {
			_, err := sigs.YAMLToJSON(text)
			return err
		}, nil
	case "kyaml":
		return func() error {
			_, err := kio.FromBytes(text)
			return err
		}, nil
	case "kustomize":
		return func() error { return buildAll(r.Targets) }, nil
	}
	return nil, fmt.Errorf("unknown how %q", r.How)
}

// buildAll builds every directory to its text. One that fails costs what it
// costs: the native side is measured with it, too.
func buildAll(targets []target) error {
	options := krusty.MakeDefaultOptions()
	options.LoadRestrictions = types.LoadRestrictionsNone
	fs := filesys.MakeFsOnDisk()
	for _, t := range targets {
		built, err := krusty.MakeKustomizer(options).Run(fs, filepath.Join(t.Root, t.Path))
		if err != nil {
			continue
		}
		if _, err := built.AsYaml(); err != nil {
			return err
		}
	}
	return nil
}
