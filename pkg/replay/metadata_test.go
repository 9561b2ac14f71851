package replay_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestNotesOfDicts: metadata that is a dict reads as pairs in the order of the text, and anything else as it
// stands.
func TestNotesOfDicts(t *testing.T) {
	for text, want := range map[string]string{
		`{"epoch":1,"stage":"train"}`:         "epoch=1, stage=train",
		`{"z":null,"a":-2.50,"b":true}`:       "z=null, a=-2.50, b=true",
		`{"in":{"layer":[1, 2]},"out":"{}"}`:  `in={"layer":[1, 2]}, out={}`,
		`{"a":"\u00e9\n<b>"}`:                 "a=é\n<b>",
		`{"a":1,"a":2}`:                       "a=1, a=2",
		`{}`:                                  "",
		"{\"epoch\":1}\nmallocWithAddress":    "epoch=1; mallocWithAddress", // as torch before 2.15 appends it
		`{"epoch":1`:                          `{"epoch":1`,
		`{"epoch":}`:                          `{"epoch":}`,
		`{epoch: 1}`:                          `{epoch: 1}`,
		`["epoch"]`:                           `["epoch"]`,
		`epoch 1`:                             `epoch 1`,
		``:                                    ``,
		"{" + strings.Repeat(`"k":{`, 20_000): "{" + strings.Repeat(`"k":{`, 20_000),
		`{"k":` + strings.Repeat("[", 20_000) + `1`:        `{"k":` + strings.Repeat("[", 20_000) + `1`,
		`{"long":"` + strings.Repeat("x", 100_000) + `"}`:  "long=" + strings.Repeat("x", 100_000),
		`{"epoch":1, "stage":"train"}` + " \n" + `{"a":1}`: `epoch=1, stage=train; {"a":1}`,
	} {
		notes, a := notesOf(text)
		if got := notes.Of(a); got != want {
			t.Errorf("%.60q reads %.60q, want %.60q", text, got, want)
		}
	}
}

// notesOf are the notes of an allocation that was made with the first text and annotated with the others.
func notesOf(texts ...string) (*replay.Notes, *replay.Allocation) {
	c := snapshot.NewComposer(snapshot.Format{HasTraces: true})
	action, size := snapshot.Alloc, int64(512)
	for _, text := range texts {
		c.Event(0, snapshot.EventText{Action: action, Addr: 512, Size: size, Metadata: text})
		action, size = snapshot.Annotate, 0
	}
	s := c.Snapshot()
	d := replay.Replay(s, 0)
	return d.Notes(s), &d.Allocations[0]
}

// TestValuesOfDicts: the last of several values of a key counts, and text that is not a dict
// has none.
func TestValuesOfDicts(t *testing.T) {
	notes, a := notesOf(`{"epoch":1,"stage":"train"}`, "weights", `{"stage":"eval","owner":null}`, `{"epoch":1}`)
	for key, want := range map[string]string{"epoch": "1", "stage": "eval", "owner": "null", "weights": "", "": ""} {
		if got := notes.Value(a, key); got != want {
			t.Errorf("%s=%s, want %s", key, got, want)
		}
	}
	keys := notes.Keys()
	slices.Sort(keys)
	if want := []string{"epoch", "owner", "stage"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	if got, want := notes.Added(a), "weights; stage=eval, owner=null; epoch=1"; got != want {
		t.Errorf("annotations %q, want %q", got, want)
	}
}
