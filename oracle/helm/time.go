package main

import (
	"fmt"
	"runtime"
	"time"

	"helm.sh/helm/v4/pkg/engine"
)

// measure times the rendering of one chart on one processor, so many rounds
// after one to warm up: `cold` reads the archive each time, `warm` renders a
// chart that is loaded and whose dependencies are chosen.
func measure(r *request) (answer, error) {
	runtime.GOMAXPROCS(1)
	src, err := r.source()
	if err != nil {
		return answer{}, at("load", err)
	}
	chrt, _, err := r.prepared(src)
	if err != nil {
		return answer{}, err
	}
	var once func() error
	switch r.What {
	case "cold":
		once = func() error {
			chrt, top, err := r.prepared(src)
			if err != nil {
				return err
			}
			_, err = engine.Engine{}.Render(chrt, top)
			return err
		}
	case "warm":
		once = func() error {
			given, err := r.given()
			if err != nil {
				return err
			}
			top, err := r.top(chrt, given)
			if err != nil {
				return err
			}
			_, err = engine.Engine{}.Render(chrt, top)
			return err
		}
	default:
		return answer{}, fmt.Errorf("nothing to measure called %q", r.What)
	}
	times := make([]int64, 0, r.Rounds)
	for i := 0; i <= r.Rounds; i++ {
		start := time.Now()
		if err := once(); err != nil {
			return answer{}, err
		}
		if i > 0 {
			times = append(times, time.Since(start).Nanoseconds())
		}
	}
	return answer{Output: times}, nil
}
