package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxcd/pkg/sourceignore"
)

// artifactFiles lists what source-controller packs of a directory: regular
// files and folders that the ignore rules leave. With Dest they are also
// copied, which gives the tree that kustomize-controller would build from.
func artifactFiles(r *request) (answer, error) {
	if r.Root == "" {
		return withFilesOnDisk(r, artifactFiles)
	}
	root, err := filepath.EvalSymlinks(r.Root)
	if err != nil {
		return answer{}, err
	}
	ignored, err := ignoreFilter(root, r.Ignore)
	if err != nil {
		return answer{}, err
	}
	kept := artifactList{Files: []string{}, Dirs: []string{}}
	err = filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		mode := info.Mode()
		if !(mode.IsRegular() || mode.IsDir()) || ignored(path, info) {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if mode.IsDir() {
			kept.Dirs = append(kept.Dirs, name)
		} else {
			kept.Files = append(kept.Files, name)
		}
		return nil
	})
	if err != nil {
		return answer{}, err
	}
	if r.Dest != "" {
		if err := kept.copy(root, r.Dest); err != nil {
			return answer{}, err
		}
	}
	return answer{Output: kept}, nil
}

type artifactList struct {
	Files []string `json:"files"`
	Dirs  []string `json:"dirs"`
}

func (l *artifactList) copy(root, dest string) error {
	if entries, err := os.ReadDir(dest); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", dest)
	}
	for _, name := range l.Dirs {
		if err := os.MkdirAll(filepath.Join(dest, name), 0o755); err != nil {
			return err
		}
	}
	for _, name := range l.Files {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		target := filepath.Join(dest, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// ignoreFilter says what an artifact leaves out. The built-in patterns beyond
// those for version control hold only while neither a .sourceignore file nor
// the source's own field says anything.
func ignoreFilter(root string, ignore *string) (func(string, fs.FileInfo) bool, error) {
	domain := strings.Split(root, string(filepath.Separator))
	patterns, err := sourceignore.LoadIgnorePatterns(root, domain)
	if err != nil {
		return nil, err
	}
	if ignore != nil {
		patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(*ignore), domain)...)
	}
	matcher := sourceignore.NewDefaultMatcher(nil, domain)
	if len(patterns) > 0 {
		matcher = sourceignore.NewMatcher(append(sourceignore.VCSPatterns(domain), patterns...))
	}
	return func(path string, info fs.FileInfo) bool {
		return matcher.Match(strings.Split(path, string(filepath.Separator)), info.IsDir())
	}, nil
}
