package oom

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
)

// Refusal is what in the allocator's settings may have refused a request although the device had the
// memory. Limits that were set by a call are in no file.
type Refusal struct {
	// Fraction is per_process_memory_fraction, if the request exceeds it as far as is known; else 0. It lets
	// PyTorch reserve Limit bytes; 0: the capacity of the device is not known.
	Fraction float64
	Limit    int64

	// AtOnce is the option with which requests above the fraction fail without giving back cached memory first,
	// such as throw_on_cudamalloc_oom; "" without it.
	AtOnce string

	// TooSmall is the address space of an expandable segment that the request does not fit into, of
	// TooSmallBytes; nil if none is known to be too small. Of several it is the first, which may be that of a
	// class that the stream of the request does not have.
	TooSmall      *allocator.Reserve
	TooSmallBytes int64
	// Unknown is a reserve that may be too small: it is a share of a capacity that is not known.
	Unknown *allocator.Reserve
}

// refusal compares the request with what the settings let through.
func (o *Failure) refusal(settings *layout.Settings) (r Refusal) {
	// Capacity is a lower bound if it was not given, and so is what follows from it.
	if f := settings.MemoryFraction; f > 0 && o.Reserved+o.Needed > int64(f*float64(o.Capacity)) {
		r.Fraction = f
		if o.CapacityGiven {
			r.Limit = int64(f * float64(o.Capacity))
		}
	}
	if settings.RejectAtLimit && (r.Fraction > 0 || settings.MemoryFraction == 0) {
		r.AtOnce = allocator.RejectOptions[0]
		for _, option := range allocator.RejectOptions {
			if allocator.Option(settings.Conf, option) != "" {
				r.AtOnce = option
			}
		}
	}
	if !settings.Expandable {
		return r
	}
	page := settings.PageSize(o.sizeClass)
	for i := range settings.Reserves {
		x := &settings.Reserves[i]
		bytes := x.Of(o.Capacity, page)
		switch {
		case o.Requested <= bytes:
		case x.Bytes == 0 && !o.CapacityGiven:
			r.Unknown = x
		case r.TooSmall == nil:
			r.TooSmall, r.TooSmallBytes = x, bytes
		}
	}
	return r
}

// room reports whether what the device had free was enough for the request, so that it was refused by
// something else. Free memory that is just enough does not prove it, unless a setting explains the refusal.
func (o *Failure) room() bool {
	slack := int64(limitSlack)
	if o.Refusal.Fraction > 0 || o.Refusal.TooSmall != nil {
		slack = 0
	}
	return o.DeviceFree >= o.Needed+slack
}
