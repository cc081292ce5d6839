package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/provider"
	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
	sigs "sigs.k8s.io/yaml"
)

// yamlText reads or writes a text by one of the routes that Kubernetes tools
// take.
func yamlText(how, text string) (answer, error) {
	switch how {
	case "sigs-to-json":
		return asText(sigs.YAMLToJSON([]byte(text)))
	case "sigs-strict":
		return asText(sigs.YAMLToJSONStrict([]byte(text)))
	case "sigs-roundtrip":
		data, err := sigs.YAMLToJSON([]byte(text))
		if err != nil {
			return answer{}, &stageError{"read", err}
		}
		return asText(sigs.JSONToYAML(data))
	case "json-to-yaml":
		return asText(sigs.JSONToYAML([]byte(text)))
	case "v3-tree":
		return eachDocument(text, func(node *yaml.Node) (any, error) { return dump(nil, node, 0), nil })
	case "v3-emit":
		return eachDocument(text, func(node *yaml.Node) (any, error) { return kyaml.NewRNode(node).String() })
	case "v3-json":
		return eachDocument(text, func(node *yaml.Node) (any, error) { return rawJSON(kyaml.NewRNode(node)) })
	case "kyaml-json":
		nodes, err := kio.FromBytes([]byte(text))
		if err != nil {
			return answer{}, &stageError{"read", err}
		}
		return each(nodes, func(node *kyaml.RNode) (any, error) { return rawJSON(node) })
	case "kyaml-emit":
		nodes, err := kio.FromBytes([]byte(text))
		if err != nil {
			return answer{}, &stageError{"read", err}
		}
		return each(nodes, func(node *kyaml.RNode) (any, error) { return node.String() })
	case "resources":
		found, err := provider.NewDefaultDepProvider().GetResourceFactory().SliceFromBytes([]byte(text))
		if err != nil {
			return answer{}, &stageError{"read", err}
		}
		nodes := make([]*kyaml.RNode, len(found))
		for i, res := range found {
			nodes[i] = &res.RNode
		}
		return each(nodes, func(node *kyaml.RNode) (any, error) { return rawJSON(node) })
	default:
		return answer{}, fmt.Errorf("unknown how %q", how)
	}
}

func asText(data []byte, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return answer{Output: string(data)}, nil
}

// rawJSON keeps the exact text, because the order of keys and the form of
// numbers are part of the answer.
func rawJSON(node *kyaml.RNode) (any, error) {
	data, err := node.MarshalJSON()
	return string(data), err
}

// each collects what a question answers for every node.
func each[N any](nodes []N, question func(N) (any, error)) (answer, error) {
	results := make([]any, 0, len(nodes))
	for _, node := range nodes {
		result, err := question(node)
		if err != nil {
			return answer{}, err
		}
		results = append(results, result)
	}
	return answer{Output: results}, nil
}

func eachDocument(text string, question func(*yaml.Node) (any, error)) (answer, error) {
	nodes := []*yaml.Node{}
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return each(nodes, question)
		}
		if err != nil {
			return answer{}, &stageError{"read", err}
		}
		nodes = append(nodes, &node)
	}
}

// yamlNode is one node of a document. A tree is written as its nodes in
// document order, each with its depth, because readers of JSON limit nesting.
type yamlNode struct {
	Depth       int      `json:"depth"`
	Kind        string   `json:"kind"`
	Tag         string   `json:"tag,omitempty"`
	Value       string   `json:"value,omitempty"`
	Style       []string `json:"style,omitempty"`
	Line        int      `json:"line"`
	Column      int      `json:"column"`
	Anchor      string   `json:"anchor,omitempty"`
	HeadComment string   `json:"headComment,omitempty"`
	LineComment string   `json:"lineComment,omitempty"`
	FootComment string   `json:"footComment,omitempty"`
}

// dump appends a node and all below it. Tag is the short form of what the
// reader resolved; an alias has its anchor as value and nothing below it.
func dump(nodes []yamlNode, node *yaml.Node, depth int) []yamlNode {
	nodes = append(nodes, yamlNode{
		Depth:       depth,
		Kind:        kindName(node.Kind),
		Tag:         node.ShortTag(),
		Value:       node.Value,
		Style:       styleNames(node.Style),
		Line:        node.Line,
		Column:      node.Column,
		Anchor:      node.Anchor,
		HeadComment: node.HeadComment,
		LineComment: node.LineComment,
		FootComment: node.FootComment,
	})
	for _, item := range node.Content {
		nodes = dump(nodes, item, depth+1)
	}
	return nodes
}

func kindName(kind yaml.Kind) string {
	switch kind {
	case yaml.DocumentNode:
		return "document"
	case yaml.SequenceNode:
		return "sequence"
	case yaml.MappingNode:
		return "mapping"
	case yaml.ScalarNode:
		return "scalar"
	case yaml.AliasNode:
		return "alias"
	default:
		return "none"
	}
}

func styleNames(style yaml.Style) []string {
	var names []string
	for _, s := range []struct {
		bit  yaml.Style
		name string
	}{
		{yaml.TaggedStyle, "tagged"},
		{yaml.DoubleQuotedStyle, "double"},
		{yaml.SingleQuotedStyle, "single"},
		{yaml.LiteralStyle, "literal"},
		{yaml.FoldedStyle, "folded"},
		{yaml.FlowStyle, "flow"},
	} {
		if style&s.bit != 0 {
			names = append(names, s.name)
		}
	}
	return names
}
