package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Limits for any input: the costliest one takes 2.5 s of CPU time and 258 MiB. A slow
// and busy machine needs several times as much; a successful attack would take hours.
const (
	hostileTime   = time.Minute
	hostileMemory = 512 << 20
)

// A hostileInput is generated each time it is read. None is held in memory, because
// Linux starts a child's peak with the memory of its parent.
type hostileInput interface{ reader() io.Reader }

// whole is an input given in full.
type whole string

func (w whole) reader() io.Reader { return strings.NewReader(string(w)) }

// again is a text followed by another one, repeated.
type again struct {
	begin, text string
	times       int
	end         string
}

func (a again) reader() io.Reader {
	block := strings.Repeat(a.text, 1000)
	parts := []io.Reader{strings.NewReader(a.begin)}
	for range a.times / 1000 {
		parts = append(parts, strings.NewReader(block))
	}
	return io.MultiReader(append(parts, strings.NewReader(strings.Repeat(a.text, a.times%1000)+a.end))...)
}

// counted is many texts, each with a number in it.
type counted struct {
	begin, format string
	times         int
	end           string
}

func (c counted) reader() io.Reader {
	return io.MultiReader(strings.NewReader(c.begin), &numbers{format: c.format, times: c.times},
		strings.NewReader(c.end))
}

// numbers is a text with the numbers from 0 to below times.
type numbers struct {
	format      string
	next, times int
	rest        []byte
}

func (n *numbers) Read(b []byte) (int, error) {
	for ; len(n.rest) < len(b) && n.next < n.times; n.next++ {
		n.rest = fmt.Appendf(n.rest, n.format, n.next)
	}
	if len(n.rest) == 0 {
		return 0, io.EOF
	}
	read := copy(b, n.rest)
	n.rest = n.rest[:copy(n.rest, n.rest[read:])]
	return read, nil
}

const (
	million = 1_000_000
	// traces begins a snapshot of one device with an alloc. Its key and its name
	// are memo entries 0 and 1.
	traces = "\x80\x04}(\x8c\x0ddevice_traces](](}(\x8c\x06action\x94\x8c\x05alloc\x94u"
	// stacked begins one with an alloc whose frame and stack are memo entries 3 and 4.
	stacked = "\x80\x04}(\x8c\x0ddevice_traces](](}(\x8c\x06action\x94\x8c\x05alloc\x94\x8c\x06frames\x94](" +
		"}(\x8c\x04name\x8c\x01f\x8c\x08filename\x8c\x04a.py\x8c\x04lineK\x01u\x94"
	slow = "\x80\x02N0" // POP makes Stream hand over to Load
)

// doubled is a list of two lists of two lists and so on.
func doubled(times int) string {
	text := "]\x94"
	for i := range times {
		text += fmt.Sprintf("](h%ch%ce\x94", i, i)
	}
	return text
}

// TestHostile runs the program on inputs that ask for far more than their size, through
// a pipe, and packed where that makes them far smaller. It must end soon, stay small,
// and say why.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("memory is measured, of which a program with the race detector takes several times as much")
	}
	long := strings.Repeat("a", 15<<20)
	for _, tt := range []struct {
		name string
		in   hostileInput
		says string // error; "": it is read
	}{
		{"10^8 lists", again{"\x80\x04", "]", 100 * million, "."}, "--limit memory=N"},
		{"10^8 marks", again{"\x80\x04", "(", 100 * million, "."}, "more than 256 containers inside one another"},
		{"10^8 memo entries", again{"\x80\x04]", "\x94", 100 * million, "."}, "--limit memory=N"},
		{"10^8 tuples", again{"\x80\x04)", "\x85", 100 * million, "."}, "--limit memory=N"},
		{"10^7 frames of nothing", again{"\x80\x04", "\x95\x00\x00\x00\x00\x00\x00\x00\x00", 10 * million, "N."},
			"not a memory snapshot"},
		{"10^6 lists inside one another", again{"\x80\x04]", "]", million, strings.Repeat("a", million) + "."},
			"--limit memory=N"},
		{"10^6 dicts inside one another", again{"\x80\x04}", "K\x01}", million, strings.Repeat("s", million) + "."},
			"--limit memory=N"},
		{"10^6 tuples inside one another", again{"\x80\x04)", "\x85", million, "."}, "--limit memory=N"},
		{"10^6 lists of the other way", again{slow + "]", "]", million, strings.Repeat("a", million) + "."},
			"more than 256 containers"},
		{"10^6 keys in one dict", again{"\x80\x04}", "K\x01Ns", million, "."}, "without segments"},
		{"a memo index of 2^31", whole("\x80\x02]r\x00\x00\x00\x80."), "--limit memo=N"},
		{"a string of 2^40 bytes", whole("\x80\x04\x8d\x00\x00\x00\x00\x00\x01\x00\x00."), "--limit string=N"},
		{"bytes of 2^40 bytes", whole("\x80\x04\x8e\x00\x00\x00\x00\x00\x01\x00\x00."), "--limit string=N"},
		{"an integer of 2^31 bytes", whole("\x80\x02\x8b\xff\xff\xff\x7f."), "--limit string=N"},
		{"a frame of 2^40 bytes", whole(slow + "\x95\x00\x00\x00\x00\x00\x01\x00\x00."),
			"a frame of 1099511627776 bytes"},
		{"a long string a million times",
			again{slow + "(X" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(long)))) + long + "q\x00",
				"h\x00", million, "l."},
			"long strings are repeated"},
		{"lists that double 60 times",
			whole("\x80\x04}(\x8c\x08segments]\x8c\x12allocator_settings" + doubled(60) + "u."), ""},
		{"a list in itself", whole("\x80\x04}\x94(\x8c\x08segments]\x94h\x01a\x8c\x0ddevice_tracesh\x01u."),
			"no segment or event that can be read (device_traces, segments)"},
		{"a stack shared a million times", again{stacked + "e\x94u", "}(h\x00h\x01h\x02h\x04u", million, "eeu."}, ""},
		{"a stack of 10^6 frames", again{stacked, "h\x03", million, "eueeu."}, ""},
		{"a stack that grows by one", again{stacked + "e", "h\x03a", million, "ueeu."},
			"stacks that grow frame by frame"},
		{"10^7 small events", again{traces, "}h\x00h\x01s", 10 * million, "eeu."}, "--limit memory=N"},
		{"one event 10^7 times", again{traces + "\x94", "h\x02", 10 * million, "eeu."}, "--limit memory=N"},
		{"10^6 devices", again{"\x80\x04}(\x8c\x0ddevice_traces](", "]", million, "eu."}, ""},
		{"dicts of the same 250 values",
			counted{
				"\x80\x04}(\x8c\x0ddevice_traces](](}(\x8c\x06action\x94\x8c\x05alloc\x94\x8c\x0duser_metadata\x94" +
					"}(" + strings.Repeat("NN", 250) + "u\x94u", "}(h\x00h\x01h\x02}(\x8c\x07%07dh\x03uu", 100_000,
				"eeu."}, ""},
		{"the same settings 10^6 times",
			again{"\x80\x04}(\x8c\x12allocator_settings\x94}(" + strings.Repeat("NN", 250) + "u\x94", "h\x00h\x01",
				million, "\x8c\x08segments]u."}, ""},
		{"900,000 memo entries of the other way", again{slow + "](", "]\x94", 900_000, "e."}, "not a memory snapshot"},
		{"5,000,000 memo entries of the other way", again{slow + "](", "]\x94", 5 * million, "e."}, "--limit memory=N"},
		{"4,000,000 texts of protocol 0", again{"(lp0\n", "Vtext\\u1234\na", 4 * million, "."}, "--limit memory=N"},
		{"10^6 arrays inside one another", again{`{"segments":`, "[", million, strings.Repeat("]", million) + "}"},
			"more than 256 containers inside one another"},
		{"10^6 objects inside one another",
			again{`{"segments":`, `{"a":`, million, "0" + strings.Repeat("}", million+1)},
			"more than 256 containers inside one another"},
		{"10^7 distinct strings in JSON", counted{`{"segments":[`, `"%07d",`, 10 * million, `0]}`}, "--limit memory=N"},
		{"10^7 distinct keys in JSON", counted{`{"segments":[],"a":{`, `"%07d":0,`, 10 * million, `"":0}}`},
			"--limit memory=N"},
		{"10^8 numbers in JSON", again{`{"segments":[`, "1,", 100 * million, `0]}`}, "--limit memory=N"},
		{"10^8 empty arrays in JSON", again{`{"segments":[`, "[],", 100 * million, `0]}`}, "--limit memory=N"},
		{"a string of 10^8 characters in JSON", again{`{"segments":["`, "a", 100 * million, `"]}`}, "--limit string=N"},
		{"a number of 10^8 digits in JSON", again{`{"segments":[`, "1", 100 * million, `]}`},
			"a number of more than 512 digits"},
		{"10^8 spaces in JSON", again{`{"segments":[`, " ", 100 * million, `]}`}, ""},
		{"300,000 names of annotations",
			counted{
				"\x80\x04}(\x8c\x0ddevice_traces](](}(\x8c\x06action\x8c\x05alloc\x8c\x07time_usK\x01uee\x8c\x14external_annotations](" +
					"}(\x8c\x05stage\x94\x8c\x05START\x94\x8c\x04name\x94\x8c\x01a\x8c\x07time_us\x94K\x01u",
				"}(h\x00h\x01h\x02\x8c\x07%07dh\x03K\x01u", 300_000, "eu."}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := exec.Command("memviz", "stats", "-")
			c.Stdin = tt.in.reader()
			requireHarmless(t, "pipe", c, tt.says)
			if bomb, ok := tt.in.(again); ok && bomb.times >= 10*million {
				packed := filepath.Join(t.TempDir(), "packed.gz")
				gzipped(t, packed, tt.in.reader())
				requireHarmless(t, "packed", exec.Command("memviz", "stats", packed), tt.says)
			}
		})
	}
}

func gzipped(t *testing.T, path string, in io.Reader) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(z, in); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// requireHarmless runs the program. A packed input may be refused sooner, for
// what it unpacks to.
func requireHarmless(t *testing.T, name string, c *exec.Cmd, says string) {
	t.Helper()
	var stderr bytes.Buffer
	c.Stderr = &stderr
	err := c.Run()
	took := c.ProcessState.UserTime() + c.ProcessState.SystemTime() // CPU time, which other programs hardly affect
	peak := int64(0)
	if used, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = used.Maxrss << 10
	}
	switch text := stderr.String(); {
	case took > hostileTime || peak > hostileMemory:
		t.Errorf("%s: %v and %d MiB", name, took, peak>>20)
	case name == "packed" && strings.Contains(text, "--limit ratio=N"):
	case says == "" && err != nil:
		t.Errorf("%s: %s", name, text)
	case says != "" && (err == nil || c.ProcessState.ExitCode() != exitError || !strings.Contains(text, says) ||
		strings.Contains(text, "goroutine")):
		t.Errorf("%s: %v, and %q does not say %q", name, err, text, says)
	}
	t.Logf("%s: %v, %d MiB", name, took.Round(time.Millisecond), peak>>20)
}
