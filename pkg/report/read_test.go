package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/report/codec"
	"github.com/memviz-go/memviz/pkg/report/frame"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// bytesOf is the file of a document.
func bytesOf(t testing.TB, d *Document) []byte {
	t.Helper()
	var page bytes.Buffer
	if _, err := d.WriteTo(&page); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

// checkReadAgain: what is read and written again has the same bytes.
func checkReadAgain(t testing.TB, what string, page []byte) {
	t.Helper()
	d, err := Read(bytes.NewReader(page))
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if again := bytesOf(t, d); !bytes.Equal(again, page) {
		at := 0
		for at < min(len(again), len(page)) && again[at] == page[at] {
			at++
		}
		t.Errorf("%s: %d bytes for %d, from byte %d on other ones: %.60q", what, len(again), len(page), at, again[at:])
	}
}

func TestReadIsTheOtherWayRound(t *testing.T) {
	for _, path := range testkit.Snapshots(t) {
		s, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		checkReadAgain(t, path,
			bytesOf(t, Encode("memviz test", []answer.Input{answer.NewInput(filepath.Base(path), s)}, nil)))
	}
	for name, s := range map[string]*snapshot.Snapshot{
		"training": testsnap.Training(), "hostile": testsnap.Hostile(), "state only": testsnap.StateOnly(),
		"one event": testsnap.OneEvent(),
		"cut":       testsnap.Cut(), "nothing": snapshot.NewComposer(snapshot.Format{}).Snapshot(), "busy": busy(3000),
		"host memory": testsnap.HostMemory(), "GPU and host": gpuAndHost(),
	} {
		in := []answer.Input{answer.NewInput(name, s), answer.NewInput("busy", busy(300))}
		checkReadAgain(t, name, bytesOf(t, Encode("memviz test", in, nil)))
		d := Encode("memviz test", in, nil)
		d.Omit(codec.Omission{Addresses: true, Times: true})
		checkReadAgain(t, name+" without addresses and times", bytesOf(t, d))
		var tooLarge *TooLargeError
		if err := d.Fit(1); !errors.As(err, &tooLarge) {
			t.Fatal(err)
		}
		checkReadAgain(t, name+" as small as can be", bytesOf(t, d))
	}
}

// A report of memviz 0.1.0, whose scripts stood in it uncompressed (in this file a
// comment stands for them), is read and written with the page of today.
func TestReadOfAnOlderReport(t *testing.T) {
	old := gunzipped(t, filepath.Join("testdata", "report_0.1.0.html.gz"))
	d, err := Read(bytes.NewReader(old))
	if err != nil {
		t.Fatal(err)
	}
	if d.Foreign() != 4 { // styles, theme, ECharts, viewer
		t.Errorf("%d foreign scripts and styles, want 4", d.Foreign())
	}
	page := bytesOf(t, d)
	want, err := decodePage(old)
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodePage(page)
	if err != nil {
		t.Fatal(err)
	}
	want.report.Schema = "memviz.report/2" // the page is one of today
	if !reflect.DeepEqual(got, want) || len(got.payloads) != 3 {
		t.Errorf("the data of the report have changed, or %d payloads are not 3", len(got.payloads))
	}
	if d, err = Read(bytes.NewReader(page)); err != nil {
		t.Fatal(err)
	}
	if d.Foreign() != 0 {
		t.Errorf("written today it has %d foreign scripts and styles", d.Foreign())
	}
}

// What is left out of an old report is what would be left out of the recording.
func TestOmitOfAnOldReport(t *testing.T) {
	in := []answer.Input{answer.NewInput("busy.pickle", busy(3000)),
		answer.NewInput("training.pickle", testsnap.Training())}
	old := func() *Document {
		d := Encode("memviz test", in, nil)
		for _, f := range d.files {
			f.DropSnapshot()
		}
		return d
	}
	page := bytesOf(t, old())
	for _, o := range []codec.Omission{{}, {Addresses: true}, {Times: true}, {Addresses: true, Times: true}} {
		want := old()
		want.Omit(o)
		got, err := Read(bytes.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		got.Omit(o)
		if !bytes.Equal(bytesOf(t, got), bytesOf(t, want)) {
			t.Errorf("without %q the reports differ", o.Keys())
		}
	}
	want := old()
	size, _ := want.Size()
	if err := want.Fit(size - 30_000); err != nil || len(want.LeftOut()) < 2 {
		t.Fatalf("%v, left out %q", err, want.LeftOut())
	}
	got, err := Read(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	if err := got.Fit(size - 30_000); err != nil ||
		fmt.Sprint(got.LeftOut()) != fmt.Sprint(want.LeftOut()[:len(got.LeftOut())]) || len(got.LeftOut()) < 2 {
		t.Errorf("%v, left out %q, want %q", err, got.LeftOut(), want.LeftOut())
	}
}

func TestOmit(t *testing.T) {
	in := []answer.Input{answer.NewInput("training.pickle", testsnap.Training())}
	d := Encode("memviz test", in, nil)
	d.Omit(codec.Omission{Addresses: true, Times: true})
	page := written(t, d)
	view := page.report.Files[0].Devices[0]
	got := deviceOf(t, page, 0, 0)
	if view.HasAddr || view.HasTime || view.FirstTime != "" || view.SpanMicros != 0 || len(got.addr)+len(got.time) > 0 {
		t.Errorf("%+v with %d addresses and %d times", view, len(got.addr), len(got.time))
	}
	if streams := page.report.Files[0].Streams; strings.Join(streams, " ") != "0 1" {
		t.Errorf("the streams are %q", streams)
	}
	last := view.Warnings[len(view.Warnings)-1]
	if last.Fact != "Left out: addresses, times." {
		t.Errorf("it is warned of by %+v", last)
	}
	if html := string(bytesOf(t, d)); strings.Contains(html, "<dt>span</dt>") ||
		!strings.Contains(html, "Left out: addresses, times.") {
		t.Error("the summary has a span, or does not say what was left out")
	}
}

// pageWith is a page of a small recording in which one text is another.
func pageWith(t *testing.T, old, new string) []byte {
	t.Helper()
	page := bytesOf(t, Encode("memviz test",
		[]answer.Input{answer.NewInput("training.pickle", testsnap.Training())}, nil))
	if !bytes.Contains(page, []byte(old)) {
		t.Fatalf("the page has no %q", old)
	}
	return bytes.Replace(page, []byte(old), []byte(new), 1)
}

func TestReadRefuses(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"<!doctype html>", "<html>", "not a report of memviz"},
		{`"schema":"memviz.report/2"`, `"schema":"memviz.report/3"`,
			"the report is of a newer memviz: it has the schema memviz.report/3"},
		{`"schema":"memviz.report/2"`, `"schema":"memviz.report/0"`,
			`damaged report: memviz-report: no memviz wrote the schema "memviz.report/0"`},
		{`"payload":"space-0-0"`, `"payload":"space-0-1"`,
			`damaged report: memviz-report: the space of device 0-0 is called "space-0-1"`},
		{`"unit":512`, `"unit":500`, "damaged report: space-0-0: a unit of 500 bytes"},
		{`"unit":512`, `"unit":256`, "damaged report: space-0-0: "},
		{`id="space-0-0"`, `id="space-0-1"`, "damaged report: space-0-0: it is missing"},
		{`id="addresses-0-0"`, `id="addresses-0-1"`, "damaged report: addresses-0-0: it is missing"},
		{`"schema":"memviz.report/2"`, `"schema":"memviz.report/01"`,
			`damaged report: memviz-report: no memviz wrote the schema "memviz.report/01"`},
		{`"schema":"memviz.report/2"`, `"schema":"other"`, `damaged report: memviz-report: its schema is "other"`},
		{`id="memviz-report"`, `id="other"`, "damaged report: memviz-report: it is missing"},
		{`{"schema"`, `{"schema`, "damaged report: memviz-report: invalid character"},
		{`"streams":["0x0"`, `"streams":null,"x":["0x0"`, "damaged report: memviz-report: Files.Streams  is missing"},
		{`"payload":"device-0-0"`, `"payload":"\"><script>"`,
			"damaged report: memviz-report: the payloads of device 0-0 are called"},
		{`"color":"#`, `"color":"url(#`, "is no colour"},
		{`"peak_state":`, `"peak_state":9`, "damaged report: memviz-report: device 0-0 has its peak in state 9"},
		{`id="stacks-0"`, `id="device-0-0"`, `damaged report: the page: two elements are called "device-0-0"`},
		{`id="stacks-0"`, `id="stacks-1"`, "damaged report: stacks-0: it is missing"},
		{`id="stacks-0" data-bytes="`, `id="stacks-0" data-bytes="9`, "damaged report: stacks-0: "},
		{`id="stacks-0" data-bytes="`, `id="stacks-0" data-bytes="99999999999`,
			"damaged report: stacks-0: the payloads have more than 134217728 bytes"},
		{`id="device-0-0" data-bytes="`, `id="device-0-0" data-bytes="-`,
			"damaged report: device-0-0: its size is said to be"},
		{`"events":`, `"events":7`, "damaged report: device-0-0: "},
		{`"has_time":true`, `"has_time":false`, "damaged report: device-0-0: 1"},
		{`"pre_existing":2`, `"pre_existing":3`, "damaged report: device-0-0: "},
	} {
		_, err := Read(bytes.NewReader(pageWith(t, test.old, test.new)))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) &&
			!(test.want == "is no colour" && strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s for %s gives %v, want %s...", test.new, test.old, err, test.want)
		}
	}
}

// TestIncomplete: a report that lacks something is no snapshot, and says what it lacks.
func TestIncomplete(t *testing.T) {
	d, err := Read(bytes.NewReader(pageWith(t, "x", "x")))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Incomplete(); err != nil {
		t.Error(err)
	}
	d.report.LeftOut = []string{"addresses", "times"}
	if err := d.Incomplete(); err == nil || !strings.Contains(err.Error(), "(--max-size) and lacks addresses, times;") {
		t.Error(err)
	}
	if d, err = Read(bytes.NewReader(pageWith(t, `"snapshot":"snapshot-0",`, ""))); err != nil {
		t.Fatal(err)
	}
	if err := d.Incomplete(); err == nil || !strings.Contains(err.Error(), "is of an older memviz (memviz test)") {
		t.Error(err)
	}
}

func TestMarkupText(t *testing.T) {
	m := &markup{}
	for _, text := range []string{"", " \n", " a b "} {
		m.text(text)
	}
	if !slices.Equal(m.texts, []string{"a b"}) {
		t.Errorf("%q", m.texts)
	}
}

// A report that was cut anywhere is refused, never half read.
func TestReadRefusesCutReports(t *testing.T) {
	page := pageWith(t, "x", "x")
	begin, end := bytes.Index(page, []byte("memviz-report")), bytes.Index(page, []byte(`id="lanes-0-0"`))
	for at := begin; at < end; at += 61 {
		if _, err := Read(bytes.NewReader(page[:at])); err == nil {
			t.Fatalf("%d of %d bytes are read", at, len(page))
		}
	}
}

// FuzzRead reads pages that were tampered with, below the base64 and DEFLATE of
// their payloads: it never panics, and what it does take is written in such a
// way that it is read as the same again.
func FuzzRead(f *testing.F) {
	page, err := decodePage(bytesOf(f,
		Encode("memviz test", []answer.Input{answer.NewInput("training.pickle", testsnap.Training())}, nil)))
	if err != nil {
		f.Fatal(err)
	}
	model, err := json.Marshal(page.report)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(model, page.payloads["stacks-0"], page.payloads["device-0-0"], page.payloads["lanes-0-0"],
		page.payloads["snapshot-0"])
	f.Fuzz(func(t *testing.T, model, stacks, device, lanes, rest []byte) {
		page := pageOf(t, model, map[string][]byte{
			"stacks-0": stacks, "device-0-0": device, "lanes-0-0": lanes, "snapshot-0": rest,
		})
		d, err := Read(bytes.NewReader(page))
		if err != nil {
			return
		}
		d.Texts(func(recording.Text) {})
		d.Numbers()
		checkReadAgain(t, "a page that was read", bytesOf(t, d))
		if s, origin, err := d.Snapshot(0, 0); err == nil {
			in, err := answer.NewInputFrom("fuzz", s, origin)
			if err != nil {
				return
			}
			if origin.AddressesLost || s.Redaction.Addresses || s.Redaction.Times {
				return
			}
			checkSame(t, contents(readBack(t, Encode("memviz test", []answer.Input{in}, nil))), contents(s))
		}
		d.Omit(codec.Omission{Addresses: true, Times: true})
		checkReadAgain(t, "a page without addresses and times", bytesOf(t, d))
	})
}

// pageOf is a page with data and nothing else, from what DEFLATE packs.
func pageOf(t testing.TB, model []byte, payloads map[string][]byte) []byte {
	t.Helper()
	var page bytes.Buffer
	page.WriteString(`<!doctype html><meta name="generator" content="memviz test">`)
	frame.WriteJSON(&page, "memviz-report", model)
	for id, raw := range payloads {
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, flate.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		w.Write(raw) // a bytes.Buffer takes everything
		w.Close()
		fmt.Fprintf(&page, `<script type="text/plain" id="%s" data-bytes="%d">%s</script>`, id, len(raw),
			base64.StdEncoding.EncodeToString(packed.Bytes()))
	}
	return page.Bytes()
}

func TestIsReport(t *testing.T) {
	page := pageWith(t, "x", "x")
	if !isReport(page[:headBytes]) {
		t.Error("a report is not recognised")
	}
	source, err := os.ReadFile("read.go")
	if err != nil || isReport(source) || isReport(nil) {
		t.Error("anything is a report")
	}
}
