package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// FuzzFuture adds what nobody has written yet to recordings that add up: actions, keys of
// every kind of record, settings, lists at the top level, categories of events, types of
// segments and states of blocks. All of it is counted and named once, in words and in
// JSON, and the recordings add up to the same totals, with the same verdict, as before.
func FuzzFuture(f *testing.F) {
	names := []string{"event_pools.json", "graph_pools.json", "reserve.json", "xpu.json", "npu.json"}
	for i := range names {
		for seed := range uint64(8) {
			f.Add(uint8(i), seed)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, seed uint64) {
		file := soundFile(t, names[int(which)%len(names)])
		before := readJSON(t, file) // in the order of keys that the changed file will have
		x := &future{random: rand.New(rand.NewPCG(seed, 0)), keys: map[string]int{}, actions: map[string]int{}}
		x.addTo(file)
		s := readJSON(t, file)
		s.Oddity.UnknownKeys, s.Oddity.UnknownActions = less(s.Oddity.UnknownKeys, before.Oddity.UnknownKeys),
			less(s.Oddity.UnknownActions, before.Oddity.UnknownActions)
		if got, want := fmt.Sprint(s.Oddity.UnknownKeys), fmt.Sprint(x.keys); got != want {
			t.Errorf("unknown keys %s, want %s", got, want)
		}
		if got, want := fmt.Sprint(s.Oddity.UnknownActions), fmt.Sprint(x.actions); got != want {
			t.Errorf("unknown actions %s, want %s", got, want)
		}
		for _, device := range before.Devices() {
			was, is := replay.Replay(before, device), replay.Replay(s, device)
			a, b := was.Totals, is.Totals
			a.PeakState, b.PeakState = 0, 0 // other events stand between
			if a != b || !is.AddsUp() {
				t.Errorf("%s: totals %+v and %+v; %s", s.DeviceLabel(device), a, b, trust.VerdictOn(is).Why)
			}
			if got, want := trust.VerdictOn(is), trust.VerdictOn(was); got != want || !got.OK {
				t.Errorf("%s: %+v, before %+v", s.DeviceLabel(device), got, want)
			}
			said := ""
			for _, w := range trust.WarningsOn(s, is) {
				said += w.Fact + " " + w.Consequence + "\n"
			}
			if unread := newUnread(&s.Oddity); unread != nil {
				for name, n := range x.keys {
					if unread.Keys[name] != n {
						t.Errorf("JSON has %d of %q, want %d", unread.Keys[name], name, n)
					}
				}
			} else if len(x.keys)+len(x.actions) > 0 {
				t.Error("JSON says that all was understood")
			}
			for _, names := range []map[string]int{x.keys, x.actions} {
				for name := range names {
					if n := strings.Count(said, fmt.Sprintf("%q", name)); n != 1 && len(names) <= 5 {
						t.Errorf("%q is named %d times in\n%s", name, n, said)
					}
				}
			}
		}
	})
}

// less is how much more often each name was seen than before.
func less(seen, before map[string]int) map[string]int {
	rest := map[string]int{}
	for name, n := range seen {
		if n -= before[name]; n != 0 {
			rest[name] = n
		}
	}
	return rest
}

// soundFile is a file of the folder newer, as JSON.
func soundFile(t *testing.T, name string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(answertest.Newer(t), name))
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // addresses are beyond the integers of float64
	var file map[string]any
	if err := decoder.Decode(&file); err != nil {
		t.Fatal(err)
	}
	return file
}

func readJSON(t *testing.T, file any) *snapshot.Snapshot {
	t.Helper()
	data, err := json.Marshal(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(bytes.NewReader(data), int64(len(data)), snapshot.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// future adds to a file what is not known, and counts it.
type future struct {
	random        *rand.Rand
	keys, actions map[string]int
}

// name is one of a few names that mean nothing.
func (x *future) name(of string) string { return fmt.Sprintf("future_%s_%d", of, x.random.IntN(3)) }

// value is a value of any type.
func (x *future) value() any {
	return []any{nil, true, -7, 2.5, "text", []any{}, []any{1, "a"}, map[string]any{"since": 2030},
		[]any{map[string]any{"since": 2030}}}[x.random.IntN(9)]
}

// key adds a key to a record, or not.
func (x *future) key(record any, prefix string) {
	r, ok := record.(map[string]any)
	name := x.name("key")
	if _, has := r[name]; !ok || has || x.random.IntN(3) > 0 {
		return
	}
	r[name] = x.value()
	x.keys[prefix+name]++
}

// valueOf gives a known key of a record a value that means nothing, if what it has now begins so.
func (x *future) valueOf(key string, record any, begins string) {
	r, ok := record.(map[string]any)
	if now, _ := r[key].(string); !ok || !strings.HasPrefix(now, begins) || x.random.IntN(3) > 0 {
		return
	}
	name := strings.TrimPrefix(begins+"_"+x.name(key), "_")
	r[key] = name
	x.keys[key+"="+name]++
}

func (x *future) addTo(file map[string]any) {
	x.key(file, "")
	x.key(file["allocator_settings"], "allocator_settings.")
	segments, _ := file["segments"].([]any)
	for _, seg := range segments {
		x.key(seg, "")
		x.valueOf("segment_type", seg, "")
		record, _ := seg.(map[string]any)
		blocks, _ := record["blocks"].([]any)
		for _, block := range blocks {
			x.key(block, "")
			x.valueOf("state", block, "active")
			x.valueOf("state", block, "inactive")
		}
	}
	traces, _ := file["device_traces"].([]any)
	for i := range traces {
		events, _ := traces[i].([]any)
		for _, event := range events {
			x.key(event, "")
			x.valueOf("category", event, "")
		}
		if len(events) < 2 {
			continue // a recording of nothing stays one
		}
		for range x.random.IntN(4) {
			name := x.name("action")
			x.actions[name]++
			events = slices.Insert(events, x.random.IntN(len(events)+1), any(map[string]any{"action": name,
				"addr": x.random.Int64N(1 << 48), "size": x.random.Int64N(1 << 40), "stream": 0}))
		}
		traces[i] = events
	}
}
