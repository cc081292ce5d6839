package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	gotemplate "text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

// instant is when all renders happen.
var instant = time.Unix(1_735_689_600, 0).UTC()

// pair is a certificate with its key, as sprig has it.
type pair struct {
	Cert string
	Key  string
}

// placeholders replaces the functions whose answer is not the same in each
// run. What the request does not say is given by the function itself.
func (r *request) placeholders() gotemplate.FuncMap {
	funcs := gotemplate.FuncMap{
		"keys":   keys,
		"values": valuesOf,
		"now":    func() time.Time { return instant },
		"ago":    ago,
		"durationRound": func(v any) string {
			if t, ok := v.(time.Time); ok {
				v = instant.Sub(t).String()
			}
			return sprigFuncs["durationRound"].(func(any) string)(v)
		},
		"shuffle": func(text string) string { return text },
		"randInt": func(low, high int) (int, error) {
			if high <= low {
				return 0, errors.New("invalid argument to Intn")
			}
			return low, nil
		},
	}
	dates(funcs)
	for name, raw := range r.Placeholders {
		if f := fixed(name, raw); f != nil {
			funcs[name] = f
		}
	}
	return funcs
}

var sprigFuncs = sprig.TxtFuncMap()

// fixed is a function that gives always the same.
func fixed(name string, raw json.RawMessage) any {
	var text string
	_ = json.Unmarshal(raw, &text)
	switch name {
	case "randAlphaNum", "randAlpha", "randAscii", "randNumeric":
		return func(count int) (string, error) { return start(text, count) }
	case "randBytes":
		return func(count int) (string, error) {
			bytes, err := start(text, count)
			return base64.StdEncoding.EncodeToString([]byte(bytes)), err
		}
	case "uuidv4":
		return func() string { return text }
	case "genPrivateKey":
		var texts map[string]string
		_ = json.Unmarshal(raw, &texts)
		return func(kind string) string {
			if text, ok := texts[kind]; ok {
				return text
			}
			return sprigFuncs["genPrivateKey"].(func(string) string)(kind)
		}
	case "bcrypt":
		return func(string) string { return text }
	case "htpasswd":
		return func(user, password string) string { return user + ":" + text }
	case "encryptAES":
		return func(password, plain string) string { return text }
	case "genCA", "genCAWithKey", "genSelfSignedCert", "genSelfSignedCertWithKey",
		"genSignedCert", "genSignedCertWithKey":
		var p pair
		_ = json.Unmarshal(raw, &p)
		return func(...any) pair { return p }
	}
	return nil
}

// start is the beginning of a long text.
func start(text string, count int) (string, error) {
	if count > len(text) {
		return "", errors.New("no placeholder of length " + strconv.Itoa(count))
	}
	return text[:max(count, 0)], nil
}

// dates makes what is no date the instant of the render.
func dates(funcs gotemplate.FuncMap) {
	usual := func(v any) any {
		switch v.(type) {
		case time.Time, *time.Time, int64, int, int32:
			return v
		}
		return instant
	}
	inZone := sprigFuncs["dateInZone"].(func(string, any, string) string)
	zoned := func(layout string, v any, zone string) string { return inZone(layout, usual(v), zone) }
	funcs["dateInZone"], funcs["date_in_zone"] = zoned, zoned
	funcs["date"] = func(layout string, v any) string { return zoned(layout, v, "Local") }
	funcs["htmlDate"] = func(v any) string { return zoned("2006-01-02", v, "Local") }
	funcs["htmlDateInZone"] = func(v any, zone string) string { return zoned("2006-01-02", v, zone) }
}

func ago(v any) string {
	t := instant
	switch v := v.(type) {
	case time.Time:
		t = v
	case int64:
		t = time.Unix(v, 0)
	case int:
		t = time.Unix(int64(v), 0)
	}
	return instant.Sub(t).Round(time.Second).String()
}

func keys(dicts ...map[string]any) []string {
	all := []string{}
	for _, dict := range dicts {
		all = append(all, slices.Sorted(maps.Keys(dict))...)
	}
	return all
}

func valuesOf(dict map[string]any) []any {
	all := []any{}
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		all = append(all, dict[key])
	}
	return all
}
