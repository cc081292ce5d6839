package main

import (
	"errors"
	"net/http"
	"os"
)

// errOffline is what every attempt to reach another machine ends with.
var errOffline = errors.New("remote access is disabled in the oracle")

type refuse struct{}

func (refuse) RoundTrip(*http.Request) (*http.Response, error) { return nil, errOffline }

// stayOffline makes remote bases fail at once and in the same way everywhere:
// files over HTTP are refused by the transport, repositories because the
// programs that would fetch them are not found.
func stayOffline() {
	http.DefaultTransport = refuse{}
	_ = os.Setenv("PATH", "")
}
