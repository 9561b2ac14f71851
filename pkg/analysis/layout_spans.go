package analysis

import (
	"iter"

	"github.com/memviz-go/memviz/pkg/internal/ranges"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// span is a range of addresses that is reserved.
type span = ranges.Range[spanKind]

// spanKind is whom a range may serve. Expandable ranges of one kind are one
// segment where they touch.
type spanKind struct {
	stream     snapshot.StreamID
	pool       snapshot.PoolID
	class      snapshot.SizeClass
	expandable bool
}

// joined yields spans in address order, with those joined that are one segment.
func joined(spans *ranges.Set[spanKind]) iter.Seq[span] {
	return func(yield func(span) bool) {
		var open span
		for x := range spans.All() {
			if open.Use.expandable && open.Use == x.Use && open.To == x.From {
				open.To = x.To
				continue
			}
			if open.Bytes() > 0 && !yield(open) {
				return
			}
			open = x
		}
		if open.Bytes() > 0 {
			yield(open)
		}
	}
}
