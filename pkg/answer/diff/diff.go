// Package diff answers what differs between two recordings.
package diff

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/analysis/compare"
	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Options are the options of Diff.
type Options struct {
	At   Moment
	By   By
	Rows int // shown in text; JSON has all
}

// By is what the allocations of a row have in common.
type By uint8

// The kinds of rows.
const (
	BySite By = iota // a source line
	ByFile
	ByFunction
)

// bys are the kinds of rows in words.
var bys = [...]struct{ key, one, many string }{
	{"site", "site", "sites"}, {"file", "file", "files"}, {"function", "function", "functions"},
}

// Bys are the keys of all kinds of rows.
func Bys() (keys []string) {
	for _, by := range bys {
		keys = append(keys, by.key)
	}
	return keys
}

// ParseBy reads the key of a kind of rows.
func ParseBy(key string) (By, error) {
	i := slices.Index(Bys(), key)
	if i < 0 {
		return 0, fmt.Errorf("%q is not one of site, file, function", key)
	}
	return By(i), nil
}

func (b By) title() string { return bys[b].key }

func (b By) one() string { return bys[b].one }

func (b By) many() string { return bys[b].many }

// Pair is a device of two recordings, compared.
type Pair struct {
	*compare.Comparison
	inputs     [2]*answer.Input
	recordings [2]*analysis.Recording
	atPeaks    *compare.Difference
	resident   [2]int64 // bytes at the peaks from before the recording of which nothing is known
}

// Pairs compares the devices that two inputs have in common; if there is none and
// each has but one, these. Without any it is an error.
func Pairs(before, after *answer.Input) ([]*Pair, error) {
	isGPU := func(r *analysis.Recording) bool { return r.Device.ID != snapshot.Pinned }
	onlyGPU := func(in *answer.Input) int { // among the recordings; -1: there are none, or several
		i := slices.IndexFunc(in.Recordings, isGPU)
		if i >= 0 && slices.ContainsFunc(in.Recordings[i+1:], isGPU) {
			return -1
		}
		return i
	}
	var pairs []*Pair
	for k, r := range before.Recordings {
		i := slices.IndexFunc(after.Recordings, func(b *analysis.Recording) bool { return b.Device.ID == r.Device.ID })
		if i < 0 && k == onlyGPU(before) {
			i = onlyGPU(after)
		}
		if i >= 0 {
			pairs = append(pairs, newPair(before, r, after, after.Recordings[i]))
		}
	}
	if len(pairs) == 0 {
		return nil, errors.New("the two snapshots have no device in common")
	}
	return pairs, nil
}

func newPair(before *answer.Input, a *analysis.Recording, after *answer.Input, b *analysis.Recording) *Pair {
	p := &Pair{Comparison: analysis.Compare(a, b), inputs: [2]*answer.Input{before, after},
		recordings: [2]*analysis.Recording{a, b}}
	p.atPeaks = p.Diff(a.Device.Totals.PeakState, b.Device.Totals.PeakState)
	for _, f := range p.atPeaks.Families {
		if f.Family == families.Resident {
			p.resident = [2]int64{f.Before, f.After}
		}
	}
	return p
}

// Answer compares two recordings, device by device.
func Answer(before, after *answer.Input, o Options) (*sheet.Sheet, error) {
	value := answer.NewDevices[Device]("diff")
	s := &sheet.Sheet{Value: value}
	pairs, err := Pairs(before, after)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		states, err := o.At.states(p)
		if err != nil {
			return nil, err
		}
		d := p.Diff(states[compare.Before], states[compare.After])
		switch o.By {
		case ByFile:
			d = d.ByFile(p.Lines)
		case ByFunction:
			d = d.ByFunction()
		}
		value.Devices = append(value.Devices, p.view(d, o.By))
		write(s, p, d, &value.Devices[len(value.Devices)-1], o)
	}
	return s, nil
}
