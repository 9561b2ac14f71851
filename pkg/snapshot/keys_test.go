package snapshot

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// TestMetadataIsNoRow: a user's dict is text, whatever its keys are called.
func TestMetadataIsNoRow(t *testing.T) {
	for _, tt := range []struct {
		metadata dict
		want     string
	}{
		{dict{"stage", "eval", "k", 1}, `{"k":"1","stage":"eval"}`},
		{dict{"action", "warm up"}, `{"action":"warm up"}`},
		{dict{"filename", "a.py", "epoch", 3}, `{"epoch":"3","filename":"a.py"}`},
		{dict{"state", "hot"}, `{"state":"hot"}`},
		{dict{"total_size", 5}, `{"total_size":"5"}`},
		{dict{"real_size", 5}, `{"real_size":"5"}`},
	} {
		event := dict{"action", "alloc", "addr", 512, "size", 1, "stream", 0, "user_metadata", tt.metadata}
		s := load(t, dict{"segments", list{}, "device_traces", list{list{event, event}}})
		e := &s.Traces[0].Events
		if e.Len() != 2 || s.String(e.Metadata[1]) != tt.want || len(s.Oddity.WrongTypes) > 0 ||
			len(s.Annotations) > 0 {
			t.Errorf("%v: %d events, %q, %+v", tt.metadata, e.Len(), s.String(e.Metadata[0]), s.Oddity)
		}
	}
}

// TestOddItems: items of a trace that are not events are counted, wherever they are.
func TestOddItems(t *testing.T) {
	event := dict{"action", "alloc", "addr", 512, "size", 1}
	odd := dict{"action", "alloc"} // and nothing else
	for _, trace := range []list{{event, odd, event}, {odd, event, event}, {odd, 5, event, event}} {
		s := load(t, dict{"segments", list{}, "device_traces", list{trace}})
		want := len(trace) - 2
		if s.Traces[0].Events.Len() != 2 || s.Oddity.WrongTypes["item of a list"] != want {
			t.Errorf("%v: %d events, %+v", trace, s.Traces[0].Events.Len(), s.Oddity)
		}
	}
}

// TestFingerprintInSteps: who wrote a segment is judged when all its keys are
// there, however many opcodes brought them.
func TestFingerprintInSteps(t *testing.T) {
	text := func(s string) string { return "X" + string(rune(len(s))) + "\x00\x00\x00" + s }
	segment := "}(" + text("device") + "K\x00" + text("total_size") + "M\x00\x02u" // a first batch
	pool := "(" + text("segment_pool_id") + "K\x00K\x00\x86u"
	class := "(" + text("segment_type") + text("small") + "u"
	allocated := "(" + text("allocated_size") + "K\x00u"
	for _, tt := range []struct {
		steps []string
		want  Format
	}{
		{[]string{class, pool, allocated}, Format{}},
		{[]string{pool, class, allocated}, Format{PoolBeforeType: true}},
		{[]string{class, pool}, Format{HasProfilerSegment: true}},
	} {
		data := []byte("\x80\x02}(" + text("segments") + "](" + segment + strings.Join(tt.steps, "") + "eu.")
		s := readWay(t, data, wayStream)
		tt.want.HasPoolID, tt.want.Protocol, tt.want.Way = true, 2, wayStream
		if !reflect.DeepEqual(s.Format, tt.want) {
			t.Errorf("%q: format %+v, want %+v", tt.steps, s.Format, tt.want)
		}
		requireSame(t, s, readWay(t, data, wayGopickle))
	}
}

// TestInternalMetadata: the allocator's own text is used if the user has written none,
// whichever key comes first.
func TestInternalMetadata(t *testing.T) {
	event := func(more ...any) dict {
		return append(dict{"action", "alloc", "addr", 512, "size", 1, "stream", 0}, more...)
	}
	s := load(t, dict{"segments", list{}, "device_traces", list{list{
		event("internal_metadata", "mallocWithAddress"),
		event("user_metadata", "mine", "internal_metadata", "mallocWithAddress"),
		event("internal_metadata", "mallocWithAddress", "user_metadata", "mine"),
		event("user_metadata", "", "internal_metadata", "mallocWithAddress"),
		event(),
	}}})
	var got []string
	for _, id := range s.Events(0).Metadata {
		got = append(got, s.String(id))
	}
	if want := "[mallocWithAddress mine mine mallocWithAddress ]"; fmt.Sprint(got) != want {
		t.Errorf("metadata %v, want %s", got, want)
	}
	if s.TorchVersion() != "2.14 or later" || len(s.Oddity.UnknownKeys)+len(s.Oddity.WrongTypes) > 0 {
		t.Errorf("torch %s, oddities %+v", s.TorchVersion(), s.Oddity)
	}
}
