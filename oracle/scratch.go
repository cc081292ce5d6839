package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// withFilesOnDisk answers a request whose tree is in the request, for an
// operation that needs a directory. Messages name the files as if the tree
// stood at "/".
func withFilesOnDisk(r *request, question func(*request) (answer, error)) (answer, error) {
	dir, err := os.MkdirTemp("", "oracle-")
	if err != nil {
		return answer{}, err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return answer{}, err
	}
	for name, text := range r.Files {
		if err := writeBelow(dir, name, []byte(text)); err != nil {
			return answer{}, err
		}
	}
	for name, data := range r.FilesBase64 {
		if err := writeBelow(dir, name, data); err != nil {
			return answer{}, err
		}
	}
	onDisk := *r
	onDisk.Root = dir
	a, err := question(&onDisk)
	if err != nil {
		message := strings.ReplaceAll(strings.ReplaceAll(err.Error(), dir+"/", "/"), dir, "/")
		stage := failure(err).Stage
		return a, &stageError{stage, errors.New(message)}
	}
	return a, nil
}

func writeBelow(dir, name string, data []byte) error {
	if !filepath.IsLocal(name) {
		return errors.New("path " + name + " leads out of the tree")
	}
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
