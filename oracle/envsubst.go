package main

import "github.com/fluxcd/pkg/envsubst"

// envsubstCase is one text to expand. Strict means that a variable without a
// value and without a default is an error.
type envsubstCase struct {
	Text   string            `json:"text"`
	Vars   map[string]string `json:"vars"`
	Strict bool              `json:"strict"`
}

func (c *envsubstCase) expand() (answer, error) {
	text, err := envsubst.Eval(c.Text, func(name string) (string, bool) {
		value, known := c.Vars[name]
		return value, known || !c.Strict
	})
	if err != nil {
		return answer{}, err
	}
	return answer{Output: text}, nil
}
