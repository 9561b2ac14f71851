package answer_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestFamilyInJSON: events, segments and the largest allocations say what each is for,
// and agree with what top says of all of them.
func TestFamilyInJSON(t *testing.T) {
	s, err := snapshot.Open("../../examples/training-loop/snapshot.pickle.gz")
	if err != nil {
		t.Fatal(err)
	}
	in := []answer.Input{answer.NewInput("training-loop.pickle", s)}
	var held struct {
		Devices []top.Device `json:"devices"`
	}
	var log struct {
		Devices []events.Device `json:"devices"`
	}
	var places struct {
		Devices []segments.Device `json:"devices"`
	}
	read := func(said *sheet.Sheet, err error, to any) {
		t.Helper()
		if err == nil {
			err = json.Unmarshal(answertest.Written(t, said, sheet.JSON), to)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	said, err := top.Answer(in, top.Options{At: answer.Peak, Grouping: holders.Grouping{By: holders.ByFamily}})
	read(said, err, &held)
	said, err = events.Answer(in, events.Options{})
	read(said, err, &log)
	said, err = segments.Answer(in, answer.Peak, 5)
	read(said, err, &places)

	want := map[string]int64{}
	for _, row := range held.Devices[0].Rows {
		if row.Bytes > 0 {
			want[row.Key] = row.Bytes
		}
	}
	byEvents, bySegments := map[string]int64{}, map[string]int64{}
	for _, e := range log.Devices[0].Events[:held.Devices[0].State] {
		switch {
		case e.Allocation != nil && e.Family == "" || e.Allocation == nil && e.Family != "":
			t.Fatalf("%+v", e)
		case e.Action == "alloc":
			byEvents[e.Family] += e.Bytes
		case e.Action == "free_completed":
			byEvents[e.Family] -= e.Bytes
		}
	}
	for _, seg := range places.Devices[0].Segments {
		for _, b := range seg.Blocks {
			bySegments[b.Family] += b.RequestedBytes
		}
	}
	for _, got := range []map[string]int64{byEvents, bySegments} {
		maps.DeleteFunc(got, func(_ string, bytes int64) bool { return bytes == 0 })
		if !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	for _, a := range statsOf(in, stats.Options{Rows: 5}).Largest {
		if want[a.Family] < a.Bytes {
			t.Errorf("%+v", a)
		}
	}
}
