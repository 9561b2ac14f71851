package layout

import (
	"math"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/allocator"
)

// Reserve is how much address space an expandable segment gets. A request has to fit into one segment,
// so a larger one fails, however much memory is free. Torch 2.14 or 2.15 is the first to have such options.
type Reserve struct {
	Option string  // of Settings.Conf: expandable_segments_reserve, or the same by class
	Class  string  // of streams; "" for those of no other class. No file says which class a stream has
	Bytes  int64   // 0: Share says it
	Share  float64 // of the memory of the device
}

// The options for Settings.Reserves.
const (
	optionReserve        = "expandable_segments_reserve"
	optionReserveByClass = "expandable_segments_reserve_by_class"
)

// Most a request can be, in bytes; a reserve above it is none.
const maxReserve = 1 << 60

// maxReserves is how many classes are read.
const maxReserves = 64

// reservesOf reads the reserves in the text of the variable. Like torch, it ignores those that it does not
// understand.
func reservesOf(conf string) (list []Reserve) {
	if r, ok := parseReserve(allocator.Option(conf, optionReserve)); ok {
		r.Option = optionReserve
		list = append(list, r)
	}
	classes := strings.Trim(allocator.Option(conf, optionReserveByClass), "[]")
	for item := range strings.SplitSeq(classes, ",") {
		class, value, _ := strings.Cut(item, ":")
		if r, ok := parseReserve(value); ok && len(list) < maxReserves {
			r.Option, r.Class = optionReserveByClass, class
			list = append(list, r)
		}
	}
	return list
}

// parseReserve reads a number of GiB such as 40G, or a share of the device's memory such as 0.5.
func parseReserve(value string) (r Reserve, ok bool) {
	number := strings.TrimRight(value, "Gg")
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err != nil || len(value) > len(number)+1 || !(n > 0) || math.IsInf(n, 0):
		return Reserve{}, false
	case number == value:
		return Reserve{Share: n}, true
	}
	return Reserve{Bytes: int64(min(n*(1<<30), maxReserve))}, true
}

// Of is the reserve in bytes on a device with so much memory.
func (r *Reserve) Of(capacity int64) int64 {
	if r.Bytes > 0 {
		return r.Bytes
	}
	return int64(min(r.Share*float64(capacity), maxReserve))
}
