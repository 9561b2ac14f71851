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

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/units"
)

// replayScript computes totals in Python, from CPython's own pickle.
//
//go:embed replay.py
var replayScript string

// totals are what two replays must agree on, of one device.
type totals struct {
	PeakBytes   int64 `json:"peak_bytes"`
	FinalBytes  int64 `json:"final_bytes"`
	Allocations int64 `json:"allocations"`
}

// verifyFiles compares memviz and Python on snapshots of any origin.
func verifyFiles(c *cli.Context, paths []string) error {
	if len(paths) == 0 {
		return errors.New("verify needs a snapshot")
	}
	py, ok := findPython(c.Context)
	if !ok {
		return errors.New("verify needs python3")
	}
	w, err := openWorkshop(c.Context, c.App.ErrWriter)
	if err != nil {
		return err
	}
	defer w.close()
	for _, path := range paths {
		if err := w.verify(c.Context, py, path, c.App.Writer); err != nil {
			return err
		}
	}
	return nil
}

// verifyLargest compares the two on the largest file of a contest.
func verifyLargest(ctx context.Context, w *workshop, r *contest, out io.Writer) error {
	py, ok := findPython(ctx)
	if !ok {
		fmt.Fprintln(out, "\nNot verified: there is no python3.")
		return nil
	}
	largest := r.files[0]
	for _, f := range r.files {
		if f.mb > largest.mb {
			largest = f
		}
	}
	w.say("replaying %s in Python", nameMegabytes(largest.mb))
	fmt.Fprintln(out)
	return w.verify(ctx, py, largest.path, out)
}

// verify fails when the two disagree on a snapshot.
func (w *workshop) verify(ctx context.Context, py python, path string, out io.Writer) error {
	ours, err := w.totalsByMemviz(ctx, path)
	if err != nil {
		return err
	}
	theirs, err := totalsByPython(ctx, py, path)
	if err != nil {
		return err
	}
	if err := compareTotals(ours, theirs); err != nil {
		return fmt.Errorf("%s: %w", path, err)
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

func (w *workshop) totalsByMemviz(ctx context.Context, path string) (map[string]totals, error) {
	text, err := answerOf(exec.CommandContext(ctx, w.memviz, "stats", "--format", "json", path))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Devices []struct {
			Device int `json:"device"`
			totals
		} `json:"devices"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, err
	}
	byDevice := map[string]totals{}
	for _, d := range answer.Devices {
		byDevice[strconv.Itoa(d.Device)] = d.totals
	}
	return byDevice, nil
}

func totalsByPython(ctx context.Context, py python, path string) (map[string]totals, error) {
	text, err := answerOf(exec.CommandContext(ctx, py.path, "-c", replayScript, path))
	if err != nil {
		return nil, err
	}
	var byDevice map[string]totals
	err = json.Unmarshal(text, &byDevice)
	return byDevice, err
}

// answerOf is what a program says, or its complaint.
func answerOf(command *exec.Cmd) ([]byte, error) {
	text, err := command.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w\n%s", command.Path, err, exit.Stderr)
	}
	return text, err
}

// compareTotals wants the same devices with the same totals.
func compareTotals(ours, theirs map[string]totals) error {
	if len(ours) != len(theirs) {
		return fmt.Errorf("memviz sees %d devices, python3 %d", len(ours), len(theirs))
	}
	for device, t := range theirs {
		if o, ok := ours[device]; !ok || o != t {
			return fmt.Errorf("device %s: memviz says %+v, python3 %+v", device, o, t)
		}
	}
	return nil
}
