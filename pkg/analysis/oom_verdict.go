package analysis

// OOMVerdict is why a request failed.
type OOMVerdict uint8

const (
	// OOMPressure: nearly everything was in use, or too little was left in any shape.
	OOMPressure OOMVerdict = iota
	// OOMFragmented: enough was free where the request may be served, in pieces too small.
	OOMFragmented
	// OOMOther: enough was free, but on another stream or in another pool.
	OOMOther
	// OOMOutside: much of the device was used outside of PyTorch's allocator.
	OOMOutside
	// OOMLimit: the device had room, so a limit of the process or a failed mapping refused.
	OOMLimit
)

var oomVerdictKeys = [...]string{
	OOMPressure: "pressure", OOMFragmented: "fragmented", OOMOther: "other", OOMOutside: "outside", OOMLimit: "limit",
}

// Key names the verdict in files: "pressure".
func (v OOMVerdict) Key() string { return oomVerdictKeys[v] }

func (v OOMVerdict) String() string { return v.Key() }

const (
	// limitSlack is how much more than a segment must be free on the device for
	// memory not to be what was missing.
	limitSlack = 64 << 20
	// minOutside and minOutsidePercent of the capacity are more than a CUDA
	// context takes.
	minOutside        = 1 << 30
	minOutsidePercent = 10
	// inUsePercent of what is reserved is in use when memory is just full. Even then
	// the remainders nearly always add up to one more request, so the usual test
	// for fragmentation, enough free but not in one piece, proves nothing.
	inUsePercent = 90
)

// judge finds the verdict; the first that applies wins.
func (o *OOM) judge() {
	within := o.FreeSame + o.DeviceFree
	// What is free on the device is in one piece, so only the cache can be in pieces.
	inUse := 100*o.Active >= inUsePercent*o.Reserved
	switch {
	case o.DeviceFree >= o.Needed+limitSlack:
		o.Verdict = OOMLimit
	case o.Outside() >= max(o.Capacity/100*minOutsidePercent, minOutside) && (within < o.Requested || inUse):
		o.Verdict = OOMOutside
	case within < o.Requested && o.Requested <= within+o.FreeOther:
		o.Verdict = OOMOther
	case within >= o.Requested && !inUse:
		o.Verdict = OOMFragmented
	default:
		o.Verdict = OOMPressure
		o.LastPieces = within >= o.Requested
	}
}
