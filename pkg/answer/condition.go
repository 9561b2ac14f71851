package answer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

// Condition compares a figure of an answer with a number, such as peak>70GiB, or
// asks for something that is true or false, such as adds_up==false.
type Condition struct {
	text  string
	key   string
	op    string
	limit float64
	logic bool // limit is 1 for true and 0 for false
}

var conditionForm = regexp.MustCompile(`^\s*([a-z0-9_.]+)\s*(>=|<=|==|!=|>|<)\s*(.+?)\s*$`)

// ParseCondition reads a condition: a key of the answer's JSON, a comparison,
// and a number, which may have a unit of bytes, or true or false. The endings
// _bytes and .total may be left out of a key, and a list counts as the number of
// its items.
func ParseCondition(text string) (Condition, error) {
	parts := conditionForm.FindStringSubmatch(text)
	if parts == nil {
		return Condition{}, fmt.Errorf("%q is no condition; write it like 'peak>70GiB'", text)
	}
	c := Condition{text: text, key: parts[1], op: parts[2]}
	if c.logic = parts[3] == "true" || parts[3] == "false"; c.logic {
		if c.op != "==" && c.op != "!=" {
			return Condition{}, fmt.Errorf("%q: compare with %s by == or !=", text, parts[3])
		}
		c.limit, _ = figure(parts[3] == "true")
		return c, nil
	}
	limit, err := strconv.ParseFloat(parts[3], 64)
	if math.IsNaN(limit) || math.IsInf(limit, 0) {
		return Condition{}, fmt.Errorf("%q compares with no number", text)
	}
	if err != nil {
		bytes, err := units.ParseBytes(parts[3])
		if err != nil {
			return Condition{}, fmt.Errorf("%q: %w", text, err)
		}
		limit = float64(bytes)
	}
	c.limit = limit
	return c, nil
}

// Holds reports whether the condition holds for any part of the answer, and for
// which, in a line.
func (c Condition) Holds(s *Sheet) (line string, holds bool, err error) {
	objects, err := s.objects()
	if err != nil {
		return "", false, err
	}
	known := map[string]bool{}
	found := false
	for _, object := range objects {
		for _, key := range []string{c.key, c.key + "_bytes", c.key + ".total"} {
			v, ok := figure(object[key])
			if !ok {
				continue
			}
			found = true
			if _, logic := object[key].(bool); logic != c.logic {
				return "", false, fmt.Errorf("%q: %s is %s", c.text, key, map[bool]string{
					true: "true or false", false: "a number"}[logic])
			}
			if c.compare(v) {
				return fmt.Sprintf("%s: %s is %s%s", c.text, key, c.shown(key, v), whose(object)), true, nil
			}
			break
		}
		for key, v := range object {
			if _, ok := figure(v); ok {
				known[key] = true
			}
		}
	}
	if !found && !isEmpty(objects) {
		return "", false, fmt.Errorf("%q: the answer has no figure %q%s", c.text, c.key,
			c.meant(slices.Sorted(maps.Keys(known))))
	}
	return "", false, nil
}

// mostNamed is how many figures an error lists; some answers have forty.
const mostNamed = 4

// meant lists the known figures, or of many those that look like the one that
// was asked for, the likeliest first.
func (c Condition) meant(known []string) string {
	if len(known) > mostNamed {
		begins := c.key[:(len(c.key)+1)/2]
		known = slices.DeleteFunc(known, func(key string) bool {
			return !strings.HasPrefix(key, begins) && (len(begins) == 1 || !strings.Contains(key, c.key))
		})
		slices.SortStableFunc(known, func(a, b string) int {
			return cmp.Or(strings.Count(a, ".")-strings.Count(b, "."),
				strings.Index(a, begins)-strings.Index(b, begins), len(a)-len(b))
		})
	}
	if len(known) == 0 {
		return ""
	}
	return ", but " + strings.Join(known[:min(len(known), mostNamed)], ", ")
}

func (c Condition) compare(v float64) bool {
	switch c.op {
	case ">":
		return v > c.limit
	case ">=":
		return v >= c.limit
	case "<":
		return v < c.limit
	case "<=":
		return v <= c.limit
	case "==":
		return v == c.limit
	}
	return v != c.limit
}

// objects are the parts of an answer that have figures: its devices or ranks,
// or the answer itself.
func (s *Sheet) objects() ([]map[string]any, error) {
	value := s.value
	if long, ok := value.(longValue); ok {
		value = long.figures()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	for _, key := range []string{"devices", "ranks"} {
		if list, ok := whole[key].([]any); ok {
			objects := make([]map[string]any, 0, len(list)+1)
			for _, item := range list {
				if object, ok := item.(map[string]any); ok {
					objects = append(objects, flat(object))
				}
			}
			return append(objects, whole), nil
		}
	}
	return []map[string]any{whole}, nil
}

// isEmpty reports whether an answer is about nothing: snapshots without memory.
func isEmpty(objects []map[string]any) bool {
	if len(objects) != 1 {
		return false
	}
	list, ok := objects[0]["devices"].([]any)
	return ok && len(list) == 0
}

// flat adds what stands inside objects of an object, with a dot in the key.
func flat(object map[string]any) map[string]any {
	for key, v := range maps.Clone(object) {
		if inner, ok := v.(map[string]any); ok {
			for k, v := range flat(inner) {
				object[key+"."+k] = v
			}
		}
	}
	return object
}

// figure is a number, how many items a list has, or 1 for true and 0 for false.
func figure(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	case []any:
		return float64(len(v)), true
	}
	return 0, false
}

// shown is the figure of a key in words.
func (c Condition) shown(key string, v float64) string {
	if c.logic {
		return strconv.FormatBool(v == 1)
	}
	if strings.HasSuffix(key, "_bytes") {
		return units.Bytes(int64(v))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// whose says which part of the answer a figure belongs to.
func whose(object map[string]any) string {
	var parts []string
	if device, ok := object["device"].(float64); ok {
		parts = append(parts, fmt.Sprintf("on device %.0f", device))
	}
	if file, ok := object["file"].(string); ok {
		parts = append(parts, "of "+file)
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, " ")
}
