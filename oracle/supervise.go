package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// defaultTimeout bounds one request that does not name its own bound.
const defaultTimeout = 60 * time.Second

// child is a worker process. What a panic handler cannot catch (a stack
// overflow, a concurrent map write, an endless loop that holds upstream's
// build lock) costs only the child.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte
	stderr *tail
}

func startChild() (*child, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &child{cmd: exec.Command(self, "-worker"), lines: make(chan []byte, 1), stderr: &tail{}}
	c.cmd.Stderr = c.stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	go c.read(bufio.NewReaderSize(out, 1<<20))
	return c, nil
}

func (c *child) read(out *bufio.Reader) {
	defer close(c.lines)
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return
		}
		c.lines <- line
	}
}

// stop ends the worker and waits for it.
func (c *child) stop() {
	_ = c.cmd.Process.Kill()
	for range c.lines {
	}
	_ = c.cmd.Wait()
}

// ask sends one request and waits for its answer. alive is false when the
// worker had to be given up.
func (c *child) ask(line []byte, timeout time.Duration) (reply []byte, a answer, alive bool) {
	sent := make(chan struct{})
	go func() {
		_, _ = c.in.Write(line)
		close(sent)
	}()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case reply, ok := <-c.lines:
		if ok {
			<-sent
			return reply, answer{}, true
		}
		c.stop()
		return nil, answer{Error: "upstream crashed: " + c.stderr.first(), Panic: true, Crash: true}, false
	case <-timer.C:
		c.stop()
		return nil, answer{Error: fmt.Sprintf("no answer within %v", timeout), Timeout: true}, false
	}
}

// supervise forwards requests to a worker, one at a time, and replaces the
// worker when it dies or does not answer in time.
func supervise(in *bufio.Reader, out *bufio.Writer) error {
	var c *child
	defer func() {
		if c != nil {
			c.stop()
		}
	}()
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if c == nil {
				if c, err = startChild(); err != nil {
					return err
				}
			}
			if line[len(line)-1] != '\n' {
				line = append(line, '\n')
			}
			id, timeout := envelope(line)
			reply, a, alive := c.ask(line, timeout)
			if !alive {
				c, a.ID = nil, id
				if err := write(out, a); err != nil {
					return err
				}
				continue
			}
			if _, err := out.Write(reply); err != nil {
				return err
			}
			if err := out.Flush(); err != nil {
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

// envelope reads what the supervisor itself needs of a request.
func envelope(line []byte) (json.RawMessage, time.Duration) {
	var head struct {
		ID        json.RawMessage `json:"id"`
		TimeoutMs int64           `json:"timeoutMs"`
	}
	if err := json.Unmarshal(line, &head); err != nil || head.TimeoutMs <= 0 {
		return head.ID, defaultTimeout
	}
	return head.ID, time.Duration(head.TimeoutMs) * time.Millisecond
}

// tail keeps the beginning of what a worker wrote to stderr: a Go crash names
// its cause in the first lines.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	if room := 4096 - len(t.text); room > 0 {
		t.text = append(t.text, p[:min(room, len(p))]...)
	}
	return len(p), nil
}

func (t *tail) first() string {
	for _, line := range bytes.Split(t.text, []byte("\n")) {
		if len(bytes.TrimSpace(line)) > 0 {
			return string(line)
		}
	}
	return "no reason given"
}
