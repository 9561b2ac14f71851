package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/units"
)

// replayScript computes totals in Python, from what CPython's own pickle reads.
//
//go:embed replay.py
var replayScript string

// totals are what two replays of a device must agree on.
type totals struct {
	PeakBytes   int64 `json:"peak_bytes"`
	FinalBytes  int64 `json:"final_bytes"`
	Allocations int64 `json:"allocations"`
}

// verify fails when memviz and Python disagree on a snapshot.
func verify(ctx context.Context, memviz, python, path string, out io.Writer) error {
	var answer struct {
		Devices []struct {
			Device int `json:"device"`
			totals
		} `json:"devices"`
	}
	if err := runForJSON(ctx, &answer, memviz, "stats", "--format", "json", path); err != nil {
		return err
	}
	ours := map[string]totals{}
	for _, d := range answer.Devices {
		ours[strconv.Itoa(d.Device)] = d.totals
	}
	theirs, err := totalsByPython(ctx, python, path)
	if err != nil {
		return err
	}
	if !maps.Equal(ours, theirs) {
		return fmt.Errorf("%s: memviz says %+v by device, python3 %+v", path, ours, theirs)
	}
	for _, device := range slices.Sorted(maps.Keys(theirs)) {
		t := theirs[device]
		fmt.Fprintf(out, "Verified: memviz and a replay in python3 agree on %s, device %s:\n  peak %s, at the end "+
			"%s,\n  %s\n",
			filepath.Base(path), device, units.ExactBytes(t.PeakBytes), units.ExactBytes(t.FinalBytes),
			units.Plural(t.Allocations, "allocation", "allocations"))
	}
	return nil
}

func totalsByPython(ctx context.Context, python, path string) (byDevice map[string]totals, err error) {
	err = runForJSON(ctx, &byDevice, python, "-c", replayScript, path)
	return byDevice, err
}

// runForJSON decodes what a program prints.
func runForJSON(ctx context.Context, into any, name string, args ...string) error {
	text, err := exec.CommandContext(ctx, name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%s: %w\n%s", name, err, exit.Stderr)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
