package job

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// maxRank bounds the numbers of ranks, devices and iterations; maxSum bytes and
// counts, as replay bounds sums.
const (
	maxRank = 1 << 30
	maxSum  = 1 << 62
)

// check returns an error if a digest that was read is impossible, so that no other code
// has to check lengths and ranges. Any times are accepted.
func (d *Digest) check() error {
	if err := d.checkTexts(); err != nil {
		return err
	}
	n := &d.Name
	if !within(n.Rank, maxRank) || n.Step != nil && !within(*n.Step, maxSum) || !within(d.File.Bytes, maxSum) ||
		!within(d.Device, maxRank) && d.Device != int(snapshot.Pinned) {
		return errors.New("a number of its name or file is out of range")
	}
	if d.File.Report != "" && !IsRelativeLink(d.File.Report) {
		return errors.New("the link to its report does not lead to a file beside it")
	}
	if d.Error != "" {
		*d = Digest{Schema: d.Schema, Name: d.Name, File: d.File, Error: d.Error}
		return nil
	}
	for _, check := range []func() error{d.checkTotals, d.checkSteps, d.checkCurves, d.checkSites, d.checkFindings} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// within reports whether a number is from 0 to a limit.
func within[T int | int64](number T, limit int64) bool { return number >= 0 && int64(number) <= limit }

// allWithin reports whether numbers are from 0 to the limit of sums.
func allWithin(numbers ...int64) bool {
	for _, n := range numbers {
		if !within(n, maxSum) {
			return false
		}
	}
	return true
}

// checkTexts checks the lengths of all texts, and the number of settings.
func (d *Digest) checkTexts() error {
	texts := []string{d.Schema, d.Name.Label, d.Name.From, d.Name.Run, d.File.Name, d.File.Path, d.File.SHA256,
		d.File.Host, d.File.Report, d.Error, d.Torch, d.Redacted, d.StepMethod}
	if len(d.Settings) > maxSettings {
		return fmt.Errorf("it has %d settings", len(d.Settings))
	}
	for _, setting := range d.Settings {
		texts = append(texts, setting[:]...)
	}
	for i := range d.Steps {
		texts = append(texts, d.Steps[i].Name)
	}
	for i := range d.Sites {
		s := &d.Sites[i]
		texts = append(texts, s.Path, s.Key, s.PythonPath, s.Site, s.Operator)
	}
	for i := range d.OOMs {
		texts = append(texts, d.OOMs[i].Verdict, d.OOMs[i].Site)
	}
	for i := range d.Leaks {
		texts = append(texts, d.Leaks[i].Kind, d.Leaks[i].Site, d.Leaks[i].Path, d.Leaks[i].Key)
	}
	for _, text := range texts {
		if len(text) > maxText {
			return fmt.Errorf("it has a text of %d bytes", len(text))
		}
	}
	return nil
}

// IsRelativeLink reports whether a link leads to a file beside or below the page that
// has it: it has no scheme, no host, and does not begin at the root or go up.
func IsRelativeLink(link string) bool {
	return filepath.IsLocal(link) && !strings.ContainsAny(link, `:\`) && !strings.ContainsFunc(link, unicode.IsControl)
}

func (d *Digest) checkTotals() error {
	if !within(d.Events, maxSum) || !within(d.Allocations, maxSum) || !within(d.PeakState, int64(d.Events)) ||
		!allWithin(d.PeakBytes, d.BaselineBytes, d.FinalBytes) || max(d.BaselineBytes, d.FinalBytes) > d.PeakBytes ||
		max(d.ReservedPeakBytes, -d.ReservedPeakBytes) > maxSum {
		return errors.New("its totals are out of range")
	}
	for key, n := range d.Anomalies {
		if !isAnomaly(key) || !within(n, maxSum) {
			return errors.New("it has anomalies of an unknown kind")
		}
	}
	return nil
}

func isAnomaly(key string) bool {
	for kind := range (replay.Anomalies{}) {
		if replay.Anomaly(kind).Kind().Key == key {
			return true
		}
	}
	return false
}

func (d *Digest) checkSteps() error {
	if len(d.Steps) > MaxSteps || d.StepsSeen < len(d.Steps) || !within(d.StepsSeen, int64(d.Events)) {
		return fmt.Errorf("it has %d steps of %d", len(d.Steps), d.StepsSeen)
	}
	for i := range d.Steps {
		s := &d.Steps[i]
		if !within(s.Start, int64(s.End)) || s.End > d.Events || i > 0 && s.Start != d.Steps[i-1].End ||
			!within(s.PeakBytes, d.PeakBytes) || !within(s.EndBytes, s.PeakBytes) ||
			max(s.ReservedPeakBytes, -s.ReservedPeakBytes) > maxSum || s.Micros != nil && *s.Micros < 0 {
			return fmt.Errorf("its step %d is out of range", i+1)
		}
	}
	if d.StepEnd != nil && (!within(*d.StepEnd, int64(d.Events)) || !within(d.StepEndBytes, d.PeakBytes)) {
		return errors.New("the end of its last step is out of range")
	}
	if d.SpanMicros != nil && *d.SpanMicros < 0 {
		return errors.New("its span is below zero")
	}
	return nil
}

func (d *Digest) checkCurves() error {
	c := &d.Curves
	n, few := int64(c.PerStep)*int64(d.Stretches()), int64(c.FewPerStep)*int64(d.Stretches())
	if !within(c.PerStep, Columns) || !within(c.FewPerStep, fewColumns) || n < 1 || n > Columns || few < 1 ||
		few > fewColumns || c.PerStep%c.FewPerStep != 0 {
		return fmt.Errorf("its curves have %d and %d columns a step", c.PerStep, c.FewPerStep)
	}
	for _, curve := range [][]int16{c.Max, c.Min, c.Reserved} {
		if !isCurve(curve, n) {
			return errors.New("a curve has another length or is out of range")
		}
	}
	if len(c.Families) != families.Count || len(d.PeakFamilies) != families.Count ||
		d.StepEnd != nil && len(d.StepEndFamilies) != families.Count {
		return errors.New("it has another number of families")
	}
	for _, curve := range c.Families {
		if len(curve) > 0 && !isCurve(curve, few) {
			return errors.New("the curve of a family has another length or is out of range")
		}
	}
	if !allWithin(d.PeakFamilies...) || !allWithin(d.StepEndFamilies...) {
		return errors.New("the bytes of its families are out of range")
	}
	return nil
}

// isCurve reports whether deltas encode n numbers of units.
func isCurve(deltas []int16, n int64) bool {
	unit := 0
	for _, delta := range deltas {
		if unit += int(delta); !within(unit, unitsOfPeak) {
			return false
		}
	}
	return int64(len(deltas)) == n
}

func (d *Digest) checkSites() error {
	if len(d.Sites) > MaxSites {
		return fmt.Errorf("it has %d call sites", len(d.Sites))
	}
	for i := range d.Sites {
		s := &d.Sites[i]
		if !within(s.Family, int64(families.Count-1)) || !allWithin(s.Peak.Bytes, s.StepEnd.Bytes, s.StepPeak,
			int64(s.Alive), int64(s.Peak.Count), int64(s.StepEnd.Count)) || !isKey(s.Path) || !isKey(s.Key) ||
			s.PythonPath != "" && !isKey(s.PythonPath) {
			return fmt.Errorf("its call site %d is out of range", i+1)
		}
	}
	r := &d.Rest
	if !allWithin(int64(r.Sites), r.Peak.Bytes, int64(r.Peak.Count), r.StepEnd.Bytes, int64(r.StepEnd.Count)) {
		return errors.New("the sums of its other call sites are out of range")
	}
	return nil
}

// isKey reports whether a text has the form of shortKey.
func isKey(text string) bool {
	for _, c := range []byte(text) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(text) == 2*keyBytes
}

func (d *Digest) checkFindings() error {
	if len(d.OOMs) > MaxOOMs || len(d.Leaks) > MaxLeaks {
		return fmt.Errorf("it has %d failed requests and %d leaks", len(d.OOMs), len(d.Leaks))
	}
	for i := range d.OOMs {
		o := &d.OOMs[i]
		if !within(o.State, int64(d.Events)) || !within(o.Step, int64(d.StepsSeen)+1) || !allWithin(o.RequestedBytes) ||
			max(o.DeviceFreeBytes, -o.DeviceFreeBytes) > maxSum {
			return fmt.Errorf("its failed request %d is out of range", i+1)
		}
	}
	for i := range d.Leaks {
		l := &d.Leaks[i]
		if !allWithin(l.Bytes, int64(l.Steps), max(l.PerStep, -l.PerStep)) || !isKey(l.Path) || !isKey(l.Key) {
			return fmt.Errorf("its leak %d is out of range", i+1)
		}
	}
	if c := d.Cached; c != nil && !allWithin(c.CachedBytes, c.FragmentationBytes, c.LargestFreeBytes) {
		return errors.New("its cached memory is out of range")
	}
	return nil
}
