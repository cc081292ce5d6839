package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/strvals"
)

// source is a chart that can be loaded again: rendering changes it.
type source struct {
	archive []byte
	dir     string
	files   []*archive.BufferedFile
}

func (r *request) source() (*source, error) {
	if r.Chart == "" {
		var files []*archive.BufferedFile
		for name, text := range r.Files {
			files = append(files, &archive.BufferedFile{Name: name, Data: []byte(text)})
		}
		for name, data := range r.FilesBase64 {
			files = append(files, &archive.BufferedFile{Name: name, Data: data})
		}
		slices.SortFunc(files, func(a, b *archive.BufferedFile) int { return strings.Compare(a.Name, b.Name) })
		return &source{files: files}, nil
	}
	info, err := os.Stat(r.Chart)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return &source{dir: r.Chart}, nil
	}
	data, err := os.ReadFile(r.Chart)
	return &source{archive: data}, err
}

func (s *source) load() (*chart.Chart, error) {
	switch {
	case s.archive != nil:
		return loader.LoadArchive(bytes.NewReader(s.archive))
	case s.dir != "":
		return loader.LoadDir(s.dir)
	}
	// The loader renames the files of subcharts.
	files := make([]*archive.BufferedFile, len(s.files))
	for i, f := range s.files {
		files[i] = &archive.BufferedFile{Name: f.Name, Data: f.Data}
	}
	return loader.LoadFiles(files)
}

// setting is one value of the command line.
type setting struct {
	// set, string, json, literal
	How  string `json:"how"`
	Text string `json:"text"`
}

// given merges the values of a request as Helm's command line does.
func (r *request) given() (map[string]any, error) {
	base := map[string]any{}
	for _, text := range r.Values {
		values, err := loader.LoadValues(strings.NewReader(text))
		if err != nil {
			return nil, err
		}
		base = loader.MergeMaps(base, values)
	}
	for _, s := range r.Sets {
		var err error
		switch s.How {
		case "set":
			err = strvals.ParseInto(s.Text, base)
		case "string":
			err = strvals.ParseIntoString(s.Text, base)
		case "json":
			err = strvals.ParseJSON(s.Text, base)
		case "literal":
			err = strvals.ParseLiteralInto(s.Text, base)
		default:
			err = fmt.Errorf("unknown setting %q", s.How)
		}
		if err != nil {
			return nil, err
		}
	}
	return base, nil
}

// values is the merged map, numbers with their Go type.
func values(r *request) (answer, error) {
	given, err := r.given()
	if err != nil {
		return answer{}, err
	}
	return answer{Output: withTypes(given)}, nil
}

func withTypes(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = withTypes(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = withTypes(item)
		}
		return out
	case nil, bool, string:
		return v
	case json.Number:
		return map[string]string{"json.Number": v.String()}
	}
	return map[string]string{fmt.Sprintf("%T", v): fmt.Sprint(v)}
}

type releaseOptions struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	IsUpgrade bool   `json:"isUpgrade"`
}

type capabilities struct {
	KubeVersion string   `json:"kubeVersion"`
	APIVersions []string `json:"apiVersions"`
	HelmVersion string   `json:"helmVersion"`
}

// cluster is what the request says of the cluster, else Helm's defaults.
func (r *request) cluster() (*common.Capabilities, error) {
	caps := common.DefaultCapabilities.Copy()
	if r.Capabilities.KubeVersion != "" {
		version, err := common.ParseKubeVersion(r.Capabilities.KubeVersion)
		if err != nil {
			return nil, err
		}
		caps.KubeVersion = *version
	}
	if r.Capabilities.APIVersions != nil {
		caps.APIVersions = r.Capabilities.APIVersions
	}
	// What is built into it depends on the machine.
	caps.HelmVersion.GoVersion = "go1.26"
	if r.Capabilities.HelmVersion != "" {
		caps.HelmVersion.Version = r.Capabilities.HelmVersion
	}
	return caps, nil
}
