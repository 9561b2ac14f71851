package trust

import (
	"maps"

	"github.com/memviz-go/memviz/pkg/replay"
)

// Trust says in JSON whether the numbers of a device can be trusted.
type Trust struct {
	// the replay ends exactly in the final segments, and nothing in the file
	// contradicts it. False, too, where that cannot be known: without a history,
	// without final segments and their events, or if the file was read in part.
	AddsUp    bool      `json:"adds_up"`
	Cut       bool      `json:"cut,omitempty"` // the file was read in part: totals are lower bounds, and states and sites are of what was read
	Anomalies Anomalies `json:"anomalies"`     // what a true recording does not have
}

// Anomalies counts anomalies by the key of their kind, and all of them as "total".
type Anomalies map[string]int

func New(addsUp, cut bool, counts replay.Anomalies) Trust {
	t := Trust{addsUp, cut, Anomalies{"total": counts.Total()}}
	for kind, n := range counts {
		t.Anomalies[replay.Anomaly(kind).Kind().Key] = n
	}
	return t
}

// And is the trust in a comparison of two devices.
func (t Trust) And(other Trust) Trust {
	both := Trust{t.AddsUp && other.AddsUp, t.Cut || other.Cut, maps.Clone(t.Anomalies)}
	for key, n := range other.Anomalies {
		both.Anomalies[key] += n
	}
	return both
}
