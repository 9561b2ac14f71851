package families

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Overrides are a user's own rules, which take precedence over the built-in ones: they
// give the family of tensors by names on the stack that allocated them. [ParseOverrides]
// reads them. The first that matches a stack decides.
type Overrides struct {
	file string // name of the rules file, for reasons
	list []override
}

// override is one line of a rules file.
type override struct {
	line    int
	text    string // the line, for reasons; "" if it is not to be shown
	family  Family
	field   overrideField
	matches func(text string) bool
}

// overrideField is the field that an override compares.
type overrideField uint8

const (
	fieldFunction overrideField = iota // of any frame
	fieldFile                          // of any frame
	fieldFrame                         // any frame, as file:line:function
	fieldOperator                      // of the stack
	fieldCount    int           = iota
)

var fieldNames = [fieldCount]string{"function", "file", "frame", "operator"}

// maxOverrides is chosen so that a Rule fits into a byte.
const maxOverrides = 190

var _ [256 - maxOverrides - ruleCount]struct{}

const hiddenFile = "the rules file"

// HideText makes reasons give only the line number of an override, not its file
// and text, which may hold names that a redacted report must not show.
func (o *Overrides) HideText() {
	o.file = hiddenFile
	for i := range o.list {
		o.list[i].text = ""
	}
}

// reason explains override i in the words of its author.
func (o *Overrides) reason(i int) Reason {
	r := &o.list[i]
	because := "said so by line " + strconv.Itoa(r.line) + " of " + o.file
	if r.text != "" {
		because += ": " + r.text
	}
	return Reason{Family: r.family, Because: because}
}

// Overridden is what overrides decided about the stacks of one snapshot.
type Overridden struct {
	overrides *Overrides
	of        []uint8 // by stack: the override that decides, or notOverridden
}

// Apply finds the override that decides each stack, and stores the frame that it matches
// in st.Named. The result is nil if there are no overrides.
func (o *Overrides) Apply(st *stacks.Table) *Overridden {
	if o == nil || len(o.list) == 0 {
		return nil
	}
	first := o.firstByFrame(st.Snapshot)
	of := make([]uint8, len(st.Facts))
	operators := map[string]uint8{}
	for id := range of {
		operator := st.Operator[id]
		best, seen := operators[operator]
		if !seen {
			best = o.first(func(r *override) bool {
				return r.field == fieldOperator && operator != "" &&
					r.matches(operator)
			})
			operators[operator] = best
		}
		for _, frame := range st.Snapshot.Stacks.Frames(snapshot.StackID(id)) {
			if n := first[frame]; n < best {
				best, st.Named[id] = n, frame
			}
		}
		of[id] = best
	}
	return &Overridden{o, of}
}

// Decisions are what overrides decided in one snapshot, for a report to hold.
type Decisions struct {
	File  string             // of the rules
	Rules []DecidedRule      // first to last
	Of    []uint8            // by stack: 1 + the index of the rule that decided, 0 if none did
	Named []snapshot.FrameID // by stack: the frame of stacks.Table.Named
}

// DecidedRule is one rule of a file, without its pattern.
type DecidedRule struct {
	Line   int
	Text   string
	Family string // its key
}

// Decisions returns what the overrides decided; nil without any.
func (o *Overridden) Decisions(st *stacks.Table) *Decisions {
	if o == nil {
		return nil
	}
	d := &Decisions{File: o.overrides.file, Of: make([]uint8, len(o.of)), Named: st.Named}
	for i := range o.overrides.list {
		r := &o.overrides.list[i]
		d.Rules = append(d.Rules, DecidedRule{r.line, r.text, r.family.Key()})
	}
	for id, n := range o.of {
		if n != notOverridden {
			d.Of[id] = n + 1
		}
	}
	return d
}

// HideText does the same as [Overrides.HideText].
func (d *Decisions) HideText() {
	d.File = hiddenFile
	for i := range d.Rules {
		d.Rules[i].Text = ""
	}
}

// Apply decides for every stack as it was decided before.
func (d *Decisions) Apply(st *stacks.Table) (*Overridden, error) {
	o := &Overridden{&Overrides{file: d.File}, make([]uint8, len(st.Facts))}
	if len(d.Of) != len(o.of) || len(d.Named) != len(o.of) || len(d.Rules) > maxOverrides {
		return nil, fmt.Errorf("%d rules for %d stacks, and there are %d", len(d.Rules), len(d.Of), len(o.of))
	}
	for _, r := range d.Rules {
		family, ok := familyByKey(r.Family)
		if !ok {
			return nil, fmt.Errorf("%.40q is not a family", r.Family)
		}
		o.overrides.list = append(o.overrides.list, override{line: r.Line, text: r.Text, family: family})
	}
	for id, n := range d.Of {
		switch {
		case int(n) > len(d.Rules):
			return nil, fmt.Errorf("rule %d of %d", n, len(d.Rules))
		case n == 0:
			o.of[id] = notOverridden
		default:
			o.of[id], st.Named[id] = n-1, d.Named[id]
		}
	}
	return o, nil
}

// notOverridden means no override; it is larger than the index of any.
const notOverridden = maxOverrides

// first returns the index of the first override that matches, or notOverridden.
func (o *Overrides) first(matches func(*override) bool) uint8 {
	for i := range o.list {
		if matches(&o.list[i]) {
			return uint8(i)
		}
	}
	return notOverridden
}

// firstByFrame returns the first override that matches each frame by itself. Frames
// share few files and functions, so each text is compared once.
func (o *Overrides) firstByFrame(s *snapshot.Snapshot) []uint8 {
	type known map[snapshot.StringID]uint8
	look := func(k known, field overrideField, id snapshot.StringID, text string) uint8 {
		n, seen := k[id]
		if !seen {
			n = o.first(func(r *override) bool { return r.field == field && r.matches(text) })
			k[id] = n
		}
		return n
	}
	functions, files := known{}, known{}
	first := make([]uint8, len(s.Frames))
	for i, f := range s.Frames {
		name, file := s.String(f.Name), stacks.Slashed(s.String(f.File))
		whole := file + ":" + strconv.Itoa(int(f.Line)) + ":" + name
		first[i] = min(
			look(functions, fieldFunction, f.Name, name),
			look(files, fieldFile, f.File, file),
			o.first(func(r *override) bool { return r.field == fieldFrame && r.matches(whole) }),
		)
	}
	return first
}

// override applies the overrides, after the built-in rules, because those compare
// allocations with each other and have to see all of them.
func (f *Assignment) override(o *Overridden, d *replay.Device) {
	if o == nil {
		return
	}
	f.overrides = o.overrides
	for i := range d.Allocations {
		if n := o.of[d.Allocations[i].Stack]; n != notOverridden {
			f.Rules[i] = Rule(ruleCount + int(n))
		}
	}
}

// maxOverrideLine bounds a line of a rules file, in bytes.
const maxOverrideLine = 4096

// ParseOverrides reads a rules file: one rule per line, empty lines, and comments
// that begin with #. name appears in errors and reasons.
//
//	cache: function =~ kv_cache
//	activation: file */model.py
//	optimizer: frame =~ shampoo\.py:\d+:.*_inverse_root
//	communication: operator c10d::*
//
// A rule is the key of a family, a colon, a field and a pattern. The fields are
// function and file, of any frame of the stack; frame, which is
// file:line:function of any frame; and operator, of the stack. After "=~" the
// pattern is a regular expression of package regexp that may match anywhere.
// Otherwise it must match the whole name, where * matches any text and ?
// one character; a pattern for files without a slash is compared with the last
// element of the path. Backslashes of Windows paths count as slashes.
func ParseOverrides(name string, r io.Reader) (*Overrides, error) {
	o := &Overrides{file: name}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxOverrideLine)
	number := 0
	for lines.Scan() {
		number++
		text := strings.TrimSpace(lines.Text())
		if number == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if len(o.list) == maxOverrides {
			return nil, fmt.Errorf("%s:%d: more than %d rules", name, number, maxOverrides)
		}
		rule, err := parseOverride(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		rule.line = number
		o.list = append(o.list, *rule)
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("%s:%d: a line of more than %d bytes", name, number+1, maxOverrideLine)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case len(o.list) == 0:
		return nil, fmt.Errorf("%s: no rule in it; write one like %q", name, overrideExample)
	}
	return o, nil
}

const overrideExample = "cache: function =~ kv_cache"

func parseOverride(text string) (*override, error) {
	if !utf8.ValidString(text) {
		return nil, errors.New("not UTF-8; save the file as such")
	}
	key, rest, found := strings.Cut(text, ":")
	if !found {
		return nil, fmt.Errorf("%q has no colon after the family; write it like %q", text, overrideExample)
	}
	family, ok := familyByKey(strings.TrimSpace(key))
	if !ok {
		return nil, fmt.Errorf("%q is not a family; there are %s", strings.TrimSpace(key),
			strings.Join(familyKeys(), ", "))
	}
	name, value, _ := strings.Cut(strings.TrimSpace(rest), " ")
	field := slices.Index(fieldNames[:], name)
	if field < 0 {
		return nil, fmt.Errorf("%q is nothing to look at; there are %s", name, strings.Join(fieldNames[:], ", "))
	}
	rule := &override{text: text, family: family, field: overrideField(field)}
	value = strings.TrimSpace(value)
	pattern, isRegexp := strings.CutPrefix(value, "=~")
	pattern = strings.TrimSpace(pattern)
	switch {
	case pattern == "":
		return nil, fmt.Errorf("nothing to hold the %s against; write it like %q", name, overrideExample)
	case !isRegexp:
		rule.matches = globMatches(pattern, rule.field)
		return rule, nil
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%q is not a regular expression: %s", pattern,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	rule.matches = expression.MatchString
	return rule, nil
}

// globMatches compares texts with a pattern with * and ?.
func globMatches(pattern string, field overrideField) func(string) bool {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(quoted)
	whole := regexp.MustCompile("(?s)^" + quoted + "$")
	if field != fieldFile || strings.Contains(pattern, "/") {
		return whole.MatchString
	}
	return func(path string) bool { return whole.MatchString(path[strings.LastIndexByte(path, '/')+1:]) }
}

func familyByKey(key string) (Family, bool) {
	i := slices.Index(familyKeys(), key)
	return Family(max(i, 0)), i >= 0
}

func familyKeys() []string {
	keys := make([]string, Count)
	for i := range keys {
		keys[i] = Family(i).Key()
	}
	return keys
}
