package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestProbe uses a page that is slow by a known time, on a clock of its own: the probe
// has to measure that time, without the pauses between interactions.
func TestProbe(t *testing.T) {
	browser, stop, err := startBrowser(t.Context())
	if err != nil {
		if os.Getenv("MEMVIZ_NEED_BROWSER") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Cleanup(stop)
	slow, err := filepath.Abs(filepath.Join("testdata", "slow.html"))
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string][]float64{}
	if err := visit(browser, slow, func(t *tab) error {
		return t.interact(func(interaction string, ms ...float64) { measured[interaction] = ms })
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		interaction string
		median      float64 // milliseconds
		samples, of int     // at least samples of the interactions done
	}{
		{interactive, 300, 1, 1},
		{firstView, 40, 1, 1},
		{view, 40, viewsPerRun, viewsPerRun},
		{wheel, 40, inputsPerRun / 4, inputsPerRun}, // a slow page gets several inputs in a frame
		{drag, 40, inputsPerRun / 4, inputsPerRun},
		{hover, 7, hoversPerRun / 2, hoversPerRun},
		{space, 500, 1, 1},
		{spaceWheel, 40, inputsPerRun / 4, inputsPerRun},
		{spaceDrag, 40, inputsPerRun / 4, inputsPerRun},
		{spaceClose, 40, inputsPerRun / 4, inputsPerRun},
	} {
		times := measured[want.interaction]
		if len(times) < want.samples || len(times) > want.of {
			t.Errorf("%s: %d samples of %d", want.interaction, len(times), want.of)
		}
		if got := median(times); got != want.median {
			t.Errorf("%s took %.1f ms, the page %.0f", want.interaction, got, want.median)
		}
	}
}
