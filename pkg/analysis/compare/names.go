package compare

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
)

// rankSource is what a rank was read from.
type rankSource uint8

const (
	rankFromWord   rankSource = iota // "rank3", "global_rank-3"
	rankFromAxes                     // "tp1_pp0", "gpu3"
	rankFromNumber                   // "000003_step_100.pickle", "snapshot_3.pickle"
	rankFromOrder                    // nothing in the name: its position among the files
)

// RankName is what the name of a file says about the process that wrote it. The
// snapshot itself does not have its rank.
type RankName struct {
	Rank  int    // from 0
	Label string // "3", or the position on several axes: "tp1 pp0"
	From  rankSource
	Step  int  // training step in the name; -1 without one
	OOM   bool // written when memory ran out, as far as the name says
}

// NameRanks reads the ranks from the paths of the files of one job. Where the base
// name says nothing, folders count. Files without any rank in their paths get the
// next numbers, in natural order.
func NameRanks(files []string) []RankName {
	paths := make([][]string, len(files))
	for i, file := range files {
		paths[i] = innermostFirst(stacks.Slashed(file))
	}
	names := make([]RankName, len(files))
	axes, numbers := eachPath(paths, rankAxes), eachPath(paths, rankNumber)
	var unnumbered []int
	next := 0
	for i, path := range paths {
		n := &names[i]
		n.Step, n.OOM = stepOfPath(path), isOOMDump(path)
		switch word := rankWord(path); {
		case word != "":
			n.Label, n.From = word, rankFromWord
		case axes[i] != "":
			n.Label, n.From = axes[i], rankFromAxes
		case numbers[i] != "":
			n.Label, n.From = numbers[i], rankFromNumber
		default:
			n.From = rankFromOrder
		}
		if !n.number() {
			unnumbered = append(unnumbered, i)
			continue
		}
		next = max(next, n.Rank+1)
	}
	slices.SortFunc(unnumbered, func(i, j int) int {
		a, b := names[i].Label+"/"+files[i], names[j].Label+"/"+files[j]
		return Natural(a, b)
	})
	for k, i := range unnumbered {
		names[i].Rank = next + k
		if names[i].Label == "" {
			names[i].Label = strconv.Itoa(next + k)
		}
	}
	return names
}

// number reads the rank from the label and reports whether it is a single number.
func (n *RankName) number() bool {
	digits := strings.TrimLeft(n.Label, "abcdefghijklmnopqrstuvwxyz")
	rank, ok := parseDigits(digits)
	if !ok {
		return false
	}
	n.Rank = rank
	if n.From != rankFromAxes {
		n.Label = strconv.Itoa(rank) // without leading zeros
	}
	return true
}

// eachPath reads a label from each path. A label that all of several files share is
// no rank, but the size of the job or a date.
func eachPath(paths [][]string, read func([]string) string) []string {
	labels := make([]string, len(paths))
	for i, path := range paths {
		labels[i] = read(path)
	}
	if len(labels) > 1 && len(slices.Compact(slices.Clone(labels))) == 1 {
		clear(labels)
	}
	return labels
}

var (
	rankWordPattern = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:global[_-]?)?rank[_.-]?(\d{1,9})`)
	rankAxisPattern = regexp.MustCompile(`(?i)(?:^|[^a-z])(tp|dp|pp|ep|gpu|device|worker|proc)[_.-]?(\d{1,9})`)
	leadingPattern  = regexp.MustCompile(`^(\d{3,9})_step_`)
	trailingPattern = regexp.MustCompile(`(?i)[_.-](\d{1,5})\.(?:pickle|pkl)(?:\.[a-z]+)?$`)
	datePattern     = regexp.MustCompile(`(?i)\d([_.-])\d{1,2}([_.-])\d{1,2}\.(?:pickle|pkl)(?:\.[a-z]+)?$`)
	countPattern    = regexp.MustCompile(
		`(?i)(?:^|[^a-z])(?:iteration|iter|step|batch|ba|epoch)[_.-]?\d+\.(?:pickle|pkl)(?:\.[a-z]+)?$`,
	)
	stepPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:iteration|iter|step|batch|ba)[_.-]?(\d{1,18})`)
	composerPattern  = regexp.MustCompile(`(?i)rank\d+\.(\d{1,18})\.`)
	outOfMemoryNames = regexp.MustCompile(`(?i)(?:^|[^a-z])oom(?:[^a-z]|$)|_exit(?:[^a-z]|$)`)
)

// innermostFirst are the parts of a slashed path, the base name first.
func innermostFirst(path string) []string {
	parts := strings.Split(path, "/")
	slices.Reverse(parts)
	return parts
}

func rankWord(path []string) string {
	for _, part := range path {
		if m := rankWordPattern.FindStringSubmatch(part); m != nil {
			return m[1]
		}
	}
	return ""
}

// rankAxes are the axes of parallelism in the innermost part that has some.
func rankAxes(path []string) string {
	for _, part := range path {
		var axes []string
		for _, m := range rankAxisPattern.FindAllStringSubmatch(part, -1) {
			n, _ := parseDigits(m[2])
			axes = append(axes, strings.ToLower(m[1])+strconv.Itoa(n))
		}
		if axes != nil {
			return strings.Join(axes, " ")
		}
	}
	return ""
}

// rankNumber is a bare number of the base name, at its start or its end, that is
// no date and counts nothing else.
func rankNumber(path []string) string {
	base := path[0]
	if m := leadingPattern.FindStringSubmatch(base); m != nil {
		return m[1]
	}
	m := trailingPattern.FindStringSubmatch(base)
	date := datePattern.FindStringSubmatch(base)
	if m == nil || date != nil && date[1] == date[2] || countPattern.MatchString(base) {
		return ""
	}
	return m[1]
}

func stepOfPath(path []string) int {
	for _, part := range path {
		for _, pattern := range []*regexp.Regexp{stepPattern, composerPattern} {
			if m := pattern.FindStringSubmatch(part); m != nil {
				if step, err := strconv.Atoi(m[1]); err == nil {
					return step
				}
			}
		}
	}
	return -1
}

// isOOMDump looks at the base name and the folder, which torchtitan names after the
// last step of a run that died.
func isOOMDump(path []string) bool {
	return slices.ContainsFunc(path[:min(2, len(path))], outOfMemoryNames.MatchString)
}

func parseDigits(digits string) (int, bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 0
}

// Natural orders texts as people do: rank9 before rank10.
func Natural(a, b string) int {
	for x, y := a, b; ; {
		if x == "" || y == "" {
			// Texts that differ only in leading zeros need an order too.
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(a, b))
		}
		n, restX := leadingDigits(x)
		m, restY := leadingDigits(y)
		if n == "" || m == "" {
			if c := cmp.Compare(x[0], y[0]); c != 0 {
				return c
			}
			x, y = x[1:], y[1:]
			continue
		}
		// A longer number without leading zeros is a larger one.
		n, m = strings.TrimLeft(n, "0"), strings.TrimLeft(m, "0")
		if c := cmp.Or(cmp.Compare(len(n), len(m)), strings.Compare(n, m)); c != 0 {
			return c
		}
		x, y = restX, restY
	}
}

func leadingDigits(s string) (digits, rest string) {
	i := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return s[:i], s[i:]
}
