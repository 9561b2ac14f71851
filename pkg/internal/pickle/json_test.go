package pickle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"scalars", `[null, true, false, "", "a", 0, -1, 1.5, 1e3]`, `[None, True, False, "", "a", 0, -1, 1.5, 1000]`},
		{"wide integers", `[18446744073709551615, 9223372036854775808, -9223372036854775808, 18446744073709551616]`,
			`[18446744073709551615, 9223372036854775808, -9223372036854775808, opaque]`},
		{"Python's other numbers", `[NaN, Infinity, -Infinity]`, `[NaN, +Inf, -Inf]`},
		{"escapes", `["\u00e9\n\"\\\/", "\ud83d\ude00", "\ud800", "\\"]`, `["é\n\"\\/", "😀", "` + "\ufffd" +
			`", "\\"]`},
		{"containers", ` { "a" : [ ] , "b":{} , "c":[[1],{"d":2}]} `, `{"a": [], "b": {}, "c": [[1], {"d": 2}]}`},
		{"a mark", "\xef\xbb\xbf[1]\r\n", `[1]`},
		{"not UTF-8", "[\"a\xff\xfeb\"]", `["a` + "\ufffd" + `b"]`},
		{"batches", "[" + strings.Repeat("1,", 2*jsonBatch) + "1]", "[" + strings.Repeat("1, ", 2*jsonBatch) + "1]"},
		{"a long string", `"` + strings.Repeat("x", 200_000) + `"`, `"` + strings.Repeat("x", 200_000) + `"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.text),
				iotest.OneByteReader(strings.NewReader(tt.text))} {
				res, err := LoadJSON(r, keeper{}, Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if got := dump(res.Heap, res.Root); got != tt.want {
					t.Errorf("got %.200s, want %.200s", got, tt.want)
				}
			}
		})
	}
}

func TestJSONRefusals(t *testing.T) {
	gone := errors.New("the other end is gone")
	for _, tt := range []struct {
		name   string
		in     io.Reader
		limits Limits
		want   error
		says   string
	}{
		{"nothing", strings.NewReader(" "), Limits{}, ErrTruncated, "at byte 1"},
		{"cut in an object", strings.NewReader(`{"a": [1, 2`), Limits{}, ErrTruncated, "at byte 11"},
		{"cut in a string", strings.NewReader(`["abc`), Limits{}, ErrTruncated, "at byte 5"},
		{"no value", strings.NewReader(`[1, nil]`), Limits{}, ErrJSON, `at byte 7: "nil" is not a value`},
		{"hexadecimal", strings.NewReader(`[0x10]`), Limits{}, ErrJSON, `"0x10"`},
		{"a comma too many", strings.NewReader(`[1,]`), Limits{}, ErrJSON, ""},
		{"no comma", strings.NewReader(`[1 2]`), Limits{}, ErrJSON, "a comma should be"},
		{"no key", strings.NewReader(`{1: 2}`), Limits{}, ErrJSON, "a key should begin"},
		{"no colon", strings.NewReader(`{"a" 2}`), Limits{}, ErrJSON, `':' should be`},
		{"a bad escape", strings.NewReader(`["\q"]`), Limits{}, ErrJSON, "string"},
		{"two values", strings.NewReader("{}\n{}"), Limits{}, ErrJSON, "after the end"},
		{"deep", strings.NewReader(strings.Repeat("[", 1e6)), Limits{}, ErrLimit, "256 containers"},
		{"a long string", strings.NewReader(`"` + strings.Repeat("x", 1e6)), Limits{StringBytes: 1000}, ErrLimit,
			"1000 bytes"},
		{"much text", strings.NewReader(texts(20_000)), Limits{Memory: 1 << 20}, ErrLimit, "bytes are held"},
		{"much of it", strings.NewReader("[" + strings.Repeat("1,", 100_000)), Limits{Input: 1000}, ErrLimit,
			"after 1000 bytes"},
		{"many containers", strings.NewReader(`[[],[],[]]`), Limits{Objects: 3}, ErrLimit, "3 objects"},
		{"a full stack", strings.NewReader(`{"a": {"b": {"c": 1}}}`), Limits{Stack: 3}, ErrLimit, "waiting"},
		{"a long number", strings.NewReader(strings.Repeat("1", 1000)), Limits{}, ErrLimit, "digits"},
		{"a broken pipe", io.MultiReader(strings.NewReader(`[1, `), iotest.ErrReader(gone)), Limits{}, gone, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := LoadJSON(tt.in, keeper{}, tt.limits)
			if !errors.Is(err, tt.want) || !strings.Contains(fmt.Sprint(err), tt.says) {
				t.Errorf("%v is not %v, or does not say %q", err, tt.want, tt.says)
			}
		})
	}
}

// texts is a list of n distinct texts.
func texts(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `, "text %d"`, i)
	}
	return "[0" + b.String() + "]"
}

// FuzzJSON: whatever encoding/json accepts is accepted here, with the same value.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, -2.5e3, "x\u00e9", null, true, {}]}`, `[18446744073709551615, 1e400, -0]`,
		`"\ud800"`, ` [ ] `, `{"a":1,"a":2}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		res, err := LoadJSON(bytes.NewReader(data), keeper{}, fuzzLimits)
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		want, _ := jsonDump(decoder)
		var broken *jsonError
		var limit *Error
		switch {
		case err != nil && !errors.As(err, &broken) && !errors.As(err, &limit):
			t.Errorf("%v does not say where", err)
		case err != nil && json.Valid(data) && !errors.Is(err, ErrLimit):
			t.Errorf("it is valid, and %v", err)
		case err == nil && json.Valid(data) && len(want) < 5000 && utf8.Valid(data) && dump(res.Heap, res.Root) != want:
			t.Errorf("got %s, want %s", dump(res.Heap, res.Root), want)
		}
	})
}

// jsonDump writes a value like dump, token by token.
func jsonDump(d *json.Decoder) (string, error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	switch token := token.(type) {
	case json.Delim:
		var items []string
		for d.More() {
			item, err := jsonDump(d)
			if err != nil {
				return "", err
			}
			if token == '{' {
				value, err := jsonDump(d)
				if err != nil {
					return "", err
				}
				item += ": " + value
			}
			items = append(items, item)
		}
		end, err := d.Token()
		return fmt.Sprint(token) + strings.Join(items, ", ") + fmt.Sprint(end), err
	case json.Number:
		return jsonNumber(string(token)), nil
	case string:
		return strconv.Quote(token), nil
	case bool:
		return map[bool]string{true: "True", false: "False"}[token], nil
	}
	return "None", nil
}

func jsonNumber(text string) string {
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	} else if u, err := strconv.ParseUint(text, 10, 64); err == nil {
		return strconv.FormatUint(u, 10)
	} else if !strings.ContainsAny(text, ".eE") {
		return "opaque"
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		f = math.Inf(map[bool]int{true: -1, false: 1}[text[0] == '-'])
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
