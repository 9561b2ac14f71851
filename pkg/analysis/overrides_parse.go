package analysis

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// maxOverrideLine bounds a line of a rules file, in bytes.
const maxOverrideLine = 4096

// ParseOverrides reads a rules file: a rule a line, empty lines, and comments
// that begin with #. name stands in errors and reasons.
//
//	cache: function =~ kv_cache
//	activation: file */model.py
//	optimizer: frame =~ shampoo\.py:\d+:.*_inverse_root
//	communication: operator c10d::*
//
// A rule is the key of a family, a colon, a field and what it is held against.
// The fields are function and file, of any frame of the stack; frame, which is
// file:line:function; and operator. "=~" stands before a regular expression
// that may match anywhere, as package regexp has them. Without it the text is a
// pattern for the whole name, where * stands for anything and ? for one
// character; a pattern for files without a slash is held against the last part
// of the path. Backslashes of Windows paths are read as slashes.
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
		return nil, fmt.Errorf("%q has no colon behind the family; write it like %q", text, overrideExample)
	}
	family, ok := familyByKey(strings.TrimSpace(key))
	if !ok {
		return nil, fmt.Errorf("%q is no family; there are %s", strings.TrimSpace(key),
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
		rule.fits = globFits(pattern, rule.field)
		return rule, nil
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("%q is no regular expression: %s", pattern,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	rule.fits = expression.MatchString
	return rule, nil
}

// globFits holds texts against a pattern with * and ?.
func globFits(pattern string, field overrideField) func(string) bool {
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
	keys := make([]string, FamilyCount)
	for i := range keys {
		keys[i] = Family(i).Key()
	}
	return keys
}
