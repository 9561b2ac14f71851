package top

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/analysis/modules"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/units"
)

// Block is a part of a model that a forward pass calls again and again in one
// line: what activation checkpointing is applied to.
type Block struct {
	Site         string  `json:"site"`          // file:line:function of the line that calls it
	Passes       int     `json:"passes"`        // forward passes in which it repeats
	Calls        int     `json:"calls"`         // in the pass that keeps most, as are the figures below
	Requests     int     `json:"requests"`      // of all calls
	KeptBytes    int64   `json:"kept_bytes"`    // that the calls keep for backward, their outputs not counted
	KeptByCall   []int64 `json:"kept_by_call"`  // bytes, in the order of the calls
	OutputsBytes int64   `json:"outputs_bytes"` // of the last tensor that each call keeps, which the next one reads
}

func newBlocks(r *analysis.Recording, by holders.By) []Block {
	list := []Block{}
	if by != holders.ByModule && by != holders.ByLayer {
		return list
	}
	for i := range r.Modules().Blocks {
		list = append(list, newBlock(r, &r.Modules().Blocks[i]))
	}
	return list
}

func newBlock(r *analysis.Recording, b *modules.Block) Block {
	pass := b.Largest()
	x := Block{
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

// writeBlocks says what repeats.
func writeBlocks(s *sheet.Sheet, list []Block) {
	for i := range list {
		b := &list[i]
		each := "each keeps " + phrase.Amount(b.KeptByCall[0]) + " for backward"
		if least, most := slices.Min(b.KeptByCall), slices.Max(b.KeptByCall); least != most {
			each = "each keeps " + phrase.Amount(least) + " to " + phrase.Amount(most) + " for backward"
		}
		if b.KeptBytes == 0 {
			each = "none keeps anything for backward"
		}
		s.Note("A block repeats: %s in a forward pass at %s; %s, beside its output.",
			units.Plural(b.Calls, "call", "calls"),
			sheet.Name(ShortModule(b.Site)), each)
	}
}
