package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime/debug"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
)

// request is one line of input. Which fields count depends on op.
type request struct {
	ID        json.RawMessage `json:"id,omitempty"`
	Op        string          `json:"op"`
	TimeoutMs int64           `json:"timeoutMs,omitempty"`

	// The chart: an archive or a directory on disk, or its files.
	Chart       string            `json:"chart,omitempty"`
	Files       map[string]string `json:"files,omitempty"`
	FilesBase64 map[string][]byte `json:"filesBase64,omitempty"`

	// Values as YAML texts, later over earlier, and settings of the command
	// line over them.
	Values []string  `json:"values,omitempty"`
	Sets   []setting `json:"sets,omitempty"`

	Release      releaseOptions `json:"release"`
	Capabilities capabilities   `json:"capabilities"`
	SkipSchema   bool           `json:"skipSchema,omitempty"`
	IncludeCRDs  bool           `json:"includeCrds,omitempty"`
	// Only the texts of templates, or only what comes of them.
	Only string `json:"only,omitempty"`
	// What functions give whose answer is not the same in each run.
	Placeholders map[string]json.RawMessage `json:"placeholders,omitempty"`

	// release
	HelmRelease json.RawMessage   `json:"helmRelease,omitempty"`
	Objects     []json.RawMessage `json:"objects,omitempty"`
	// The digest of an OCI artifact's revision.
	Revision string `json:"revision,omitempty"`
	// The controller has Helm 3's defaults.
	Helm3 bool `json:"helm3,omitempty"`

	// time
	Rounds int    `json:"rounds,omitempty"`
	What   string `json:"what,omitempty"`
}

// answer is one line of output: either Error is set, or the fields of the
// operation are.
type answer struct {
	ID       json.RawMessage   `json:"id,omitempty"`
	Output   any               `json:"output,omitempty"`
	Texts    map[string]string `json:"texts,omitempty"`
	Manifest string            `json:"manifest,omitempty"`
	Hooks    []hook            `json:"hooks,omitempty"`
	CRDs     []file            `json:"crds,omitempty"`
	Notes    string            `json:"notes,omitempty"`
	Objects  []json.RawMessage `json:"objects,omitempty"`
	Error    string            `json:"error,omitempty"`
	Stage    string            `json:"stage,omitempty"`
	Panic    bool              `json:"panic,omitempty"`
	Timeout  bool              `json:"timeout,omitempty"`
}

type file struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// staged says at which step an error happened.
type staged struct {
	stage string
	err   error
}

func (e *staged) Error() string { return e.err.Error() }
func (e *staged) Unwrap() error { return e.err }

func at(stage string, err error) error {
	if err == nil {
		return nil
	}
	return &staged{stage, err}
}

// guard runs one question and turns a panic of the libraries into an answer.
func guard(question func() (answer, error)) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprint(r), Panic: true}
		}
	}()
	a, err := question()
	if err == nil {
		return a
	}
	a.Error = err.Error()
	if a.Error == "" {
		a.Error = "error without text"
	}
	var step *staged
	if errors.As(err, &step) {
		a.Stage = step.stage
	}
	return a
}

func dispatch(r *request) (answer, error) {
	switch r.Op {
	case "version":
		return versions()
	case "capabilities":
		return answer{Output: common.DefaultCapabilities}, nil
	case "template":
		return template(r)
	case "values":
		return values(r)
	case "release":
		return composition(r)
	case "time":
		return measure(r)
	}
	return answer{}, fmt.Errorf("unknown op %q", r.Op)
}

// defaultTimeout bounds one request that does not name its own bound.
const defaultTimeout = 60 * time.Second

// reply answers one line. A question that takes too long is left behind.
func reply(line []byte) answer {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return answer{Error: "request is not valid: " + err.Error()}
	}
	timeout := defaultTimeout
	if r.TimeoutMs > 0 {
		timeout = time.Duration(r.TimeoutMs) * time.Millisecond
	}
	done := make(chan answer, 1)
	go func() { done <- guard(func() (answer, error) { return dispatch(&r) }) }()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	var a answer
	select {
	case a = <-done:
	case <-timer.C:
		a = answer{Error: fmt.Sprintf("no answer within %v", timeout), Timeout: true}
	}
	a.ID = r.ID
	return a
}

// work answers requests until stdin ends.
func work(in *bufio.Reader, out *bufio.Writer) error {
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := write(out, reply(line)); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func write(out *bufio.Writer, a answer) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a); err != nil {
		return err
	}
	return out.Flush()
}

type refuse struct{}

func (refuse) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("remote access is disabled in the oracle")
}

// stayOffline makes whatever reaches for another machine fail at once.
func stayOffline() {
	http.DefaultTransport = refuse{}
	_ = os.Setenv("PATH", "")
}

// versions lists the modules this program was built from.
func versions() (answer, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return answer{}, errors.New("no build information")
	}
	modules := map[string]string{"go": info.GoVersion}
	for _, dep := range info.Deps {
		if dep.Replace != nil {
			dep = dep.Replace
		}
		modules[dep.Path] = dep.Version
	}
	return answer{Output: modules}, nil
}
