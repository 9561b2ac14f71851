package whatif

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// end compares what the model holds in the end with the final segments.
func (x *prover) end() {
	final, model := finalPieces(x.run.r.Snapshot, x.run.r.Device.ID), modelPieces(x.a.Segments())
	for i := range max(len(final), len(model)) {
		var recorded, held piece
		if i < len(final) {
			recorded = final[i]
		}
		if i < len(model) {
			held = model[i]
		}
		if recorded != held {
			x.answers.depart(replay.None, CauseEnd, recorded.call(), held.call())
			return
		}
	}
}

// piece is a live block, or free memory between them.
type piece struct {
	segment, addr uint64
	size          int64
	live          bool
}

func (p piece) call() Call {
	if p.size == 0 {
		return Call{}
	}
	c := Call{Action: snapshot.Free, Addr: p.addr, Size: p.size}
	if p.live {
		c.Action = snapshot.Alloc
	}
	return c
}

// addPiece appends a piece; free neighbours are one.
func addPiece(list []piece, p piece) []piece {
	if n := len(list); n > 0 && !p.live && !list[n-1].live && list[n-1].segment == p.segment {
		list[n-1].size += p.size
		return list
	}
	return append(list, p)
}

func finalPieces(s *snapshot.Snapshot, device snapshot.DeviceID) []piece {
	var segments []*snapshot.Segment
	for i := range s.Segments {
		if s.Segments[i].Device == device {
			segments = append(segments, &s.Segments[i])
		}
	}
	slices.SortStableFunc(segments, func(x, y *snapshot.Segment) int { return cmp.Compare(x.Address, y.Address) })
	var list []piece
	for _, seg := range segments {
		for _, b := range s.BlocksOf(seg) {
			list = addPiece(list, piece{seg.Address, b.Address, b.Size, b.State.Live()})
		}
	}
	return list
}

func modelPieces(segments []allocator.Segment) []piece {
	var list []piece
	for i := range segments {
		for _, b := range segments[i].Blocks {
			list = addPiece(list, piece{segments[i].Address, b.Address, b.Size, b.State.Live()})
		}
	}
	return list
}
