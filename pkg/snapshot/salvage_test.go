package snapshot

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// readPart reads with Salvage.
func readPart(data []byte) (*Snapshot, error) {
	return ReadWith(bytes.NewReader(data), int64(len(data)), Options{Salvage: true})
}

// TestSalvageEveryCut cuts a file at every byte (and every fifth). What is read is the beginning
// of what the whole file holds, it never shrinks, and it misses one event at
// most of those that are whole.
func TestSalvageEveryCut(t *testing.T) {
	for protocol, step := range map[int]int{2: 5, 4: 1} {
		data := write(t, small(), protocol)
		whole := readWay(t, data, wayStream)
		last := 0
		for cut := len(data) % step; cut < len(data); cut += step {
			s, err := readPart(data[:cut])
			if err != nil {
				if last > 0 || s != nil {
					t.Fatalf("cut at %d of %d: %v, after %d events before", cut, len(data), err, last)
				}
				continue
			}
			if s.Salvaged == nil || s.Salvaged.At > int64(cut) || !errors.Is(s.Salvaged.Err, pickle.ErrTruncated) ||
				s.Salvaged.Events < last {
				t.Fatalf("cut at %d: %+v after %d events before", cut, s.Salvaged, last)
			}
			last = s.Salvaged.Events
			requirePart(t, cut, s, whole)
		}
		if last != 7 {
			t.Errorf("protocol %d: near its end, %d events are read of 7", protocol, last)
		}
	}
}

// TestSalvageOther cuts files that are read through gopickle when they are whole.
func TestSalvageOther(t *testing.T) {
	for name, tt := range map[string]struct {
		data []byte
		step int
	}{
		"tagged":     {encoding(t, "story.cpp-tagged.pickle"), 17},
		"protocol 0": {encoding(t, "story.protocol0.pickle"), 11},
		"protocol 1": {encoding(t, "story.protocol1.pickle"), 11},
	} {
		whole := readWay(t, tt.data, wayGopickle)
		last, all := 0, 0
		for i := range whole.Traces {
			all += whole.Traces[i].Events.Len()
		}
		for cut := len(tt.data) % tt.step; cut < len(tt.data); cut += tt.step {
			s, err := readPart(tt.data[:cut])
			if err != nil {
				if last > 0 || s != nil {
					t.Fatalf("%s, cut at %d of %d: %v, after %d events before", name, cut, len(tt.data), err, last)
				}
				continue
			}
			if s.Salvaged == nil || s.Salvaged.At > int64(cut) || s.Salvaged.Events < last {
				t.Fatalf("%s, cut at %d: %+v after %d events before", name, cut, s.Salvaged, last)
			}
			last = s.Salvaged.Events
			requirePart(t, cut, s, whole)
		}
		if last != all {
			t.Errorf("%s: near its end, %d events are read of %d", name, last, all)
		}
	}
}

func encoding(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/encodings/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// requirePart compares what was salvaged with the whole.
func requirePart(t *testing.T, cut int, s, whole *Snapshot) {
	t.Helper()
	for i := range s.Traces {
		got, want := describeEvents(s, i), describeEvents(whole, i)
		if !strings.HasPrefix(want, got) {
			t.Fatalf("cut at %d: device %d has\n%s\nwhich is not how the whole begins:\n%s", cut, i, got, want)
		}
		if device := s.Traces[i].Device; len(got) < len(want) &&
			(s.Salvaged.From == NoDevice || device < s.Salvaged.From) {
			t.Fatalf("cut at %d: nothing says that events of device %d are missing: %+v", cut, i, s.Salvaged)
		}
	}
	for i := range s.Segments {
		if !s.EndKnown(s.Segments[i].Device) && len(s.Traces) > 0 {
			t.Fatalf("cut at %d: a segment of device %d stayed, whose end is not known: %+v", cut, s.Segments[i].Device,
				s.Salvaged)
		}
		if !strings.Contains(describe(whole), strings.SplitN(describe(s), "device", 2)[0]) {
			t.Fatalf("cut at %d: the segments are none of the whole: %s", cut, describe(s))
		}
	}
}

// describeEvents are the events of a trace in words. The optional columns that
// the cut part has not are left out of the whole, too.
func describeEvents(s *Snapshot, trace int) string {
	part := *s
	part.Segments, part.Settings, part.Annotations = nil, nil, nil
	part.Traces = s.Traces[trace : trace+1]
	return describe(&part)
}

// TestSalvageEnd: torch writes the final segments first. Of a device whose
// events are not whole they are of another moment, and go.
func TestSalvageEnd(t *testing.T) {
	data := write(t, small(), 4)
	at := func(text string) int {
		i := bytes.Index(data, []byte(text))
		if i < 0 {
			t.Fatalf("the file has no %q", text)
		}
		return i
	}
	for _, tt := range []struct {
		name     string
		cut      int
		from     DeviceID
		segments int
		end0     bool // whether the end of device 0 is known
		end2     bool
	}{
		{"among the events of device 0", at("logits"), 0, 1, false, true},
		{"among the settings", at("PYTORCH_CUDA_ALLOC_CONF"), NoDevice, 2, true, true},
		{"among the annotations", at("stage") + 3, NoDevice, 2, true, true},
		{"in the last byte", len(data) - 1, NoDevice, 2, true, true},
	} {
		s, err := readPart(data[:tt.cut])
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if s.Salvaged.From != tt.from || len(s.Segments) != tt.segments || s.EndKnown(0) != tt.end0 ||
			s.EndKnown(2) != tt.end2 {
			t.Errorf("%s: %+v, %d segments", tt.name, s.Salvaged, len(s.Segments))
		}
	}
}

// TestSalvageDamage breaks one byte of a file in place of cutting it.
func TestSalvageDamage(t *testing.T) {
	data := write(t, small(), 4)
	at := bytes.Index(data, []byte("logits"))
	for name, opcode := range map[string]byte{"no such opcode": 0xff, "one of the other way": '0',
		"a mark too few": 'e', "a global": 0x93} {
		broken := bytes.Clone(data)
		broken[at+len("logits")] = opcode // in place of its MEMOIZE
		if _, err := Read(bytes.NewReader(broken), int64(len(broken)), pickle.Limits{}); err == nil {
			t.Errorf("%s: it was read as if nothing were wrong", name)
		}
		s, err := readPart(broken)
		if err != nil || s.Salvaged.Events != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSalvageRefuses what cannot be a part of a snapshot.
func TestSalvageRefuses(t *testing.T) {
	for name, data := range map[string]string{
		"text":      "hello, world",
		"a command": "\x80\x02cos\nsystem\n.",
		"no events": "\x80\x04}(\x8c\x08segments](",
		"a model":   "\x80\x04}(\x8c\x05modelK\x01",
	} {
		if s, err := readPart([]byte(data)); err == nil {
			t.Errorf("%s: %+v", name, s.Salvaged)
		}
	}
}

// TestDamagedCountsEvents: without Salvage the error says what there is to gain.
func TestDamagedCountsEvents(t *testing.T) {
	data := write(t, small(), 4)
	broken := bytes.Clone(data)
	broken[bytes.Index(data, []byte("logits"))+len("logits")] = 0xff
	for name, tt := range map[string]struct {
		data   []byte
		limits pickle.Limits
		events int
	}{
		"cut":         {data[:len(data)-1], pickle.Limits{}, 7},
		"damaged":     {broken, pickle.Limits{}, 2},
		"over limits": {data, pickle.Limits{Memo: 75}, 3},
	} {
		_, err := Read(bytes.NewReader(tt.data), int64(len(tt.data)), tt.limits)
		var damaged *Damaged
		if !errors.As(err, &damaged) || damaged.Events != tt.events {
			t.Errorf("%s: got %v, want %d events", name, err, tt.events)
		}
	}
}

// TestSalvageZip cuts zips in their list of files, and so after the pickle: all of it is
// read, and that something is missing is said. Without Salvage the error says how much
// there is to salvage.
func TestSalvageZip(t *testing.T) {
	for _, name := range []string{"story.protocol0", "story.protocol2", "story.protocol4", "story.cpp-tagged"} {
		data, err := os.ReadFile(filepath.Join("testdata", "encodings", name+".pickle"))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := Read(bytes.NewReader(data), int64(len(data)), pickle.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range []uint16{zip.Store, zip.Deflate} {
			var file bytes.Buffer
			z := zip.NewWriter(&file)
			w, err := z.CreateHeader(&zip.FileHeader{Name: "snapshot.pickle", Method: method})
			if err == nil {
				_, err = w.Write(data)
			}
			if err = errors.Join(err, z.Close()); err != nil {
				t.Fatal(err)
			}
			cut := file.Bytes()[:file.Len()-30]
			s, err := readPart(cut)
			if err != nil || s.Salvaged == nil || s.Traces[0].Events.Len() != whole.Traces[0].Events.Len() {
				t.Errorf("%s, method %d: %v", name, method, err)
				continue
			}
			_, err = Read(bytes.NewReader(cut), int64(len(cut)), pickle.Limits{})
			if d := new(Damaged); !errors.As(err, &d) || d.Events != s.Salvaged.Events || d.Events == 0 {
				t.Errorf("%s, method %d: %v, and %d events can be read", name, method, err, s.Salvaged.Events)
			}
		}
	}
}
