package main

import (
	"errors"
	"runtime/debug"
)

// versions lists the modules this program was built from.
func versions() (answer, error) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return answer{}, errors.New("no build information")
	}
	modules := map[string]string{"go": info.GoVersion}
	for _, dep := range info.Deps {
		modules[dep.Path] = dep.Version
	}
	return answer{Output: modules}, nil
}
