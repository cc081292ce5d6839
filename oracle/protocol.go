package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"sigs.k8s.io/kustomize/kyaml/yaml/merge3"
)

// request is one line of input. Which fields count depends on op.
type request struct {
	ID json.RawMessage `json:"id,omitempty"`
	Op string          `json:"op"`

	// A directory on disk, or a tree given in the request.
	Root        string            `json:"root,omitempty"`
	Files       map[string]string `json:"files,omitempty"`
	FilesBase64 map[string][]byte `json:"filesBase64,omitempty"`
	Path        string            `json:"path,omitempty"`

	// kustomize
	LoadRestrictor string `json:"loadRestrictor,omitempty"`
	Reorder        string `json:"reorder,omitempty"`
	ManagedByLabel bool   `json:"managedByLabel,omitempty"`

	// flux
	Kustomization json.RawMessage `json:"kustomization,omitempty"`
	Substitute    *substitution   `json:"substitute,omitempty"`
	After         string          `json:"after,omitempty"`

	// artifact
	Ignore *string `json:"ignore,omitempty"`
	Dest   string  `json:"dest,omitempty"`

	// merge
	Patch   string `json:"patch,omitempty"`
	Infer   bool   `json:"infer,omitempty"`
	Prepend bool   `json:"prepend,omitempty"`
	// merge3; the text is the copy that was changed on its own.
	Origin string `json:"origin,omitempty"`
	Update string `json:"update,omitempty"`

	// yaml, envsubst: one text, or a batch.
	Text   string            `json:"text,omitempty"`
	Texts  []string          `json:"texts,omitempty"`
	How    string            `json:"how,omitempty"`
	Vars   map[string]string `json:"vars,omitempty"`
	Strict bool              `json:"strict,omitempty"`
	Cases  []envsubstCase    `json:"cases,omitempty"`

	// time
	Targets []target `json:"targets,omitempty"`
	Rounds  int      `json:"rounds,omitempty"`
	// template: a batch.
	TemplateCases []templateCase `json:"templateCases,omitempty"`
}

// answer is one line of output: either Error is set, or the fields of the
// operation are.
type answer struct {
	ID       json.RawMessage   `json:"id,omitempty"`
	Output   any               `json:"output,omitempty"`
	Objects  []json.RawMessage `json:"objects,omitempty"`
	Manifest string            `json:"manifest,omitempty"`
	Answers  []answer          `json:"answers,omitempty"`
	Error    string            `json:"error,omitempty"`
	Stage    string            `json:"stage,omitempty"`
	Panic    bool              `json:"panic,omitempty"`
	Timeout  bool              `json:"timeout,omitempty"`
	Crash    bool              `json:"crash,omitempty"`
}

// stageError says at which step of a build an error happened.
type stageError struct {
	stage string
	err   error
}

func (e *stageError) Error() string { return e.err.Error() }
func (e *stageError) Unwrap() error { return e.err }

// failure turns an error into an answer.
func failure(err error) answer {
	a := answer{Error: err.Error()}
	var staged *stageError
	if errors.As(err, &staged) {
		a.Stage = staged.stage
	}
	if a.Error == "" {
		a.Error = "error without text"
	}
	return a
}

// guard runs one question and turns a panic of the libraries into an answer.
func guard(question func() (answer, error)) (a answer) {
	defer func() {
		if r := recover(); r != nil {
			a = answer{Error: fmt.Sprint(r), Panic: true}
		}
	}()
	a, err := question()
	if err != nil {
		return failure(err)
	}
	return a
}

// batch answers each text on its own, so that one bad text spoils no other.
func batch(n int, question func(i int) (answer, error)) answer {
	answers := make([]answer, n)
	for i := range answers {
		answers[i] = guard(func() (answer, error) { return question(i) })
	}
	return answer{Answers: answers}
}

func dispatch(r *request) (answer, error) {
	switch r.Op {
	case "version":
		return versions()
	case "kustomize":
		return kustomizeBuild(r)
	case "flux":
		return fluxBuild(r)
	case "artifact":
		return artifactFiles(r)
	case "merge":
		return merge(r)
	case "merge3":
		return asTextOf(merge3.MergeStrings(r.Text, r.Origin, r.Update, r.Infer))
	case "time":
		return measure(r)
	case "yaml":
		if r.Texts != nil {
			return batch(len(r.Texts), func(i int) (answer, error) { return yamlText(r.How, r.Texts[i]) }), nil
		}
		return yamlText(r.How, r.Text)
	case "envsubst":
		if r.Cases != nil {
			return batch(len(r.Cases), func(i int) (answer, error) { return r.Cases[i].expand() }), nil
		}
		one := envsubstCase{Text: r.Text, Vars: r.Vars, Strict: r.Strict}
		return one.expand()
	case "template":
		return batch(len(r.TemplateCases), func(i int) (answer, error) { return r.TemplateCases[i].run() }), nil
	default:
		return answer{}, fmt.Errorf("unknown op %q", r.Op)
	}
}

// work answers requests until stdin ends.
func work(in *bufio.Reader, out *bufio.Writer) error {
	stayOffline()
	debug.SetMaxStack(256 << 20)
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

func reply(line []byte) answer {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return answer{Error: "request is not valid: " + err.Error()}
	}
	a := guard(func() (answer, error) { return dispatch(&r) })
	a.ID = r.ID
	return a
}

func write(out *bufio.Writer, a answer) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a); err != nil {
		text.Reset()
		if err := encoder.Encode(answer{ID: a.ID, Error: "answer cannot be written: " + err.Error()}); err != nil {
			return err
		}
	}
	if _, err := out.Write(text.Bytes()); err != nil {
		return err
	}
	return out.Flush()
}
