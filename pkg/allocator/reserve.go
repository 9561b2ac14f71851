package allocator

import (
	"math"
	"strconv"
	"strings"
)

// The options that limit the address space of expandable segments, from torch 2.14 or 2.15 on.
const (
	OptionReserve        = "expandable_segments_reserve"
	optionReserveByClass = "expandable_segments_reserve_by_class"
)

// Reserve is how much address space an expandable segment gets. A request has to fit into one segment, so a
// larger one fails, however much memory is free.
type Reserve struct {
	Option string  // OptionReserve or optionReserveByClass
	Class  string  // of streams; "" for those of no other class. Files do not record the class of a stream
	Bytes  int64   // 0: see Share
	Share  float64 // of the memory of the device
}

// maxReserves bounds the number of classes read.
const maxReserves = 64

// Reserves parses the reserves in the text of PYTORCH_CUDA_ALLOC_CONF. Like torch, it ignores
// invalid ones.
func Reserves(conf string) (list []Reserve) {
	if r, ok := parseReserve(Option(conf, OptionReserve)); ok {
		r.Option = OptionReserve
		list = append(list, r)
	}
	classes := strings.Trim(Option(conf, optionReserveByClass), "[]")
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
	return Reserve{Bytes: max(int64(min(n*(1<<30), maxRequest)), 1)}, true
}

// Of returns the reserve in bytes, as whole pages, on a device with the given memory.
func (r *Reserve) Of(memory, page int64) int64 {
	bytes := r.Bytes
	if bytes == 0 {
		bytes = int64(min(r.Share*float64(memory), maxRequest))
	}
	return roundUp(bytes, page)
}
