package main

import (
	"strings"
	"testing"
)

// TestPageStories opens the report of each story, of all its snapshots together: it
// shows its devices, and finds every site that memviz names first.
func TestPageStories(t *testing.T) {
	browser := chromium(t)
	for _, s := range stories(t) {
		t.Run(s.name, func(t *testing.T) {
			for _, path := range s.snapshots {
				s.loaded(t, path)
			}
			expected, err := parseExpectations(s.read(t, "expect.txt"))
			if err != nil {
				t.Fatal(err)
			}
			p := open(t, browser, writeReport(t, s.snapshots...), "", 1440, 900)
			devices := eval[[]struct{ File, Device, Events int }](p, "memviz.devices()")
			if len(devices) != len(s.snapshots) {
				t.Fatalf("%d snapshots make %d devices", len(s.snapshots), len(devices))
			}
			found := map[string]int{} // allocations by site, over all devices
			for _, d := range devices {
				p.await("memviz.select({file: %d, device: %d})", d.File, d.Device)
				for _, e := range expected {
					if place, _, named := cutLast(e.first, ":"); named { // file:line
						found[e.first] += eval[struct{ Allocations int }](p, "memviz.search(%q)", place).Allocations
					}
				}
			}
			for site, allocations := range found {
				if allocations == 0 {
					t.Errorf("the page does not find %s", site)
				}
			}
			p.requireNoTrouble()
		})
	}
}

// cutLast cuts a text around the last separator.
func cutLast(text, separator string) (before, after string, found bool) {
	i := strings.LastIndex(text, separator)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(separator):], true
}
