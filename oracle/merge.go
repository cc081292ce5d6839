package main

import (
	"sigs.k8s.io/kustomize/kyaml/yaml"
	"sigs.k8s.io/kustomize/kyaml/yaml/merge2"
)

// merge lays a patch over an object, as strategic-merge patches are applied.
func merge(r *request) (answer, error) {
	options := yaml.MergeOptions{ListIncreaseDirection: yaml.MergeOptionsListAppend}
	if r.Prepend {
		options.ListIncreaseDirection = yaml.MergeOptionsListPrepend
	}
	return asTextOf(merge2.MergeStrings(r.Patch, r.Text, r.Infer, options))
}

func asTextOf(text string, err error) (answer, error) {
	return asText([]byte(text), err)
}
