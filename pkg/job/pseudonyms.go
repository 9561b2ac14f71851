package job

import (
	"github.com/memviz-go/memviz/pkg/redact"
)

// namesOf numbers the ranks so that those with equal numbers name call sites alike.
// Redacted ranks do so if they share a pseudonym: ranks with different salts never do.
// Ranks with nothing to compare count as alike.
func namesOf(list []Digest) []int {
	var clusters disjoint
	plain, pseudonyms := -1, map[string]int{}
	for i := range list {
		clusters.parent = append(clusters.parent, i)
		d := &list[i]
		if d.Redacted == "" {
			if plain < 0 {
				plain = i
			}
			clusters.join(plain, i)
			continue
		}
		for k := range d.Sites {
			for _, name := range redact.Pseudonyms(d.Sites[k].Site) {
				if first, known := pseudonyms[name]; known {
					clusters.join(first, i)
				} else {
					pseudonyms[name] = i
				}
			}
		}
	}
	numbers := make([]int, len(list))
	for i := range list {
		numbers[i] = clusters.find(i)
	}
	return numbers
}

// renamed returns the ranks whose call sites are named differently from most ranks'.
// Ranks without call sites are not among them.
func (c *comparison) renamed() []int {
	var numbers []int
	for i := range c.Ranks {
		if Comparable(&c.Ranks[i]) && len(c.Ranks[i].Sites) > 0 {
			numbers = append(numbers, -c.names[i]) // the first of two is the larger
		}
	}
	most, _ := commonest(numbers)
	var renamed []int
	for i := range c.Ranks {
		if Comparable(&c.Ranks[i]) && len(c.Ranks[i].Sites) > 0 && c.names[i] != -most {
			renamed = append(renamed, i)
		}
	}
	return renamed
}

// disjoint are disjoint sets of numbers.
type disjoint struct{ parent []int }

// find returns the least number of a set.
func (d *disjoint) find(i int) int {
	for d.parent[i] != i {
		d.parent[i] = d.parent[d.parent[i]]
		i = d.parent[i]
	}
	return i
}

func (d *disjoint) join(i, j int) {
	if a, b := d.find(i), d.find(j); a != b {
		d.parent[max(a, b)] = min(a, b)
	}
}
