package codec

import (
	"io"

	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/report/recording"
)

// Pair are the columns of two devices that are compared.
type Pair struct {
	compared *compare.Comparison
	devices  [2]*deviceWriter
}

// NewPair takes a device of each of two files.
func NewPair(c *compare.Comparison, files [2]*File, devices [2]int) *Pair {
	p := &Pair{compared: c}
	for side, f := range files {
		p.devices[side] = f.devices[devices[side]].(*deviceWriter)
	}
	return p
}

// Write writes the element of an id. What the files have left out is left out of it.
func (p *Pair) Write(w io.Writer, id string) error {
	e := packed(id, p.writeColumns)
	return e.write(w)
}

// writeColumns writes the columns of a pair, in the order that the package comment
// gives. Stacks are numbered as in the payloads of the files, which may have lost some.
func (p *Pair) writeColumns(c *columnWriter) {
	w := pairColumns.from(c, "groups")
	groups := p.compared.Lines.Groups
	w.put("groups", len(groups), func(i int) int64 {
		return int64(oneIf(groups[i].Named) | oneIf(groups[i].IsLine)<<1)
	})
	for side, name := range []string{"before", "after"} {
		device, of := p.devices[side], p.groupsOf(side)
		w.put(name+".group", len(of), func(i int) int64 { return int64(of[i]) })
		earlier := p.compared.Earlier[side]
		position := make(map[int]int64, device.Len())
		if len(earlier) > 0 {
			for i := range device.Len() {
				position[device.Index(i)] = int64(i)
			}
		}
		w.put(name+".earlier.alloc", len(earlier), func(i int) int64 { return position[earlier[i].Allocation] })
		w.put(name+".earlier.group", len(earlier), func(i int) int64 { return int64(earlier[i].Group) })
		w.put(name+".earlier.family", len(earlier), func(i int) int64 {
			return int64(recording.FamilyPlace[earlier[i].Family])
		})
	}
}

// groupsOf has 1 + the group of each stack in the payload of a side, and 0 for none.
func (p *Pair) groupsOf(side int) []uint64 {
	stacks := p.devices[side].stacks
	of := make([]uint64, len(stacks.stacks))
	for id, group := range p.compared.Lines.Of[side] {
		if group >= 0 {
			of[stacks.index[id]] = uint64(group) + 1
		}
	}
	return of
}
