package export

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

func readProfile(t testing.TB, data []byte) *profile.Profile {
	t.Helper()
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPprof: the samples add up to the live allocations of the moment, also by family,
// and to the allocations made in the recording.
func TestPprof(t *testing.T) {
	eachSnapshot(t, func(t *testing.T, in []answer.Input) {
		for _, moment := range []answer.Moment{answer.Peak, answer.End} {
			p := readProfile(t, write(t, pprofFormat, in, Options{At: &moment}))
			var got, want [4]int64
			gotFamilies, wantFamilies := map[string]int64{}, map[string]int64{}
			gotStreams, wantStreams := map[string]int64{}, map[string]int64{}
			for _, s := range p.Sample {
				for i, n := range s.Value {
					got[i] += n
				}
				if [4]int64(s.Value) == ([4]int64{}) {
					t.Error("a sample is of nothing")
				}
				gotStreams[s.Label["stream"][0]] += s.Value[allocSpace]
				if n := s.Value[inUseSpace]; n > 0 {
					gotFamilies[s.Label["family"][0]] += n
				}
			}
			for _, r := range in[0].Recordings {
				state, err := moment.State(r)
				if err != nil {
					t.Fatal(err)
				}
				want[inUseObjects] += int64(len(r.Device.Live(nil, state)))
				want[inUseSpace] += r.Device.ActiveBytes()[state]
				for _, a := range r.Device.Allocations[r.Device.PreExisting:] {
					want[allocObjects]++
					want[allocSpace] += a.Size
					wantStreams[hexOf(r.Snapshot.Streams[a.Stream])] += a.Size
				}
				for f, bytes := range r.Families().BytesIn(r.Device, state) {
					if bytes > 0 {
						wantFamilies[families.Family(f).Key()] += bytes
					}
				}
			}
			if got != want {
				t.Errorf("samples add up to %v, want %v", got, want)
			}
			for family, bytes := range wantFamilies {
				if gotFamilies[family] != bytes {
					t.Errorf("%s has %d, want %d", family, gotFamilies[family], bytes)
				}
			}
			for stream, bytes := range wantStreams {
				if gotStreams[stream] != bytes {
					t.Errorf("stream %s has %d, want %d", stream, gotStreams[stream], bytes)
				}
			}
			if len(gotFamilies) != len(wantFamilies) {
				t.Errorf("families are %v, want %v", gotFamilies, wantFamilies)
			}
		}
	})
}

// TestPprofNames: Python functions have their files in their names, and with several
// snapshots samples are labelled with theirs.
func TestPprofNames(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	for i, file := range []string{"/home/ada/model.py", "/home/ada/layers.py"} {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(1+i) << 20, Size: 512,
			Stack: c.Stack(snapshot.FrameText{Name: "at::empty()", File: "??"},
				snapshot.FrameText{Name: "forward", File: file, Line: 7})})
	}
	s := c.Snapshot()
	in := append(input(s), input(testsnap.StateOnly())...)
	in[1].Name = "second.pickle"
	p := readProfile(t, write(t, pprofFormat, in, Options{}))
	names, files := map[string]int{}, map[string]int{}
	for _, sample := range p.Sample {
		for _, l := range sample.Location {
			names[l.Line[0].Function.Name]++
		}
		files[sample.Label["file"][0]]++
	}
	want := map[string]int{"at::empty()": 2, "model.py:forward": 1, "layers.py:forward": 1,
		noStack: files["second.pickle"]}
	if !maps.Equal(names, want) {
		t.Errorf("functions are %v, want %v", names, want)
	}
	if files["snap.pickle"] != 2 || files["second.pickle"] == 0 {
		t.Errorf("samples are of %v", files)
	}
	if one := readProfile(t, write(t, pprofFormat, input(s), Options{})); one.Sample[0].Label["file"] != nil {
		t.Error("samples of one file say which one")
	}
}

// TestPprofTool: go tool pprof shows the profile, by its frames and labels, and the
// difference of two.
func TestPprofTool(t *testing.T) {
	in := input(testsnap.Training())
	dir := t.TempDir()
	file := func(name string, at answer.Moment) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, write(t, pprofFormat, in, Options{At: &at}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	peak, start := file("peak.pb.gz", answer.Peak), file("start.pb.gz", mustMoment(t, "start"))
	run := func(args ...string) string {
		out, err := exec.Command("go", append([]string{"tool", "pprof", "-unit=B"}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.Join(strings.Fields(string(out)), " ")
	}
	for _, tt := range []struct {
		args []string
		want []string
	}{
		{[]string{"-top", peak}, []string{"Type: inuse_space", "100% of "}},
		{[]string{"-top", "-sample_index=alloc_objects", peak}, []string{"Type: alloc_objects"}},
		{[]string{"-top", "-diff_base", start, peak}, []string{"Type: inuse_space"}},
		{[]string{"-tags", peak}, []string{"device: Total", "family: Total", "stream: Total", "phase: Total",
			"site: Total"}},
	} {
		got := run(tt.args...)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("pprof %v has no %q: %s", tt.args, want, got)
			}
		}
	}
	// A profile minus itself is empty.
	if got := run("-top", "-diff_base", peak, peak); !strings.Contains(got, "accounting for 0, 0% of") {
		t.Errorf("the difference of a profile and itself is %s", got)
	}
}

func mustMoment(t testing.TB, text string) answer.Moment {
	t.Helper()
	m, err := answer.ParseMoment(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
