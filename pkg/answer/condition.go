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

	"github.com/xrash/smetrics"

	"github.com/memviz-go/memviz/pkg/analysis/leaks"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
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

// ParseCondition reads a condition on the answer of a command: a key of its JSON,
// a comparison, and a number, which may have a unit of bytes, or true or false.
// The endings _bytes and .total may be left out of a key, and a list counts as
// the number of its items. Bytes are those of GPUs, and of pinned host memory where the
// answer has no GPU.
func ParseCondition(command, text string) (Condition, error) {
	parts := conditionForm.FindStringSubmatch(text)
	if parts == nil {
		return Condition{}, fmt.Errorf("%q is not a condition; write it like 'peak>70GiB'", text)
	}
	c := Condition{text: text, key: parts[1], op: parts[2]}
	known := figureKeys(command)
	if err := c.resolve(known); err != nil {
		return c, fmt.Errorf("%q: %w; \"memviz schema %s\" lists all", text, err, command)
	}
	if c.logic = parts[3] == "true" || parts[3] == "false"; c.logic != (known[c.key] == "boolean") {
		return c,
			fmt.Errorf("%q: %s is %s", text, c.key, map[bool]string{true: "a number", false: "true or false"}[c.logic])
	}
	if c.logic {
		if c.op != "==" && c.op != "!=" {
			return c, fmt.Errorf("%q: compare with %s by == or !=", text, parts[3])
		}
		c.limit, _ = figure(parts[3] == "true")
		return c, nil
	}
	limit, err := strconv.ParseFloat(parts[3], 64)
	if math.IsNaN(limit) || math.IsInf(limit, 0) {
		return c, fmt.Errorf("%q compares with no number", text)
	}
	if c.limit = limit; err != nil {
		bytes, err := units.ParseBytes(parts[3])
		if err != nil {
			return c, fmt.Errorf("%q: %w", text, err)
		}
		c.limit = float64(bytes)
	}
	return c, nil
}

// resolve completes the key to one that the answer has.
func (c *Condition) resolve(known map[string]string) error {
	for _, ending := range []string{"", "_bytes", ".total"} {
		if known[c.key+ending] != "" {
			c.key += ending
			return nil
		}
	}
	for key := range known {
		if begin, counted := strings.CutSuffix(key, anyName); counted && strings.HasPrefix(c.key, begin) {
			return nil
		}
	}
	return fmt.Errorf("the answer has no number %q%s", c.key, c.meant(slices.Collect(maps.Keys(known))))
}

// anyName ends the key of numbers by name, such as how often each was seen.
const anyName = "*"

// figureKeys are the keys of what a condition can ask for, by the schema of the
// command, each with the type of its value in JSON.
func figureKeys(command string) map[string]string {
	var answer schemaNode
	text, _ := Schema(command)
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil
	}
	keys := map[string]string{}
	answer.figures(keys, "", false)
	for _, list := range listsOfObjects {
		if item := answer.Properties[list].Items; item != nil {
			item.figures(keys, "", true)
		}
	}
	return keys
}

// listsOfObjects are the lists in answers whose items have figures.
var listsOfObjects = []string{"devices", "ranks", "dumps"}

// ConditionKeys are the keys that conditions on the answer of a command begin with,
// as short as they may be.
func ConditionKeys(command string) []string {
	known := figureKeys(command)
	var keys []string
	for key := range known {
		short := strings.TrimSuffix(strings.TrimSuffix(key, anyName), "_bytes")
		if total, ok := strings.CutSuffix(short, ".total"); ok {
			short = total
		}
		if known[short] != "" { // something else is called so
			short = key
		}
		keys = append(keys, short)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// schemaNode is what stands in a JSON Schema for one value.
type schemaNode struct {
	Type       string                `json:"type"`
	Properties map[string]schemaNode `json:"properties"`
	Items      *schemaNode           `json:"items"`
	OneOf      []schemaNode          `json:"oneOf"`
	ByName     json.RawMessage       `json:"additionalProperties"` // the schema of values by name, or false
}

// figures collects the keys of an object's numbers, lists, and what is true or
// false. With inner, those of objects in it are keys too, joined by a dot.
func (n *schemaNode) figures(keys map[string]string, prefix string, inner bool) {
	for key, value := range n.Properties {
		for _, v := range append(value.OneOf, value) {
			switch v.Type {
			case "integer", "number", "array", "boolean":
				keys[prefix+key] = v.Type
			case "object":
				if inner && len(v.ByName) > 0 && v.ByName[0] == '{' {
					keys[prefix+key+"."+anyName] = "integer"
				} else if inner {
					v.figures(keys, prefix+key+".", inner)
				}
			}
		}
	}
}

// Holds reports whether the condition holds for any object of the answer, and for
// which, in a line. It is an error if the answer lacks the number, because nothing
// recorded gives it, if what it counts could not be judged, or if it holds for no device
// and an input has none: a condition must not pass in silence.
func (c Condition) Holds(s *sheet.Sheet) (line string, holds bool, err error) {
	objects, err := objects(s)
	if err != nil {
		return "", false, err
	}
	found := false
	var unjudged, idle map[string]any
	for _, object := range c.concerned(objects) {
		if c.unjudged(object) {
			if object["limit"] == leaks.NoEvents.Key() {
				idle = object
			} else {
				unjudged = object
			}
			continue
		}
		v, ok := figure(object[c.key])
		if ok && c.compare(v) {
			return fmt.Sprintf("%s: %s is %s%s", c.text, c.key, c.shown(c.key, v), whose(object)), true, nil
		}
		found = found || ok || c.key == stepsLeftKey && object[suspectsKey] != nil
	}
	if unjudged == nil && !found {
		unjudged = idle // a device without a history, and none with one
	}
	if unjudged != nil {
		return "", false, fmt.Errorf("%q cannot be checked: growth cannot be judged%s; \"memviz leaks\" says why",
			c.text,
			whose(unjudged))
	}
	switch {
	case len(s.Without) > 0:
		return "", false, fmt.Errorf("%q cannot be checked: %s holds no memory of a device", c.text, s.Without[0])
	case !found:
		return "", false, fmt.Errorf("%q cannot be checked: no recording here gives %q", c.text, c.key)
	}
	return "", false, nil
}

// concerned are the objects that the condition is about: all, but for bytes of pinned host
// memory where there are GPUs, whose limits are others.
func (c Condition) concerned(objects []map[string]any) []map[string]any {
	isPinned := func(object map[string]any) bool {
		return object["device"] == float64(snapshot.Pinned) || object["pinned"] == true
	}
	isGPU := func(object map[string]any) bool {
		device, is := object["device"].(float64)
		return is && device >= 0
	}
	if !strings.HasSuffix(c.key, "_bytes") || !slices.ContainsFunc(objects, isGPU) {
		return objects
	}
	return slices.DeleteFunc(objects, isPinned)
}

// Keys of leaks that mean nothing where growth cannot be judged.
const (
	suspectsKey           = "suspects"
	unexplainedKey        = "unexplained"
	unexplainedPerStepKey = "unexplained_per_step"
	stepsLeftKey          = "steps_left"
)

// unjudged reports whether an object is of a device of which leaks cannot tell what
// the condition asks for.
func (c Condition) unjudged(object map[string]any) bool {
	if object[suspectsKey] == nil {
		return false
	}
	switch {
	case c.key == suspectsKey:
		list, _ := object[suspectsKey].([]any)
		return len(list) == 0 && object["limit"] != leaks.NoLimit.Key()
	case strings.HasPrefix(c.key, unexplainedKey):
		return object[unexplainedPerStepKey] == nil
	case c.key == stepsLeftKey:
		return object[stepsLeftKey] == nil && (object[unexplainedPerStepKey] == nil || object["capacity_bytes"] == 0.0)
	}
	return false
}

// mostNamed is how many keys an error suggests; some answers have forty.
const mostNamed = 4

// meant suggests the keys that are spelled like the one of the condition, the
// likeliest first.
func (c Condition) meant(known []string) string {
	likeness := func(key string) float64 {
		return smetrics.JaroWinkler(strings.TrimSuffix(key, "_bytes"), c.key, 0.7, 4)
	}
	slices.SortStableFunc(known, func(a, b string) int { return cmp.Compare(likeness(b), likeness(a)) })
	end := 0
	for end < min(len(known), mostNamed) && likeness(known[end]) > 0.75 {
		end++
	}
	if end == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(known[:end], ", ") + "?"
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

// objects are what has figures in an answer: its devices, ranks and dumps, and the
// answer itself.
func objects(s *sheet.Sheet) ([]map[string]any, error) {
	value := s.Value
	if long, ok := value.(sheet.Streamed); ok {
		value = long.Figures()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, err
	}
	var objects []map[string]any
	for _, key := range listsOfObjects {
		list, _ := whole[key].([]any)
		for _, item := range list {
			if object, ok := item.(map[string]any); ok {
				objects = append(objects, flat(object))
			}
		}
	}
	return append(objects, whole), nil
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
	if strings.HasSuffix(key, "_bytes") || key == "unexplained_per_step" {
		return units.Bytes(int64(v))
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// whose says which object of the answer a figure belongs to.
func whose(object map[string]any) string {
	var parts []string
	if device, ok := object["device"].(float64); ok {
		parts = append(parts, "on "+phrase.DeviceName(int(device)))
	}
	if file, ok := object["file"].(string); ok {
		parts = append(parts, "of "+file)
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, " ")
}
