// Command helmoracle answers questions about charts and HelmReleases with
// Helm's and helm-controller's own code, so that tests can compare the native
// renderer with them. It reads one JSON request a line on stdin and writes one
// JSON answer a line on stdout, in the same order; ../README.md describes both.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"runtime/debug"
	"time"
)

func main() {
	// What templates print must not depend on the machine.
	time.Local = time.UTC
	log.SetOutput(io.Discard)
	slog.SetDefault(slog.New(slog.DiscardHandler))
	stayOffline()
	debug.SetMaxStack(256 << 20)

	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	if err := work(in, out); err != nil {
		fmt.Fprintln(os.Stderr, "helmoracle:", err)
		os.Exit(1)
	}
}
