package oom

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// TestRefusal: a request of 2 GiB while 3 GiB are reserved and 4 are free, so the device has 7 GiB at least, or
// 10 as the user says.
func TestRefusal(t *testing.T) {
	const known, given = 7 * gib, 10 * gib
	class := allocator.Reserve{Option: "by_class", Class: "weights", Share: 0.1}
	atOnce := func(fraction float64) layout.Settings {
		return layout.Settings{Conf: "throw_on_npumalloc_oom:True", MemoryFraction: fraction,
			Settings: allocator.Settings{RejectAtLimit: true}}
	}
	limited := func(fraction float64) layout.Settings { return layout.Settings{MemoryFraction: fraction} }
	gigabyte := allocator.Reserve{Option: "a", Bytes: gib}
	tests := []struct {
		name     string
		settings layout.Settings
		capacity int64
		want     Refusal // reserves by their options below
		tooSmall string
		unknown  string
	}{
		{"no settings", layout.Settings{}, known, Refusal{}, "", ""},
		{"half of what is not known", limited(0.5), known, Refusal{Fraction: 0.5}, "", ""},
		{"5 GiB are just enough", limited(0.5), given, Refusal{}, "", ""},
		{"4.9 GiB are not", limited(0.49), given, Refusal{Fraction: 0.49, Limit: given * 49 / 100},
			"", ""},
		{"90 % of 7 GiB are enough", limited(0.9), known, Refusal{}, "", ""},
		{"at once", atOnce(0.5), known, Refusal{Fraction: 0.5, AtOnce: "throw_on_npumalloc_oom"}, "", ""},
		{"at once, by a limit in no file", atOnce(0), known, Refusal{AtOnce: "throw_on_npumalloc_oom"}, "", ""},
		{"not at once, as it is below the limit", atOnce(0.9), known, Refusal{}, "", ""},
		{"a reserve of 1 GiB", expandable(gigabyte), known,
			Refusal{TooSmallBytes: gib + 16*mib}, "a", ""}, // in pages of 20 MiB
		{"a reserve of 2 GiB", expandable(allocator.Reserve{Option: "a", Bytes: 2 * gib}), known, Refusal{}, "", ""},
		{"no expandable segments", layout.Settings{Reserves: []allocator.Reserve{gigabyte}}, known, Refusal{}, "", ""},
		{"a tenth of 10 GiB", expandable(class), given, Refusal{TooSmallBytes: gib + 16*mib}, "by_class", ""},
		{"a tenth of what is not known", expandable(class), known, Refusal{}, "", "by_class"},
		{"half of 7 GiB or more", expandable(allocator.Reserve{Option: "a", Share: 0.5}), known, Refusal{}, "", ""},
		{"the first of two", expandable(gigabyte, class), given,
			Refusal{TooSmallBytes: gib + 16*mib}, "a", ""},
	}
	option := func(r *allocator.Reserve) string {
		if r == nil {
			return ""
		}
		return r.Option
	}
	for _, test := range tests {
		o := Failure{Requested: 2 * gib, Needed: 2 * gib, Reserved: 3 * gib, DeviceFree: 4 * gib,
			Capacity:      test.capacity,
			CapacityGiven: test.capacity == given, sizeClass: snapshot.SizeClassLarge}
		o.Refusal = o.refusal(&test.settings)
		o.decide()
		got := o.Refusal
		if option(got.TooSmall) != test.tooSmall || option(got.Unknown) != test.unknown || o.Verdict != Limit {
			t.Errorf("%s: too small %q, unknown %q, %s", test.name, option(got.TooSmall), option(got.Unknown),
				o.Verdict.Key())
		}
		if got.TooSmall, got.Unknown = nil, nil; got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}

func expandable(reserves ...allocator.Reserve) layout.Settings {
	return layout.Settings{Settings: allocator.Settings{Expandable: true}, Reserves: reserves}
}

// TestRoom: memory that is just enough proves a limit only if the settings have one.
func TestRoom(t *testing.T) {
	o := Failure{Needed: 2 * gib, DeviceFree: 2 * gib}
	if o.room() {
		t.Error("free memory that is just enough may have been taken by others meanwhile")
	}
	if o.Refusal.Fraction = 0.5; !o.room() {
		t.Error("the fraction explains it")
	}
	if o.DeviceFree--; o.room() {
		t.Error("a byte too little was free")
	}
	if o = (Failure{Needed: gib, DeviceFree: gib}); o.room() {
		t.Error("free memory that is just enough may have been taken by others meanwhile")
	}
	if o.Refusal.TooSmall = &(allocator.Reserve{}); !o.room() {
		t.Error("the reserve explains it")
	}
}
