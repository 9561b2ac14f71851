package answer

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
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

func newRetries(r *analysis.Recording) []Retry {
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

// RetryCard is the text of the page's panel about a retry.
type RetryCard struct {
	State int    `json:"state"` // before the first segment was given back
	Text  string `json:"text"`  // a sentence
}

// maxRetryCards is how many retries have a card, the last ones.
const maxRetryCards = 100

func retryCards(r *analysis.Recording) []RetryCard {
	served := r.Retries().Served()
	served = served[max(len(served)-maxRetryCards, 0):]
	list := make([]RetryCard, len(served))
	for i := range served {
		x := &served[i]
		text := "The driver refused " + amount(x.Asked) + " for a request of " + amount(x.Requested) +
			". PyTorch gave back " + flushedWords(x) + " of its cache, and the request was served"
		if x.Micros > 0 {
			text += ", " + units.Duration(x.Micros) + " later"
		}
		if left := r.Retries().Margin(x); left > 0 {
			text += ", with less than " + amount(left) + " left"
		}
		list[i] = RetryCard{x.State(), text + "."}
	}
	return list
}

// retriesSentence says how often a run was near out of memory, and what that cost;
// "" if it never was.
func retriesSentence(r *analysis.Recording) string {
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
	text := "Near out of memory: the driver refused a request, and PyTorch gave back " + flushedWords(largest) +
		" of its cache to serve it, in state " + units.Count(largest.State())
	inAll, when := "", " was left then"
	if n := len(list); n > 1 {
		inAll, when = " in all", " was left at the tightest"
		text = fmt.Sprintf("Near out of memory, %s times: the driver refused a request, and PyTorch gave cached "+
			"memory back to serve it. The most was %s, in state %s", units.Count(n), flushedWords(largest),
			units.Count(largest.State()))
	}
	if micros > 0 {
		text += "; " + units.Duration(micros) + " went by" + inAll
	}
	if left > 0 {
		text += "; less than " + amount(left) + when
	}
	return text + "."
}

// flushedWords is what a retry gave back.
func flushedWords(x *oom.Retry) string {
	return amount(x.Flushed) + " in " + units.Plural(x.Segments, "segment", "segments")
}
