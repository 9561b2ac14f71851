package job

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

// nameGroups names each group by what only the labels of its ranks have in common, such
// as "pp1", or by its ranks.
func (c *comparison) nameGroups() {
	if len(c.Groups) == 0 {
		return
	}
	axes := make([][]string, len(c.Ranks)) // "tp0", "pp1"
	count := map[string]int{}
	for i := range c.Ranks {
		if n := &c.Ranks[i].Name; n.From == fromAxes && c.GroupOf[i] != NoGroup {
			axes[i] = strings.Fields(n.Label)
			for _, axis := range axes[i] {
				count[axis]++
			}
		}
	}
	for g := range c.Groups {
		group := &c.Groups[g]
		var own []string
		for _, axis := range axes[group.Ranks[0]] {
			lacks := func(rank int) bool { return !slices.Contains(axes[rank], axis) }
			if len(c.Groups) > 1 && count[axis] == len(group.Ranks) && !slices.ContainsFunc(group.Ranks, lacks) {
				own = append(own, axis)
			}
		}
		if group.Name = strings.Join(own, " "); group.Name == "" {
			group.Name = c.nameOfRanks(group.Ranks)
		}
	}
}

// maxRuns bounds how many runs of ranks the name of a group lists.
const maxRuns = 3

// nameOfRanks names some ranks of the job: "0–255", "every 8th from 3", "4 of every 32
// from 8", "0–3, 8 and 5 more". Numbers that are not in the job do not split a run.
func (c *comparison) nameOfRanks(ranks []int) string {
	numbers := c.distinctNumbers()
	has := map[int]bool{}
	for _, rank := range ranks {
		has[c.Ranks[rank].Name.Rank] = true
	}
	var runs [][2]int // first and last number
	open := false
	for _, n := range numbers {
		switch {
		case has[n] && open:
			runs[len(runs)-1][1] = n
		case has[n]:
			runs = append(runs, [2]int{n, n})
		}
		open = has[n]
	}
	if text := nameOfPeriod(runs, numbers); text != "" {
		return text
	}
	var parts []string
	more := 0
	for i, run := range runs {
		switch {
		case i >= maxRuns:
			for _, n := range numbers {
				if n >= run[0] && n <= run[1] {
					more++
				}
			}
		case run[0] == run[1]:
			parts = append(parts, strconv.Itoa(run[0]))
		case run[1] == run[0]+1:
			parts = append(parts, strconv.Itoa(run[0]), strconv.Itoa(run[1]))
		default:
			parts = append(parts, strconv.Itoa(run[0])+"–"+strconv.Itoa(run[1]))
		}
	}
	text := strings.Join(parts, ", ")
	if more > 0 {
		text += " and " + units.Count(more) + " more"
	}
	return text
}

// distinctNumbers returns the numbers of the job's ranks that are in a group.
func (c *comparison) distinctNumbers() []int {
	var numbers []int
	for i := range c.Ranks {
		if c.GroupOf[i] != NoGroup {
			numbers = append(numbers, c.Ranks[i].Name.Rank)
		}
	}
	return slices.Compact(numbers) // the ranks are in order
}

// nameOfPeriod names runs of equal length in equal steps, to the end of the job; "" for
// others.
func nameOfPeriod(runs [][2]int, numbers []int) string {
	if len(runs) < 3 {
		return ""
	}
	period, length := runs[1][0]-runs[0][0], runs[0][1]-runs[0][0]
	for i := 1; i < len(runs); i++ {
		if runs[i][0]-runs[i-1][0] != period || runs[i][1]-runs[i][0] != length {
			return ""
		}
	}
	if runs[0][0] >= period || runs[len(runs)-1][0]+period <= numbers[len(numbers)-1] {
		return "" // it begins later or ends earlier
	}
	if length == 0 {
		return fmt.Sprintf("every %s from %d", ordinal(period), runs[0][0])
	}
	return fmt.Sprintf("%d of every %d from %d", length+1, period, runs[0][0])
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprint(n, "st")
	case n%10 == 2:
		return fmt.Sprint(n, "nd")
	case n%10 == 3:
		return fmt.Sprint(n, "rd")
	}
	return fmt.Sprint(n, "th")
}
