package answer

import (
	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// LargeAllocation is one of the largest that are live at the peak.
type LargeAllocation struct {
	Bytes   int64    `json:"bytes"`
	Address string   `json:"address"`                                    // "" where a report that was made smaller does not have it
	Start   *int     `json:"start" jsonschema:"oneof_type=integer;null"` // the event that allocated it; null: before the recording
	Site    string   `json:"site"`                                       // file:line:function
	Stack   []string `json:"stack"`
}

func largest(r *analysis.Recording, n int) []LargeAllocation {
	list := []LargeAllocation{}
	for _, i := range holders.Largest(r.Device, r.Device.Totals.PeakState, n) {
		a := &r.Device.Allocations[i]
		large := LargeAllocation{
			Bytes: a.Size, Address: units.Address(a.Addr), Site: r.Stacks.Site(a.Stack).String(),
			Stack: stackLines(r.Snapshot, a.Stack),
		}
		if r.Snapshot.AddressesLost && !a.LiveAtEnd() {
			large.Address = ""
		}
		if a.Start != replay.None {
			start := int(a.Start)
			large.Start = &start
		}
		list = append(list, large)
	}
	return list
}

func largestTable(stats *DeviceStats) *sheetTable {
	t := newTable(column{"largest at the peak", figures}, column{"event", figures}, column{"site", paths})
	for i := range stats.Largest {
		a := &stats.Largest[i]
		event := "earlier"
		if a.Start != nil {
			event = units.Count(*a.Start)
		}
		t.row(units.Bytes(a.Bytes), event, siteName(a.Site))
	}
	return t
}
