package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template"
	"text/template/parse"
	"time"
	"unicode/utf8"
)

// templateCase is one set of templates to execute on typed data.
type templateCase struct {
	// Name and text of templates, in the order in which they are parsed. The
	// first one is executed.
	Templates  [][2]string `json:"templates"`
	Data       typed       `json:"data"`
	MissingKey string      `json:"missingKey"`
	// Only parse, and show what was understood, or whether there is anything.
	Show  bool `json:"show"`
	Empty bool `json:"empty"`
	// What actions stand between.
	Delims [2]string `json:"delims"`
}

// typed is a value with its Go type: a name and what JSON has for it.
type typed struct {
	Type  string          `json:"t"`
	Value json.RawMessage `json:"v"`
}

func (c *templateCase) run() (answer, error) {
	if len(c.Templates) == 0 {
		return answer{}, errors.New("no template")
	}
	root := template.New(c.Templates[0][0]).Funcs(templateFunctions).Delims(c.Delims[0], c.Delims[1])
	if c.MissingKey != "" {
		root.Option("missingkey=" + c.MissingKey)
	}
	for i, named := range c.Templates {
		set := root
		if i > 0 {
			set = root.New(named[0])
		}
		if _, err := set.Parse(named[1]); err != nil {
			return answer{}, &stageError{"parse", err}
		}
	}
	if c.Show {
		return answer{Output: printable([]byte(root.Root.String()))}, nil
	}
	if c.Empty {
		return answer{Output: fmt.Sprint(parse.IsEmptyTree(root.Root))}, nil
	}
	data, err := c.Data.value()
	if err != nil {
		return answer{}, err
	}
	var out bytes.Buffer
	if err := root.Execute(&limited{&out, 1 << 20}, data); err != nil {
		return answer{}, &stageError{"execute", err}
	}
	return answer{Output: printable(out.Bytes())}, nil
}

// limited refuses to hold more than so many bytes.
type limited struct {
	*bytes.Buffer
	room int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.room -= len(p); l.room < 0 {
		return 0, errors.New("output too long")
	}
	return l.Buffer.Write(p)
}

// printable is a text as JSON can hold it.
func printable(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return "base64:" + base64.StdEncoding.EncodeToString(text)
}

func decoded[T any](raw json.RawMessage) (any, error) {
	var v T
	err := json.Unmarshal(raw, &v)
	return v, err
}

func (d typed) value() (any, error) {
	switch d.Type {
	case "", "nil":
		return nil, nil
	case "bool":
		return decoded[bool](d.Value)
	case "int":
		return decoded[int](d.Value)
	case "int8":
		return decoded[int8](d.Value)
	case "int16":
		return decoded[int16](d.Value)
	case "int32":
		return decoded[int32](d.Value)
	case "int64":
		return decoded[int64](d.Value)
	case "uint":
		return decoded[uint](d.Value)
	case "uint8":
		return decoded[uint8](d.Value)
	case "uint16":
		return decoded[uint16](d.Value)
	case "uint32":
		return decoded[uint32](d.Value)
	case "uint64":
		return decoded[uint64](d.Value)
	case "float32":
		return decoded[float32](d.Value)
	case "float64":
		return decoded[float64](d.Value)
	case "complex128":
		var parts [2]float64
		err := json.Unmarshal(d.Value, &parts)
		return complex(parts[0], parts[1]), err
	case "string":
		return decoded[string](d.Value)
	case "base64":
		b, err := decoded[[]byte](d.Value)
		if err != nil {
			return nil, err
		}
		return string(b.([]byte)), nil
	case "[]byte":
		return decoded[[]byte](d.Value)
	case "[]int":
		return decoded[[]int](d.Value)
	case "[]string":
		return decoded[[]string](d.Value)
	case "map[string]string":
		return decoded[map[string]string](d.Value)
	case "map[string]int":
		return decoded[map[string]int](d.Value)
	case "list":
		return d.list()
	case "map":
		return d.dict()
	}
	return nil, fmt.Errorf("unknown type %q", d.Type)
}

func (d typed) list() (any, error) {
	var items []typed
	if err := json.Unmarshal(d.Value, &items); err != nil {
		return nil, err
	}
	if items == nil {
		return []any(nil), nil
	}
	list := make([]any, len(items))
	for i, item := range items {
		v, err := item.value()
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func (d typed) dict() (any, error) {
	var items map[string]typed
	if err := json.Unmarshal(d.Value, &items); err != nil {
		return nil, err
	}
	if items == nil {
		return map[string]any(nil), nil
	}
	dict := make(map[string]any, len(items))
	for key, item := range items {
		v, err := item.value()
		if err != nil {
			return nil, err
		}
		dict[key] = v
	}
	return dict, nil
}

// templateFunctions are functions with parameters of many types.
var templateFunctions = template.FuncMap{
	"typeOf":   func(v any) string { return fmt.Sprintf("%T", v) },
	"same":     func(v any) any { return v },
	"int":      func(n int) int { return n },
	"int64":    func(n int64) int64 { return n },
	"uint8":    func(n uint8) uint8 { return n },
	"uint64":   func(n uint64) uint64 { return n },
	"complex":  func(c complex128) complex128 { return c },
	"float":    func(f float64) float64 { return f },
	"bool":     func(b bool) bool { return b },
	"text":     func(s string) string { return s },
	"upper":    strings.ToUpper,
	"contains": strings.Contains,
	"list":     func(v ...any) []any { return v },
	"strings":  func(s ...string) []string { return s },
	"ints":     func(n ...int) []int { return n },
	"first": func(l []any) any {
		if len(l) == 0 {
			return nil
		}
		return l[0]
	},
	"join": func(sep string, s []string) string { return strings.Join(s, sep) },
	"get":  func(d map[string]any, key string) any { return d[key] },
	"set": func(d map[string]any, key string, v any) map[string]any {
		d[key] = v
		return d
	},
	"dict":  func(key string, v any) map[string]any { return map[string]any{key: v} },
	"count": func(s string, n ...int) int { return len(s) + len(n) },
	"fail":  func(s string) (string, error) { return "", errors.New(s) },
	"null":  func() any { return nil },

	"timeFormat": func(layout string, seconds, nanos, offset int, zone string) string {
		return time.Unix(int64(seconds), int64(nanos)).In(time.FixedZone(zone, offset)).Format(layout)
	},
	"timeParse": func(layout, text string) (string, error) {
		t, err := time.ParseInLocation(layout, text, time.UTC)
		return t.Format("2006-01-02T15:04:05.999999999Z07:00:00 MST"), err
	},
	"duration": func(text string) (string, error) {
		d, err := time.ParseDuration(text)
		return fmt.Sprint(d, int64(d)), err
	},
	"durationText": func(n int) string { return time.Duration(n).String() },
	"regexMatch": func(pattern, text string) (bool, error) {
		r, err := regexp.Compile(pattern)
		return err == nil && r.MatchString(text), err
	},
	"regexFind": func(pattern, text string, most int) ([]string, error) {
		r, err := regexp.Compile(pattern)
		if err != nil {
			return nil, err
		}
		return r.FindAllString(text, most), nil
	},
	"regexReplace": func(pattern, text, with string) (string, error) {
		r, err := regexp.Compile(pattern)
		if err != nil {
			return "", err
		}
		return r.ReplaceAllString(text, with), nil
	},
	"regexSplit": func(pattern, text string, most int) ([]string, error) {
		r, err := regexp.Compile(pattern)
		if err != nil {
			return nil, err
		}
		return r.Split(text, most), nil
	},
	"regexQuote": regexp.QuoteMeta,
}
