// Command oracle answers questions about YAML, kustomize and Flux with the
// upstream Go libraries, so that tests can compare the native renderers with
// them. It reads one JSON request a line on stdin and writes one JSON answer a
// line on stdout; README.md describes both.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
)

func main() {
	worker := flag.Bool("worker", false, "answer requests in this process (started by the supervising process)")
	flag.Parse()

	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	run := supervise
	if *worker {
		run = work
	}
	if err := run(in, out); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}
