package job

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

// Values of Name.From: what a rank was read from.
const (
	fromWord        = "word"        // "rank3", "global_rank-3"
	fromAxes        = "axes"        // "tp1_pp0", "gpu3"
	FromNumber      = "number"      // "000003_step_100.pickle", "snapshot_3.pickle"
	FromOrder       = "order"       // nothing in the name: the position of the file among those without a rank
	fromPattern     = "pattern"     // a pattern of the user
	FromEnvironment = "environment" // a variable of the process that made the digest
)

// inName reports whether the name of the file, or the user, gives the rank.
func inName(n *Name) bool { return n.From != FromOrder }

// jobKey is what the files of one job share: they were written together, one by each
// rank. Files of different jobs are not comparable: the same program needs other memory
// at another time. Files without a rank in their names are kept apart from those with
// one.
type jobKey struct {
	run    string
	step   int // of training; -1 without one
	oom    bool
	inName bool
	pinned bool // host memory
}

func jobOf(n *Name) jobKey {
	key := jobKey{run: n.Run, step: -1, oom: n.OOM, inName: inName(n)}
	if n.Step != nil {
		key.step = *n.Step
	}
	return key
}

// compareJobs orders jobs by run and step, out-of-memory dumps after others, then files
// without a rank in their names, and host memory last.
func compareJobs(a, b jobKey) int {
	return cmp.Or(falseFirst(a.pinned, b.pinned), units.Natural(a.run, b.run), cmp.Compare(a.step, b.step),
		falseFirst(a.oom, b.oom),
		falseFirst(!a.inName, !b.inName))
}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Names reads ranks from the paths of files. If the base name has no rank, folders count.
// Files of a job that have no rank in their paths are numbered from 0, in natural order.
// A pattern, which may be nil, replaces the rules for the names that trainers give.
func Names(files []string, pattern *Pattern) []Name {
	paths := make([][]string, len(files))
	for i, file := range files {
		paths[i] = innermostFirst(stacks.Slashed(file))
	}
	names := make([]Name, len(files))
	if pattern != nil {
		for i, file := range files {
			names[i] = pattern.name(stacks.Slashed(file))
		}
	} else {
		readNames(names, paths)
		nameRuns(names, paths)
	}
	jobs := map[jobKey][]int{}
	for i := range names {
		jobs[jobOf(&names[i])] = append(jobs[jobOf(&names[i])], i)
	}
	for _, job := range jobs {
		numberRanks(names, job, files)
	}
	return names
}

// readNames reads labels, steps and occasions from the names that trainers give.
func readNames(names []Name, paths [][]string) {
	axes, numbers := eachFamily(paths, rankAxes), eachFamily(paths, rankNumber)
	for i, path := range paths {
		n := &names[i]
		n.Step, n.OOM = stepOfPath(path), isOOMDump(path)
		word, leading := rankWord(path), leadingPattern.FindStringSubmatch(path[0])
		switch {
		case word != "":
			n.Label, n.From = word, fromWord
		case axes[i] != "":
			n.Label, n.From = axes[i], fromAxes
		case leading != nil:
			n.Label, n.From = leading[1], FromNumber
		case numbers[i] != "":
			n.Label, n.From = numbers[i], FromNumber
		default:
			n.From = FromOrder
		}
	}
}

// nameRuns distinguishes runs by their folders, in jobs where one rank has several
// files.
func nameRuns(names []Name, paths [][]string) {
	type rank struct {
		jobKey
		label string
	}
	files, several := map[rank]int{}, map[jobKey]bool{}
	for i := range names {
		key := jobOf(&names[i])
		at := rank{key, strings.TrimLeft(names[i].Label, "0")}
		files[at]++
		several[key] = several[key] || files[at] > 1 && key.inName
	}
	folders := map[jobKey]map[string]bool{}
	for i := range names {
		if key := jobOf(&names[i]); several[key] {
			if folders[key] == nil {
				folders[key] = map[string]bool{}
			}
			folders[key][runFolder(paths[i])] = true
		}
	}
	for i := range names {
		if len(folders[jobOf(&names[i])]) > 1 {
			names[i].Run = runFolder(paths[i])
		}
	}
}

// runFolder returns the folder of a file without the parts that name the rank and the
// step.
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

// numberRanks gives the files of a job their numbers.
func numberRanks(names []Name, job []int, files []string) {
	var unnumbered []int
	next := 0
	for _, i := range job {
		if n := &names[i]; readNumber(n) {
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

// readNumber reads the rank from the label and reports whether it is a single number.
func readNumber(n *Name) bool {
	digits := strings.TrimLeft(n.Label, "abcdefghijklmnopqrstuvwxyz")
	rank, ok := parseDigits(digits)
	if !ok {
		return false
	}
	n.Rank = rank
	if n.From != fromAxes {
		n.Label = strconv.Itoa(rank) // without leading zeros
	}
	return true
}

// eachFamily reads from each path a possible label of a rank. Names are a family if they
// differ only in numbers. Only the family shows whether a number counts ranks or, say,
// sizes of batches: ranks differ, and begin at 0 or leave none out.
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
	rankWordPattern = regexp.MustCompile(
		`(?i)(?:^|[^a-z])(lora[_.-]?|low[_.-]?|local[_.-]?|global[_.-]?)?rank[_.-]?(\d{1,9})`,
	)
	rankAxisPattern = regexp.MustCompile(
		`(?i)(?:^|[^a-z])(tp|dp|pp|cp|ep|gpu|device|worker|proc|local[_.-]?rank)[_.-]?(\d{1,9})`,
	)
	nodePattern     = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:node|host)[_.-]?(\d{1,9})`)
	leadingPattern  = regexp.MustCompile(`^(\d{3,9})_step_`)
	trailingPattern = regexp.MustCompile(`(?i)[_.-]r?(\d{1,5})\.(?:pickle|pkl)(?:\.[a-z]+)?$`)
	datePattern     = regexp.MustCompile(`(?i)\d([_.-])\d{1,2}([_.-])\d{1,2}\.(?:pickle|pkl)(?:\.[a-z]+)?$`)
	countPattern    = regexp.MustCompile(
		`(?i)(?:^|[^a-z])(?:iteration|iter|step|batch|ba|epoch)[_.-]?\d+\.(?:pickle|pkl)(?:\.[a-z]+)?$`,
	)
	stepPattern      = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:iteration|iter|step|batch|ba)[_.-]?(\d{1,18})`)
	composerPattern  = regexp.MustCompile(`(?i)rank\d+\.(\d{1,18})\.`)
	digits           = regexp.MustCompile(`\d+`)
	outOfMemoryNames = regexp.MustCompile(`(?i)(?:^|[^a-z])oom(?:[^a-z]|$)|_exit(?:[^a-z]|$)`)
)

// innermostFirst returns the parts of a slashed path, the base name first.
func innermostFirst(path string) []string {
	parts := strings.Split(path, "/")
	slices.Reverse(parts)
	return parts
}

func rankWord(path []string) string {
	for _, part := range path {
		for _, m := range rankWordPattern.FindAllStringSubmatch(part, -1) {
			if of := strings.ToLower(m[1]); !strings.HasPrefix(of, "lo") { // the rank of a matrix, or on one machine
				return m[2]
			}
		}
	}
	return ""
}

// rankAxes returns the axes of parallelism in the innermost part that has any. If that is
// the ordinal of a device, which every machine has, the number of the machine is added.
func rankAxes(path []string) string {
	for _, part := range path {
		var axes []string
		onMachine := true
		for _, m := range rankAxisPattern.FindAllStringSubmatch(part, -1) {
			axis, _, _ := strings.Cut(strings.ToLower(m[1]), "rank")
			axis = strings.TrimRight(axis, "_.-")
			n, _ := parseDigits(m[2])
			axes = append(axes, axis+strconv.Itoa(n))
			onMachine = onMachine && slices.Contains([]string{"gpu", "device", "local"}, axis)
		}
		if axes != nil && onMachine {
			axes = append(nodeOf(path), axes...)
		}
		if axes != nil {
			return strings.Join(axes, " ")
		}
	}
	return ""
}

// nodeOf returns the number of the machine in a path, such as "node3", or nothing.
func nodeOf(path []string) []string {
	for _, part := range path {
		if m := nodePattern.FindStringSubmatch(part); m != nil {
			n, _ := parseDigits(m[1])
			return []string{"node" + strconv.Itoa(n)}
		}
	}
	return nil
}

// rankNumber returns a bare number at the end of the base name that is not a date and
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

// stepOfPath returns the training step in a path; nil without one.
func stepOfPath(path []string) *int {
	for _, part := range path {
		for _, pattern := range []*regexp.Regexp{stepPattern, composerPattern} {
			if m := pattern.FindStringSubmatch(part); m != nil {
				if step, ok := parseDigits(m[1]); ok {
					return &step
				}
			}
		}
	}
	return nil
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
