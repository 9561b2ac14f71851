package diff

import (
	"path"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/units"
)

// ChangeOf says what kind of change a row is: "24 tensors, each 16.0 MiB → 256 MiB". It
// names a size only where all tensors of that side have it.
func ChangeOf(before, after compare.Amount) string {
	m, n := before.Allocations, after.Allocations
	equal := func(a *compare.Amount) bool { return a.Smallest == a.Largest }
	tensors := func(n int) string { return units.Plural(n, "tensor", "tensors") }
	alone := func(what string, a *compare.Amount) string {
		text := what + tensors(a.Allocations)
		if equal(a) {
			text += " of " + units.Bytes(a.Largest)
		}
		return text
	}
	switch {
	case m == 0 && n == 0:
		return "none"
	case m == 0:
		return alone("new: ", &after)
	case n == 0:
		return alone("gone: ", &before)
	}
	text := tensors(n)
	if m != n {
		text = units.Count(m) + " → " + text
	}
	same := before.Largest == after.Largest
	switch each := equal(&before) && equal(&after); {
	case each && same:
		return text + ", each " + units.Bytes(after.Largest)
	case each && m == n && n == 1:
		return text + ", " + units.Bytes(before.Largest) + " → " + units.Bytes(after.Largest)
	case each:
		return text + ", each " + units.Bytes(before.Largest) + " → " + units.Bytes(after.Largest)
	case same:
		return text + ", largest " + units.Bytes(after.Largest) + " in both"
	}
	return text + ", largest " + fromTo(before.Largest, after.Largest)
}

// fromTo is two numbers of bytes with an arrow: "8.48 → 22.5 GiB". A unit that both have
// is said once, and so is an amount that both have.
func fromTo(before, after int64) string {
	if before == after {
		return units.Bytes(after)
	}
	a, b := units.Bytes(before), units.Bytes(after)
	if number, unit, ok := strings.Cut(a, " "); ok && strings.HasSuffix(b, " "+unit) {
		a = number
	}
	return a + " → " + b
}

// movedLine is where a group's line stands: "model.py:101→104" where it moved.
func movedLine(g *compare.Group) string {
	site := g.Latest()
	text := path.Base(stacks.Slashed(site.File))
	if g.Moved() {
		return text + ":" + strconv.Itoa(g.Site[compare.Before].Line) + "→" + strconv.Itoa(site.Line)
	}
	if site.Line > 0 {
		text += ":" + strconv.Itoa(site.Line)
	}
	return text
}
