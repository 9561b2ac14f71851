package job_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	. "github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

func TestNotDigests(t *testing.T) {
	for _, text := range []string{"", "{}", `{"schema":"memviz.ranks/1"}`, "text", "\x80\x02}."} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if ok, err := new(DigestSet).ReadFile(path); ok || err != nil {
			t.Errorf("%q: %v, %v", text, ok, err)
		}
	}
	if _, err := new(DigestSet).ReadFile(filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a file that is missing was read")
	}
}

func TestNewerSchema(t *testing.T) {
	text := line(t, sample(0)) + strings.Replace(line(t, sample(1)), "memviz.digest/1", "memviz.digest/2", 1)
	err := new(DigestSet).Read(strings.NewReader(text), "job.jsonl")
	want := "line 2 of job.jsonl: the digest has the schema memviz.digest/2, and this memviz reads memviz.digest/1: " +
		"use a newer one"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestHostile changes a good digest in ways that would harm who trusts it.
func TestHostile(t *testing.T) {
	for name, change := range map[string]func(*Digest){
		"short curve":        func(d *Digest) { d.Curves.Min = d.Curves.Min[1:] },
		"no curve":           func(d *Digest) { d.Curves.Reserved = nil },
		"long family":        func(d *Digest) { d.Curves.Families[0] = make([]int16, 5000) },
		"families":           func(d *Digest) { d.Curves.Families = d.Curves.Families[1:] },
		"families at peak":   func(d *Digest) { d.PeakFamilies = nil },
		"below zero":         func(d *Digest) { d.Curves.Max[0] = -1 },
		"above the peak":     func(d *Digest) { d.Curves.Max[0] = 4097 },
		"columns":            func(d *Digest) { d.Curves.PerStep = 1 << 40 },
		"no columns":         func(d *Digest) { d.Curves.PerStep, d.Curves.FewPerStep = 0, 0 },
		"odd columns":        func(d *Digest) { d.Curves.FewPerStep-- },
		"peak":               func(d *Digest) { d.PeakBytes = -1 },
		"final":              func(d *Digest) { d.FinalBytes = d.PeakBytes + 1 },
		"state":              func(d *Digest) { d.PeakState = d.Events + 1 },
		"rank":               func(d *Digest) { d.Name.Rank = -1 },
		"device":             func(d *Digest) { d.Device = -2 },
		"sites":              func(d *Digest) { d.Sites = make([]Site, MaxSites+1) },
		"family of a site":   func(d *Digest) { d.Sites[0].Family = 14 },
		"key":                func(d *Digest) { d.Sites[0].Path = "../../etc/passwd" },
		"bytes of a site":    func(d *Digest) { d.Sites[0].Peak.Bytes = -5 },
		"text":               func(d *Digest) { d.Sites[0].Site = strings.Repeat("x", MaxText+1) },
		"steps":              func(d *Digest) { d.Steps = make([]Step, MaxSteps+1) },
		"steps seen":         func(d *Digest) { d.StepsSeen = len(d.Steps) - 1 },
		"order of steps":     func(d *Digest) { d.Steps[0].End = -1 },
		"end of steps":       func(d *Digest) { d.StepEnd = new(1 << 40) },
		"anomaly":            func(d *Digest) { d.Anomalies = map[string]int{"<b>": 1} },
		"requests":           func(d *Digest) { d.OOMs = make([]OOM, MaxOOMs+1) },
		"state of a request": func(d *Digest) { d.OOMs[0].State = -1 },
		"leaks":              func(d *Digest) { d.Leaks = make([]Leak, MaxLeaks+1) },
		"settings":           func(d *Digest) { d.Settings = make([][2]string, MaxSettings+1) },
	} {
		d := sample(3)
		change(&d)
		got := readAll(t, line(t, d))
		if len(got) != 1 || got[0].Error == "" || got[0].Events > 0 || got[0].Name.Rank > 3 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if d := sample(3); len(d.Steps) == 0 || len(d.OOMs) == 0 || readAll(t, line(t, d))[0].Error != "" {
		t.Error("the digest was not good before")
	}
}

// TestBombs: lines that would take much memory take little.
func TestBombs(t *testing.T) {
	start := string(LineStart) + `1","sites":[`
	for name, text := range map[string]string{
		"endless line": start + strings.Repeat(" ", 64<<20),
		"objects":      start + strings.Repeat("{},", MaxLine/3-100),
		"nesting":      start + strings.Repeat("[", 1<<19),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := readAll(t, text)
		runtime.ReadMemStats(&after)
		if len(got) != 1 || got[0].Error == "" {
			t.Errorf("%s: %d digests", name, len(got))
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 16<<20 {
			t.Errorf("%s takes %d bytes", name, taken)
		}
	}
	small := line(t, Digest{Schema: DigestSchema})
	var many strings.Builder
	for i := range MaxDigests + 1 {
		many.WriteString(strings.Replace(small, `"path":""`, fmt.Sprintf(`"path":"%d"`, i), 1))
	}
	err := new(DigestSet).Read(strings.NewReader(many.String()), "x")
	if err == nil || !strings.Contains(err.Error(), "16384") {
		t.Errorf("more digests than there may be: %v", err)
	}
}

// manyLines are digests of as many ranks, as one file.
func manyLines(t testing.TB, ranks int) []byte {
	in := answer.NewInput("crowd", crowd(20, 40))
	d := DigestOf(in.Recordings[0])
	var file bytes.Buffer
	for rank := range ranks {
		d.Name, d.File = Name{Rank: rank}, File{Path: fmt.Sprint(rank), SHA256: fmt.Sprint(rank)}
		if err := WriteDigests(&file, &d); err != nil {
			t.Fatal(err)
		}
	}
	return file.Bytes()
}

// TestMemory: a rank takes less memory than its line, and keeps nothing of the line
// alive.
func TestMemory(t *testing.T) {
	const ranks = 500
	file := manyLines(t, ranks)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	var s DigestSet
	if err := s.Read(bytes.NewReader(file), "job"); err != nil {
		t.Fatal(err)
	}
	list := s.Digests()
	taken := (heap() - before) / ranks
	if len(list) != ranks || taken > int64(len(file)/ranks) || taken > 40<<10 {
		t.Errorf("%d bytes for each of %d ranks, whose lines have %d", taken, len(list), len(file)/ranks)
	}
	runtime.KeepAlive(file)
}

func BenchmarkRead(b *testing.B) {
	file := manyLines(b, 1024)
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		var s DigestSet
		if err := s.Read(bytes.NewReader(file), "job"); err != nil || len(s.Digests()) != 1024 {
			b.Fatal(err)
		}
	}
}

// FuzzRead: whatever is read can be written, and is the same when it is read again.
func FuzzRead(f *testing.F) {
	in := answer.NewInput("snapshot", testsnap.Training())
	for _, d := range []Digest{DigestOf(in.Recordings[0]), {Schema: DigestSchema, Error: "it is empty"}} {
		var text bytes.Buffer
		if err := WriteDigests(&text, &d); err != nil {
			f.Fatal(err)
		}
		f.Add(text.Bytes())
		f.Add(append(text.Bytes()[:text.Len()/2], text.Bytes()...))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var s DigestSet
		if s.Read(bytes.NewReader(text), "fuzz") != nil {
			return
		}
		var again bytes.Buffer
		list := slices.DeleteFunc(s.Digests(), func(d Digest) bool { return d.Error != "" })
		for i := range list {
			list[i].MaxBytes()
			list[i].MinBytes()
			list[i].ReservedBytes()
			for family := range list[i].PeakFamilies {
				list[i].FamilyBytes(family)
			}
			if err := WriteDigests(&again, &list[i]); err != nil {
				t.Fatal(err)
			}
		}
		var other DigestSet
		if err := other.Read(&again, "fuzz"); err != nil {
			t.Fatal(err)
		}
		if got := other.Digests(); len(got) != len(list) || len(got) > 0 && !reflect.DeepEqual(got, list) {
			t.Errorf("%+v\nand when they are read again %+v", list, got)
		}
	})
}
