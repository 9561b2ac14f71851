package job

import (
	"fmt"
	"regexp"
)

// Pattern reads ranks from names of files that [Names] does not understand by itself.
type Pattern struct {
	expression           *regexp.Regexp
	rank, iteration, run int // numbers of its groups; -1 without one
}

// maxPattern bounds the length of a pattern. Matching takes time in proportion to it.
const maxPattern = 1000

// ParsePattern reads a regular expression in the syntax of package regexp, which is
// matched against a path with forward slashes. Its group (?P<rank>...), or its only
// group, is the rank; (?P<iteration>...) and (?P<run>...) are optional.
func ParsePattern(text string) (*Pattern, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a pattern has at most %d characters, this one has %d", maxPattern, len(text))
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	p := &Pattern{expression, expression.SubexpIndex("rank"), expression.SubexpIndex("iteration"),
		expression.SubexpIndex("run")}
	if p.rank < 0 && expression.NumSubexp() == 1 && expression.SubexpNames()[1] == "" {
		p.rank = 1
	}
	if p.rank < 0 {
		return nil, fmt.Errorf("%q does not say where the rank is; put it into a group: (?P<rank>[0-9]+)", text)
	}
	for _, name := range expression.SubexpNames() {
		if name != "" && name != "rank" && name != "iteration" && name != "run" {
			return nil, fmt.Errorf("%q has a group %q; known are rank, iteration and run", text, name)
		}
	}
	return p, nil
}

// name reads the name of one file. Without a match, or with an empty rank, it has no
// rank.
func (p *Pattern) name(path string) Name {
	n := Name{From: FromOrder}
	m := p.expression.FindStringSubmatch(path)
	if m == nil {
		return n
	}
	group := func(i int) string {
		if i < 0 {
			return ""
		}
		return m[i]
	}
	if label := group(p.rank); label != "" {
		n.From, n.Label = fromPattern, label
	}
	if step, ok := parseDigits(group(p.iteration)); ok {
		n.Step = &step
	}
	n.Run = group(p.run)
	n.OOM = isOOMDump(innermostFirst(path))
	return n
}
