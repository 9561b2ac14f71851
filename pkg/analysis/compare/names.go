package compare

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/units"
)

// rankSource is what a rank was read from.
type rankSource uint8

const (
	rankFromWord   rankSource = iota // "rank3", "global_rank-3"
	rankFromAxes                     // "tp1_pp0", "gpu3"
	rankFromNumber                   // "000003_step_100.pickle", "snapshot_3.pickle"
	rankFromOrder                    // nothing in the name: its position among the files
)

// Key names the source in files: "word".
func (s rankSource) Key() string { return [...]string{"word", "axes", "number", "order"}[s] }

// RankName is what the name of a file says about the process that wrote it. The
// snapshot itself does not have its rank.
type RankName struct {
	Rank  int    // from 0
	Label string // "3", or the position on several axes: "tp1 pp0"
	From  rankSource
	DumpName
}

// InName reports whether the name of the file has the rank. Else Rank is the
// position of the file among those without one.
func (n *RankName) InName() bool { return n.From != rankFromOrder }

// DumpName says which files were written together, one by each rank of a job.
// Others are not to be compared: the same job needs other memory at another time.
type DumpName struct {
	Run  string // the folder, where folders hold the same ranks; else ""
	Step int    // training step in the name; -1 without one
	OOM  bool   // written when memory ran out, as far as the name says
}

// compareDumps orders dumps by run and step, those of an out-of-memory error last.
func compareDumps(a, b DumpName) int {
	oom := func(d DumpName) int {
		if d.OOM {
			return 1
		}
		return 0
	}
	return cmp.Or(units.Natural(a.Run, b.Run), cmp.Compare(a.Step, b.Step), cmp.Compare(oom(a), oom(b)))
}

// NameRanks reads the ranks from the paths of files. Where the base name says
// nothing, folders count. The files of a dump that have no rank in their paths get
// the numbers from 0 on, in natural order.
func NameRanks(files []string) []RankName {
	paths := make([][]string, len(files))
	for i, file := range files {
		paths[i] = innermostFirst(stacks.Slashed(file))
	}
	names := make([]RankName, len(files))
	axes, numbers := eachFamily(paths, rankAxes), eachFamily(paths, rankNumber)
	for i, path := range paths {
		n := &names[i]
		n.Step, n.OOM = stepOfPath(path), isOOMDump(path)
		word, leading := rankWord(path), leadingPattern.FindStringSubmatch(path[0])
		switch {
		case word != "":
			n.Label, n.From = word, rankFromWord
		case axes[i] != "":
			n.Label, n.From = axes[i], rankFromAxes
		case leading != nil:
			n.Label, n.From = leading[1], rankFromNumber
		case numbers[i] != "":
			n.Label, n.From = numbers[i], rankFromNumber
		default:
			n.From = rankFromOrder
		}
	}
	nameRuns(names, paths)
	dumps := map[dumpKey][]int{}
	for i := range names {
		dumps[names[i].dump()] = append(dumps[names[i].dump()], i)
	}
	for _, dump := range dumps {
		numberRanks(names, dump, files)
	}
	return names
}

// dumpKey is what the files have in common that are compared. Those whose names
// have no rank are not of the job of those whose names have one, as far as is known.
type dumpKey struct {
	DumpName
	inName bool
}

func (n *RankName) dump() dumpKey { return dumpKey{n.DumpName, n.InName()} }

// nameRuns tells runs apart by their folders, in dumps where one rank has several
// files.
func nameRuns(names []RankName, paths [][]string) {
	type rank struct {
		dumpKey
		label string
	}
	files, several := map[rank]int{}, map[dumpKey]bool{}
	for i := range names {
		key := names[i].dump()
		at := rank{key, strings.TrimLeft(names[i].Label, "0")}
		files[at]++
		several[key] = several[key] || files[at] > 1 && key.inName
	}
	folders := map[dumpKey]map[string]bool{}
	for i := range names {
		if key := names[i].dump(); several[key] {
			if folders[key] == nil {
				folders[key] = map[string]bool{}
			}
			folders[key][runFolder(paths[i])] = true
		}
	}
	for i := range names {
		if len(folders[names[i].dump()]) > 1 {
			names[i].Run = runFolder(paths[i])
		}
	}
}

// runFolder is the folder of a file without what says the rank and the step.
func runFolder(path []string) string {
	var parts []string
	for _, part := range path[1:] {
		for _, position := range []*regexp.Regexp{rankWordPattern, rankAxisPattern, stepPattern} {
			part = position.ReplaceAllString(part, "*")
		}
		if rest := strings.TrimLeft(part, "*"); rest != "" && rest != "_exit" || part == "" {
			parts = append(parts, part)
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "/")
}

// numberRanks gives the files of a dump their numbers.
func numberRanks(names []RankName, dump []int, files []string) {
	var unnumbered []int
	next := 0
	for _, i := range dump {
		if n := &names[i]; n.number() {
			next = max(next, n.Rank+1)
		} else {
			unnumbered = append(unnumbered, i)
		}
	}
	slices.SortFunc(unnumbered, func(i, j int) int {
		return units.Natural(names[i].Label+"/"+files[i], names[j].Label+"/"+files[j])
	})
	for k, i := range unnumbered {
		names[i].Rank = next + k
		if names[i].Label == "" {
			names[i].Label = strconv.Itoa(next + k)
		}
	}
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

// eachFamily reads from each path a label that a rank may have. Names count as a
// family if they differ only in numbers, and what such a number counts, sizes of
// batches or ranks, only the family tells: ranks differ, and begin at 0 or leave
// none out.
func eachFamily(paths [][]string, read func([]string) string) []string {
	labels := make([]string, len(paths))
	families := map[string][]int{}
	for i, path := range paths {
		if labels[i] = read(path); labels[i] != "" {
			family := digits.ReplaceAllString(strings.Join(path, "/"), "*")
			families[family] = append(families[family], i)
		}
	}
	for _, family := range families {
		if len(paths) > 1 && !countRanks(labels, family) {
			for _, i := range family {
				labels[i] = ""
			}
		}
	}
	return labels
}

// countRanks reports whether the numbers in the labels of a family of names can be
// ranks, on each axis.
func countRanks(labels []string, family []int) bool {
	var axes []map[int]bool // numbers by axis
	for _, i := range family {
		for axis, text := range digits.FindAllString(labels[i], -1) {
			if axis == len(axes) {
				axes = append(axes, map[int]bool{})
			}
			n, _ := parseDigits(text)
			axes[axis][n] = true
		}
	}
	differ := false
	for _, numbers := range axes {
		list := slices.Sorted(maps.Keys(numbers))
		n := len(list)
		if n > 1 && list[0] != 0 && list[n-1]-list[0] != n-1 {
			return false
		}
		differ = differ || n > 1
	}
	return differ
}

var (
	rankWordPattern = regexp.MustCompile(`(?i)(?:^|[^a-z])(lora[_.-]?|low[_.-]?|global[_.-]?)?rank[_.-]?(\d{1,9})`)
	rankAxisPattern = regexp.MustCompile(`(?i)(?:^|[^a-z])(tp|dp|pp|ep|gpu|device|worker|proc)[_.-]?(\d{1,9})`)
	leadingPattern  = regexp.MustCompile(`^(\d{3,9})_step_`)
	trailingPattern = regexp.MustCompile(`(?i)[_.-](\d{1,5})\.(?:pickle|pkl)(?:\.[a-z]+)?$`)
	datePattern     = regexp.MustCompile(`(?i)\d([_.-])\d{1,2}([_.-])\d{1,2}\.(?:pickle|pkl)(?:\.[a-z]+)?$`)
	countPattern    = regexp.MustCompile(
		`(?i)(?:^|[^a-z])(?:iteration|iter|step|batch|ba|epoch)[_.-]?\d+\.(?:pickle|pkl)(?:\.[a-z]+)?$`,
	)
	stepPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:iteration|iter|step|batch|ba)[_.-]?(\d{1,18})`)
	composerPattern  = regexp.MustCompile(`(?i)rank\d+\.(\d{1,18})\.`)
	digits           = regexp.MustCompile(`\d+`)
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
		for _, m := range rankWordPattern.FindAllStringSubmatch(part, -1) {
			if of := strings.ToLower(m[1]); !strings.HasPrefix(of, "lo") { // the rank of a matrix
				return m[2]
			}
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

// rankNumber is a bare number at the end of the base name that is no date and
// counts nothing else.
func rankNumber(path []string) string {
	base := path[0]
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
