package oom

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/units"
)

// Retry is a request that the driver refused and that was served after PyTorch had
// given cached memory back: a run near out of memory, which loses time.
type Retry struct {
	State          int   `json:"state"` // before the first segment was given back
	RequestedBytes int64 `json:"requested_bytes"`
	FlushedBytes   int64 `json:"flushed_bytes"` // given back to the driver
	// less than this was left to the limit when the request was served; 0: not known
	MarginBytes int64  `json:"margin_bytes"`
	Segments    int    `json:"segments"` // given back: segments, or ranges of expandable ones
	Micros      int64  `json:"micros"`   // from the first of them to the request; 0 where the file has no times
	Site        string `json:"site"`     // file:line:function that asked
}

func Retries(r *analysis.Recording) []Retry {
	served := r.Retries().Served()
	list := make([]Retry, len(served))
	for i := range served {
		x := &served[i]
		list[i] = Retry{
			State: x.State(), RequestedBytes: x.Requested, FlushedBytes: x.Flushed, MarginBytes: r.Retries().Margin(x),
			Segments: x.Segments,
			Micros:   x.Micros, Site: r.Stacks.Site(r.Device.Events.Stack[x.Event]).String(),
		}
	}
	return list
}

// RetriesSentence says how often a run was near out of memory, and what that cost;
// "" if it never was.
func RetriesSentence(r *analysis.Recording) string {
	list := r.Retries().Served()
	if len(list) == 0 {
		return ""
	}
	largest, micros, left := &list[0], int64(0), r.Retries().Margin(&list[0])
	for i := range list {
		micros += list[i].Micros
		left = min(left, r.Retries().Margin(&list[i]))
		if list[i].Flushed > largest.Flushed {
			largest = &list[i]
		}
	}
	text := "Near out of memory: the driver refused a request, and PyTorch gave back " + FlushedWords(largest) +
		" of its cache to serve it, in state " + units.Count(largest.State())
	inAll, when := "", " was left then"
	if n := len(list); n > 1 {
		inAll, when = " in all", " was left at the tightest"
		text = fmt.Sprintf("Near out of memory, %s times: the driver refused a request, and PyTorch gave cached "+
			"memory back to serve it. The most was %s, in state %s", units.Count(n), FlushedWords(largest),
			units.Count(largest.State()))
	}
	if micros > 0 {
		text += "; " + units.Duration(micros) + " went by" + inAll
	}
	if left > 0 {
		text += "; less than " + phrase.Amount(left) + when
	}
	return text + "."
}

// FlushedWords is what a retry gave back.
func FlushedWords(x *oom.Retry) string {
	return phrase.Amount(x.Flushed) + " in " + units.Plural(x.Segments, "segment", "segments")
}
