package oom_test

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
)

func TestAdvice(t *testing.T) {
	off, on := &layout.Settings{}, &layout.Settings{Settings: allocator.Settings{Expandable: true}}
	rounding := &layout.Settings{}
	rounding.RoundUpPower2Divisions[5] = 4
	fraction := &layout.Settings{Settings: allocator.Settings{GCThreshold: 0.8}}
	tests := []struct {
		name     string
		oom      oom.Failure
		settings *layout.Settings
		want     []oom.AdviceKind
	}{
		{
			"pressure",
			oom.Failure{Requested: 2 * gib, Active: 15 * gib, Reserved: 16 * gib, WouldFit: oom.WouldFit{Never: true}},
			off,
			[]oom.AdviceKind{oom.AdviseLess},
		},
		{
			"fragmented",
			oom.Failure{Verdict: oom.Fragmented, WouldFit: oom.WouldFit{WithExpandable: true, MaxSplit: 64 * mib}},
			off,
			[]oom.AdviceKind{oom.AdviseExpandable, oom.AdviseMaxSplit},
		},
		{"fragmented in pieces smaller than a page", oom.Failure{Verdict: oom.Fragmented}, off, nil},
		{"fragmented although expandable", oom.Failure{Verdict: oom.Fragmented}, on, nil},
		{
			"limit",
			oom.Failure{Verdict: oom.Limit, WouldFit: oom.WouldFit{Never: true}},
			off,
			[]oom.AdviceKind{oom.AdviseFraction},
		},
		{"outside", oom.Failure{Verdict: oom.Outside, WouldFit: oom.WouldFit{Never: true}}, off,
			[]oom.AdviceKind{oom.AdviseOutside, oom.AdviseLess}},
		{"other", oom.Failure{Verdict: oom.Other}, off, []oom.AdviceKind{oom.AdviseStream}},
		{"rounding took what was missing", oom.Failure{
			Active: 10 * gib, WouldFit: oom.WouldFit{Never: true, Missing: gib},
			Fragmentation: layout.Fragmentation{Rounding: 2 * gib},
		}, rounding, []oom.AdviceKind{oom.AdviseLessRounding, oom.AdviseLess}},
		{"rounding took less", oom.Failure{
			Active: 10 * gib, WouldFit: oom.WouldFit{Never: true, Missing: 3 * gib},
			Fragmentation: layout.Fragmentation{Rounding: 2 * gib},
		}, rounding, []oom.AdviceKind{oom.AdviseLess}},
	}
	for _, test := range tests {
		checkAdvice(t, test.name, test.oom.Advise(test.settings), test.want)
	}
	states := []struct {
		name     string
		f        layout.Fragmentation
		settings *layout.Settings
		want     []oom.AdviceKind
	}{
		{"nothing to improve", layout.Fragmentation{Reserved: 10 * gib}, off, nil},
		{
			"fragmentation",
			layout.Fragmentation{Reserved: 10 * gib, Bytes: 2 * gib},
			off,
			[]oom.AdviceKind{oom.AdviseExpandable},
		},
		{"fragmentation within pages", layout.Fragmentation{Reserved: 10 * gib, Bytes: 2 * gib}, on, nil},
		{
			"rounding",
			layout.Fragmentation{Reserved: 10 * gib, Rounding: gib},
			rounding,
			[]oom.AdviceKind{oom.AdviseLessRounding},
		},
		{"idle memory", layout.Fragmentation{Reserved: 10 * gib, Returnable: 2 * gib}, off, nil},
		{"mostly idle memory", layout.Fragmentation{Reserved: 10 * gib, Returnable: 6 * gib}, off,
			[]oom.AdviceKind{oom.AdviseExpandable}},
		{"mostly idle although expandable", layout.Fragmentation{Reserved: 10 * gib, Returnable: 6 * gib}, on, nil},
		{"a threshold", layout.Fragmentation{Reserved: 10 * gib, Returnable: 2 * gib}, fraction,
			[]oom.AdviceKind{oom.AdviseThresholdIdle}},
		{"a small program", layout.Fragmentation{Reserved: 100 * mib, Bytes: 50 * mib, Returnable: 20 * mib}, off, nil},
	}
	for _, test := range states {
		checkAdvice(t, test.name, oom.AdviseOn(&test.f, test.settings), test.want)
	}
}

func checkAdvice(t *testing.T, name string, got []oom.Advice, want []oom.AdviceKind) {
	t.Helper()
	same := len(got) == len(want)
	for i := range got {
		same = same && got[i].Kind == want[i]
	}
	if !same {
		t.Errorf("%s: %v, want %v", name, got, want)
	}
}
