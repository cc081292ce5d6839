package main

import (
	"context"
	"fmt"
	"io"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	"helm.sh/helm/v4/pkg/kube"
	kubefake "helm.sh/helm/v4/pkg/kube/fake"
	helmrelease "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
)

// hook is a hook of a release, as far as it is the chart's.
type hook struct {
	Path           string                         `json:"path"`
	Name           string                         `json:"name"`
	Kind           string                         `json:"kind"`
	Events         []helmrelease.HookEvent        `json:"events"`
	Weight         int                            `json:"weight"`
	DeletePolicies []helmrelease.HookDeletePolicy `json:"deletePolicies"`
	Manifest       string                         `json:"manifest"`
}

// template renders a chart twice: each template's text by the engine, and what
// an install makes of them.
func template(r *request) (answer, error) {
	src, err := r.source()
	if err != nil {
		return answer{}, at("load", err)
	}
	var a answer
	var failed error
	if r.Only != "release" {
		a.Texts, failed = r.texts(src)
	}
	if r.Only == "texts" {
		return a, failed
	}
	// An install has the words that people see.
	if err := r.install(src, &a); err != nil {
		return a, err
	}
	return a, failed
}

// prepared is a chart with its dependencies chosen, and what it is rendered on.
func (r *request) prepared(src *source) (*chart.Chart, common.Values, error) {
	chrt, err := src.load()
	if err != nil {
		return nil, nil, at("load", err)
	}
	given, err := r.given()
	if err != nil {
		return nil, nil, at("values", err)
	}
	if err := chartutil.ProcessDependencies(chrt, given); err != nil {
		return nil, nil, at("dependencies", err)
	}
	top, err := r.top(chrt, given)
	return chrt, top, err
}

func (r *request) top(chrt *chart.Chart, given map[string]any) (common.Values, error) {
	caps, err := r.cluster()
	if err != nil {
		return nil, at("capabilities", err)
	}
	options := common.ReleaseOptions{
		Name:      r.Release.Name,
		Namespace: r.Release.Namespace,
		Revision:  1,
		IsInstall: !r.Release.IsUpgrade,
		IsUpgrade: r.Release.IsUpgrade,
	}
	top, err := util.ToRenderValuesWithSchemaValidation(chrt, given, options, caps, r.SkipSchema)
	return top, at("schema", err)
}

func (r *request) texts(src *source) (map[string]string, error) {
	chrt, top, err := r.prepared(src)
	if err != nil {
		return nil, err
	}
	texts, err := engine.Engine{CustomTemplateFuncs: r.placeholders()}.Render(chrt, top)
	return texts, at("render", err)
}

// configuration is that of a cluster which is empty and takes everything.
func (r *request) configuration(client kube.Interface) (*action.Configuration, error) {
	caps, err := r.cluster()
	if err != nil {
		return nil, err
	}
	memory := driver.NewMemory()
	memory.SetNamespace(r.Release.Namespace)
	config := action.NewConfiguration()
	config.Capabilities = caps
	config.KubeClient = client
	config.Releases = storage.Init(memory)
	config.CustomTemplateFuncs = r.placeholders()
	return config, nil
}

func (r *request) install(src *source, a *answer) error {
	chrt, err := src.load()
	if err != nil {
		return at("load", err)
	}
	given, err := r.given()
	if err != nil {
		return at("values", err)
	}
	config, err := r.configuration(&kubefake.PrintingKubeClient{Out: io.Discard, LogOutput: io.Discard})
	if err != nil {
		return at("capabilities", err)
	}
	install := action.NewInstall(config)
	install.ReleaseName = r.Release.Name
	install.Namespace = r.Release.Namespace
	install.IsUpgrade = r.Release.IsUpgrade
	install.SkipSchemaValidation = r.SkipSchema
	install.IncludeCRDs = r.IncludeCRDs
	// The kind of dry run that takes the capabilities as they are given.
	install.DryRunStrategy = action.DryRunServer
	made, err := install.RunWithContext(context.Background(), chrt, given)
	if err != nil {
		return at("install", err)
	}
	rel, ok := made.(*helmrelease.Release)
	if !ok {
		return fmt.Errorf("unknown release %T", made)
	}
	a.release(rel)
	for _, crd := range chrt.CRDObjects() {
		a.CRDs = append(a.CRDs, file{crd.Filename, string(crd.File.Data)})
	}
	return nil
}

func (a *answer) release(rel *helmrelease.Release) {
	a.Manifest = rel.Manifest
	a.Notes = rel.Info.Notes
	for _, h := range rel.Hooks {
		a.Hooks = append(a.Hooks, hook{h.Path, h.Name, h.Kind, h.Events, h.Weight, h.DeletePolicies, h.Manifest})
	}
}
