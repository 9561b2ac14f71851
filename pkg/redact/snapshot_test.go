package redact

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// secret is in every text of secretSnapshot.
const secret = "zebra"

// secretSnapshot has the secret in every text that a file can hold.
func secretSnapshot() *snapshot.Snapshot {
	c := snapshot.NewComposer(snapshot.Format{HasTime: true})
	stack := c.Stack(
		snapshot.FrameText{Name: "zebra::kernel<at::Tensor, zebra::Policy>(at::Tensor const&)"},
		snapshot.FrameText{File: "/build/zebra/csrc/zebra.cu", Line: 3, Name: "launch_zebra"},
		snapshot.FrameText{File: "/home/zebra/.venv/lib/python3.12/site-packages/torch/nn/modules/linear.py", Line: 125,
			Name: "forward"},
		snapshot.FrameText{File: "/home/zebra/.venv/lib/python3.12/site-packages/zebra/model.py", Line: 1,
			Name: "Zebra.zebra_attention"},
		snapshot.FrameText{File: `C:\Users\zebra\zebra.py`, Line: 1, Name: "zebra"},
		snapshot.FrameText{File: "<attrs generated init zebra.Config>", Line: 1, Name: "__init__"},
		snapshot.FrameText{File: "/tmp/torchinductor_zebra/fx/czebra.py", Line: 1, Name: "triton_zebra"},
	)
	label := c.Stack(snapshot.FrameText{File: "the zebra's step", Name: "START"})
	c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: 512, Size: 512, Stack: stack, Context: "zebra 0/0",
		Metadata: `{"run":"zebra"}`})
	c.Event(0, snapshot.EventText{Action: snapshot.UserDefined, Stack: label})
	c.Event(0, snapshot.EventText{Action: snapshot.FirstUnknownAction})
	c.Annotation("Optimizer.step#Zebra.step", true, 5)
	c.Annotation("zebra", true, 5)
	c.Text("a zebra that nothing refers to")
	s := c.Snapshot()
	s.ActionNames = []string{"zebra_alloc"}
	s.Settings = []snapshot.Setting{{Key: "zebra.key", Value: "zebra:/home/zebra,max_split_size_mb:128"},
		{Key: "max_split_size", Value: "-1"}}
	s.Oddity.UnknownActions = map[string]int{"zebra_alloc": 1}
	s.Oddity.UnknownKeys = map[string]int{"zebra_key": 1}
	return s
}

// textsOf yields every string in a value, also in fields that are not exported.
func textsOf(v reflect.Value, path string, yield func(path, text string)) {
	switch v.Kind() {
	case reflect.String:
		yield(path, v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			textsOf(v.Elem(), path, yield)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			textsOf(v.Field(i), path+"."+v.Type().Field(i).Name, yield)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			textsOf(v.Index(i), path+"[]", yield)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			textsOf(key, path+" key", yield)
			textsOf(v.MapIndex(key), path+" value", yield)
		}
	}
}

// fieldsWithText are where the model holds a text. A new one fails this test
// until it is renamed in snapshot.go and listed here.
var fieldsWithText = []string{
	".Strings[]", ".ActionNames[]", ".Settings[].Key", ".Settings[].Value", ".Format.Way",
	".Oddity.UnknownKeys key", ".Oddity.UnknownActions key",
	".Oddity.WrongTypes key", // names that this program gives
}

func TestNoTextSurvives(t *testing.T) {
	before := 0
	textsOf(reflect.ValueOf(secretSnapshot()), "", func(_, text string) {
		if strings.Contains(strings.ToLower(text), secret) {
			before++
		}
	})
	s := secretSnapshot()
	(&Options{Paths: true, Names: true, Salt: []byte("salt")}).Snapshot(s)
	texts := 0
	textsOf(reflect.ValueOf(s), "", func(path, text string) {
		texts++
		if strings.Contains(strings.ToLower(text), secret) {
			t.Errorf("%s is still %q", path, text)
		}
	})
	if before < 15 || texts < before {
		t.Errorf("%d secrets in, %d texts out: the walk misses some", before, texts)
	}
}

// The types of the model hold texts where they are known to be, and ids of texts
// in the columns that are renamed.
func TestEveryTextOfTheModelIsKnown(t *testing.T) {
	known := map[string]bool{}
	for _, path := range fieldsWithText {
		known[path] = true
	}
	ids := map[string]bool{
		".Frames[].Name": true, ".Frames[].File": true, ".Annotations[].Name": true,
		".Traces[].Events.CompileContext[]": true, ".Traces[].Events.Metadata[]": true,
	}
	var walk func(typ reflect.Type, path string)
	walk = func(typ reflect.Type, path string) {
		switch {
		case typ == reflect.TypeFor[snapshot.StringID]():
			if !ids[path] {
				t.Errorf("%s is the id of a text that nobody renames", path)
			}
			delete(ids, path)
		case typ.Kind() == reflect.String:
			if !known[path] {
				t.Errorf("%s is a text that nobody renames", path)
			}
			delete(known, path)
		case typ.Kind() == reflect.Struct:
			for i := range typ.NumField() {
				walk(typ.Field(i).Type, path+"."+typ.Field(i).Name)
			}
		case typ.Kind() == reflect.Slice || typ.Kind() == reflect.Array || typ.Kind() == reflect.Pointer:
			walk(typ.Elem(), path+"[]")
		case typ.Kind() == reflect.Map:
			walk(typ.Key(), path+" key")
			walk(typ.Elem(), path+" value")
		}
	}
	walk(reflect.TypeFor[snapshot.Snapshot](), "")
	if len(known)+len(ids) > 0 {
		t.Errorf("the model has no %v %v", known, ids)
	}
}

// conclusions are what rules make of a snapshot, without its names.
func conclusions(s *snapshot.Snapshot) string {
	var b strings.Builder
	source := analysis.NewSource(s)
	stacks := source.Stacks
	for _, id := range s.Devices() {
		d := replay.Replay(s, id)
		r := analysis.NewRecording(source, d)
		families := r.Families()
		for i := range d.Allocations {
			fmt.Fprint(&b, families.Rules[i], " ")
		}
		steps := r.Steps()
		fmt.Fprintln(&b, r.Phases(), steps.Method, steps.Boundaries, oom.CapacityOf(r.Device, 0))
		for _, a := range r.Annotations() {
			fmt.Fprintln(&b, a.From, a.To, a.Lane, a.NoStart, a.NoEnd)
		}
	}
	fmt.Fprintln(&b, stacks.FrameClass, stacks.SiteFrame, stacks.Backward, stacks.Named, layout.SettingsOf(s))
	return b.String()
}

func TestConclusionsStayTheSame(t *testing.T) {
	for _, path := range testkit.Snapshots(t) {
		open := func() *snapshot.Snapshot {
			s, err := snapshot.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		want := conclusions(open())
		for _, o := range []Options{{Paths: true}, {Names: true}, {Paths: true, Names: true}} {
			o.Salt = NewSalt()
			s := open()
			o.Snapshot(s)
			if conclusions(s) != want {
				t.Errorf("%s: rules conclude something else after %+v", path, s.Redaction)
			}
		}
	}
}
