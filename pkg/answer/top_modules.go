package answer

import (
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/units"
)

// TopBlock is a part of a model that a forward pass calls again and again in one
// line: what activation checkpointing is applied to.
type TopBlock struct {
	Site         string  `json:"site"`          // file:line:function of the line that calls it
	Passes       int     `json:"passes"`        // forward passes in which it repeats
	Calls        int     `json:"calls"`         // in the pass that keeps most, as are the figures below
	Requests     int     `json:"requests"`      // of all calls
	KeptBytes    int64   `json:"kept_bytes"`    // that the calls keep for backward, their outputs not counted
	KeptByCall   []int64 `json:"kept_by_call"`  // bytes, in the order of the calls
	OutputsBytes int64   `json:"outputs_bytes"` // of the last tensor that each call keeps, which the next one reads
}

func newTopBlocks(r *analysis.Recording, by holders.By) []TopBlock {
	list := []TopBlock{}
	if by != holders.ByModule && by != holders.ByLayer {
		return list
	}
	for i := range r.Modules().Blocks {
		list = append(list, newTopBlock(r, &r.Modules().Blocks[i]))
	}
	return list
}

func newTopBlock(r *analysis.Recording, b *modules.Block) TopBlock {
	pass := b.Largest()
	x := TopBlock{
		Site: r.Stacks.Frame(b.Caller).String(), Passes: len(b.Passes), Calls: len(pass.Calls), KeptBytes: pass.Kept(),
	}
	for i := range pass.Calls {
		call := &pass.Calls[i]
		x.Requests += len(call.Requests)
		x.KeptByCall = append(x.KeptByCall, call.KeptBytes)
		if call.Output >= 0 {
			x.OutputsBytes += r.Device.Allocations[call.Output].Size
		}
	}
	return x
}

// blocks says what repeats.
func (s *Sheet) blocks(list []TopBlock) {
	for i := range list {
		b := &list[i]
		each := "each keeps " + amount(b.KeptByCall[0]) + " for backward"
		if least, most := slices.Min(b.KeptByCall), slices.Max(b.KeptByCall); least != most {
			each = "each keeps " + amount(least) + " to " + amount(most) + " for backward"
		}
		if b.KeptBytes == 0 {
			each = "none keeps anything for backward"
		}
		s.note("A block repeats: %s in a forward pass at %s; %s, beside its output.",
			units.Plural(b.Calls, "call", "calls"),
			name(shortModule(b.Site)), each)
	}
}

// shortModule leaves out folders, and the function where it is forward, from the name
// of a module or a layer.
func shortModule(key string) string {
	key, call, isCall := strings.Cut(key, ", call ")
	lines := strings.Split(key, " < ")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line[strings.LastIndexAny(line, `/\`)+1:], ":forward")
	}
	key = strings.Join(lines, " < ")
	if isCall {
		key += ", call " + call
	}
	return key
}
