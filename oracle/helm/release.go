package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/go-logr/logr"
	"helm.sh/helm/v4/pkg/action"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	kubefake "helm.sh/helm/v4/pkg/kube/fake"
	helmrelease "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v2 "github.com/fluxcd/helm-controller/api/v2"
	controller "github.com/fluxcd/helm-controller/internal/action"
	"github.com/fluxcd/pkg/chartutil"
)

// composition is what helm-controller makes of a HelmRelease on an empty
// cluster: values from their sources, an install with its options, and its
// post-renderers.
func composition(r *request) (answer, error) {
	obj := &v2.HelmRelease{}
	if err := json.Unmarshal(r.HelmRelease, obj); err != nil {
		return answer{}, at("object", err)
	}
	src, err := r.source()
	if err != nil {
		return answer{}, at("load", err)
	}
	chrt, err := src.load()
	if err != nil {
		return answer{}, at("load", err)
	}
	if err := r.stamp(&chrt.Metadata.Version); err != nil {
		return answer{}, at("load", err)
	}
	objects, err := readSources(r.Objects)
	if err != nil {
		return answer{}, err
	}
	vals, err := chartutil.ChartValuesFromReferences(context.Background(), logr.Discard(), objects,
		obj.Namespace, obj.GetValues(), obj.Spec.ValuesFrom...)
	if err != nil {
		return answer{}, at("values", err)
	}
	r.Release.Namespace = obj.GetReleaseNamespace()
	config, err := r.configuration(&kubefake.PrintingKubeClient{Out: io.Discard, LogOutput: io.Discard})
	if err != nil {
		return answer{}, at("capabilities", err)
	}
	// The client builds nothing, so no policy has anything to replace.
	if obj.Spec.Install != nil && obj.Spec.Install.CRDs == v2.CreateReplace {
		obj.Spec.Install.CRDs = v2.Create
	}
	controller.UseHelm3Defaults = r.Helm3
	rel, err := controller.Install(context.Background(), config, obj, chrt, vals, func(install *action.Install) {
		install.DryRunStrategy = action.DryRunServer
		install.IsUpgrade = r.Release.IsUpgrade
	})
	if err != nil {
		return answer{}, at("install", err)
	}
	a := answer{Output: map[string]any{"name": rel.Name, "namespace": rel.Namespace, "values": withTypes(map[string]any(vals))}}
	a.release(rel)
	for _, crd := range chrt.CRDObjects() {
		a.CRDs = append(a.CRDs, file{crd.Filename, string(crd.File.Data)})
	}
	a.Objects, err = applied(obj, chrt, rel)
	return a, at("manifest", err)
}

// applied is what comes to the cluster: definitions, what the release
// installs, and its hooks of installation and upgrade.
func applied(obj *v2.HelmRelease, chrt *chart.Chart, rel *helmrelease.Release) ([]json.RawMessage, error) {
	all, err := definitions(obj, chrt)
	if err != nil {
		return nil, err
	}
	installed, err := documents(rel.Manifest)
	if err != nil {
		return nil, err
	}
	all = append(all, installed...)
	if obj.GetInstall().DisableHooks {
		return all, nil
	}
	here := []helmrelease.HookEvent{helmrelease.HookPreInstall, helmrelease.HookPostInstall,
		helmrelease.HookPreUpgrade, helmrelease.HookPostUpgrade}
	for _, h := range rel.Hooks {
		runs := func(event helmrelease.HookEvent) bool { return slices.Contains(here, event) }
		if !slices.ContainsFunc(h.Events, runs) {
			continue
		}
		made, err := documents(h.Manifest)
		if err != nil {
			return nil, err
		}
		all = append(all, made...)
	}
	return all, nil
}

// definitions are the chart's CRDs with the labels that the controller gives
// them.
func definitions(obj *v2.HelmRelease, chrt *chart.Chart) ([]json.RawMessage, error) {
	if obj.GetInstall().CRDs == v2.Skip {
		return nil, nil
	}
	var all []json.RawMessage
	for _, crd := range chrt.CRDObjects() {
		found, err := documents(string(crd.File.Data))
		if err != nil {
			return nil, err
		}
		for _, text := range found {
			var object unstructured.Unstructured
			if err := json.Unmarshal(text, &object.Object); err != nil {
				return nil, err
			}
			gvk := object.GroupVersionKind()
			if gvk.Group != "apiextensions.k8s.io" || gvk.Kind != "CustomResourceDefinition" {
				continue
			}
			labels := object.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels[v2.GroupVersion.Group+"/name"] = obj.Name
			labels[v2.GroupVersion.Group+"/namespace"] = obj.Namespace
			object.SetLabels(labels)
			text, err := json.Marshal(object.Object)
			if err != nil {
				return nil, err
			}
			all = append(all, text)
		}
	}
	return all, nil
}

// stamp adds an artifact's digest to a chart's version, as the controller does
// for charts of OCIRepositories.
func (r *request) stamp(version *string) error {
	_, digest, found := strings.Cut(r.Revision, ":")
	if !found {
		return nil
	}
	parsed, err := semver.NewVersion(*version)
	if err != nil {
		return fmt.Errorf("invalid chart version %s", *version)
	}
	marked, err := parsed.SetMetadata(digest[:min(12, len(digest))])
	if err != nil {
		return err
	}
	*version = marked.String()
	return nil
}

// documents reads a manifest as the client of a cluster would: one object a
// document, lists opened.
func documents(manifest string) ([]json.RawMessage, error) {
	var all []json.RawMessage
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewBufferString(manifest), 4096)
	for {
		var object unstructured.Unstructured
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		if len(object.Object) == 0 {
			continue
		}
		one := func(o any) error {
			text, err := json.Marshal(o)
			all = append(all, text)
			return err
		}
		if items, ok := object.Object["items"].([]any); ok && object.IsList() {
			for _, item := range items {
				if err := one(item); err != nil {
					return all, err
				}
			}
			continue
		}
		if err := one(object.Object); err != nil {
			return all, err
		}
	}
}

// sources answers for the ConfigMaps and Secrets of a request.
type sources struct {
	client.Client
	objects map[client.ObjectKey]map[string]client.Object
}

func readSources(raw []json.RawMessage) (*sources, error) {
	all := &sources{objects: map[client.ObjectKey]map[string]client.Object{}}
	for _, text := range raw {
		var head struct {
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(text, &head); err != nil {
			return nil, err
		}
		var object client.Object = &corev1.ConfigMap{}
		if head.Kind == "Secret" {
			object = &corev1.Secret{}
		}
		if err := json.Unmarshal(text, object); err != nil {
			return nil, err
		}
		if secret, ok := object.(*corev1.Secret); ok {
			// The API server's doing.
			for key, value := range secret.StringData {
				if secret.Data == nil {
					secret.Data = map[string][]byte{}
				}
				secret.Data[key] = []byte(value)
			}
		}
		key := client.ObjectKeyFromObject(object)
		if all.objects[key] == nil {
			all.objects[key] = map[string]client.Object{}
		}
		all.objects[key][head.Kind] = object
	}
	return all, nil
}

func (s *sources) Get(_ context.Context, key client.ObjectKey, object client.Object, _ ...client.GetOption) error {
	switch object := object.(type) {
	case *corev1.Secret:
		if found, ok := s.objects[key]["Secret"].(*corev1.Secret); ok {
			found.DeepCopyInto(object)
			return nil
		}
		return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, key.Name)
	case *corev1.ConfigMap:
		if found, ok := s.objects[key]["ConfigMap"].(*corev1.ConfigMap); ok {
			found.DeepCopyInto(object)
			return nil
		}
		return apierrors.NewNotFound(schema.GroupResource{Resource: "configmaps"}, key.Name)
	}
	return fmt.Errorf("no %T here", object)
}
