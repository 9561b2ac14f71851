package oom

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/layout"
)

// Refusal lists the allocator's settings that may have refused a request although the device
// had the memory. No file records limits that were set by a call.
type Refusal struct {
	// Fraction is per_process_memory_fraction, if the request exceeds it as far as is known;
	// else 0. It allows PyTorch to reserve Limit bytes; 0: the capacity of the device is
	// unknown.
	Fraction float64
	Limit    int64

	// AtOnce is the option with which requests above the fraction fail without releasing cached memory first,
	// such as throw_on_cudamalloc_oom; "" without it.
	AtOnce string

	// TooSmall is the address space of an expandable segment that the request does not fit
	// into, of TooSmallBytes; nil if none is known to be too small. Of several it is the
	// first, which may be for another class than that of the request's stream.
	TooSmall      *allocator.Reserve
	TooSmallBytes int64
	// Unknown is a reserve that may be too small: it is a share of an unknown capacity.
	Unknown *allocator.Reserve
}

// refusal compares the request with what the settings allow.
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

// room reports whether the device had enough free memory for the request, so that something
// else refused it. Free memory that is just enough does not prove it, unless a setting
// explains the refusal.
func (o *Failure) room() bool {
	slack := int64(limitSlack)
	if o.Refusal.Fraction > 0 || o.Refusal.TooSmall != nil {
		slack = 0
	}
	return o.DeviceFree >= o.Needed+slack
}
