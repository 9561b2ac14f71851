package main

import (
	"bytes"
	"path/filepath"
	"reflect"
	"testing"
)

// TestSmallerPage opens a report that had to leave something out: the page
// says so, and every state is what it is in the whole report.
func TestSmallerPage(t *testing.T) {
	browser := chromium(t)
	dir := t.TempDir()
	recording := filepath.Join(dir, "run.pickle")
	if err := writeRecording(recording, 60_000); err != nil {
		t.Fatal(err)
	}
	trace := func(maxSize string) *page {
		path := filepath.Join(dir, maxSize+".html")
		var stdout, stderr bytes.Buffer
		if run([]string{"trace", "-o", path, "--max-size", maxSize, recording}, nil, &stdout, &stderr) != exitDone {
			t.Fatal(&stderr)
		}
		return open(t, browser, path, "", 1440, 900)
	}
	whole, smaller := trace("none"), trace("1.1MB")
	if text := eval[string](smaller, "document.querySelector('#warnings').textContent"); !bytes.Contains([]byte(text),
		[]byte("Left out to keep this file within 1.10 MB: addresses, times")) {
		t.Errorf("the page warns %q", text)
	}
	for k := 0; k < 180_000; k += 1777 {
		want, got := eval[stateTotals](whole, "memviz.state(%d)", k), eval[stateTotals](smaller, "memviz.state(%d)", k)
		if want != got {
			t.Fatalf("state %d is %+v, want %+v", k, got, want)
		}
		live := [2][]liveEntry{eval[[]liveEntry](whole, "memviz.live(%d)", k),
			eval[[]liveEntry](smaller, "memviz.live(%d)", k)}
		for i := range live[1] {
			if live[1][i].Addr != "" {
				t.Fatalf("state %d has the address %q, which was left out", k, live[1][i].Addr)
			}
		}
		for i := range live[0] {
			live[0][i].Addr = ""
		}
		if !reflect.DeepEqual(live[0], live[1]) {
			t.Fatalf("state %d holds %+v, want %+v", k, live[1], live[0])
		}
	}
	smaller.await("memviz.view({from: 1000, to: 2000})")
	smaller.requireNoTrouble()
}
