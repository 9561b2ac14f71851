package predict

import (
	"github.com/memviz-go/memviz/pkg/answer/trust"
)

// Device is what a device would need at sizes at which nothing was recorded, if
// nothing but the size changes.
type Device struct {
	Device int `json:"device"`
	trust.Trust
	Refused   *Refusal `json:"refused" jsonschema:"nullable"` // why nothing is predicted; null if it is
	Forced    bool     `json:"forced"`                        // predicted although refused
	Proof     Proof    `json:"proof"`
	Laws      []Law    `json:"laws"`       // by which sizes follow x, in the recording at the largest x
	FirstStep bool     `json:"first_step"` // the recordings are of a first step, which understates the run

	ActivePeak *int64 `json:"active_peak_bytes" jsonschema:"nullable"` // the most of all rows
	// the most of all rows; null if it is not predicted
	ReservedPeak *int64 `json:"reserved_peak_bytes" jsonschema:"nullable"`
	Capacity     int64  `json:"capacity_bytes"` // given; 0: none
	Rows         []Row  `json:"rows"`           // predictions, as asked
	// the largest x that fits; null if it was not asked for or is not known
	Largest *Largest `json:"largest" jsonschema:"nullable"`
	// what the recordings cannot tell, and how it was treated: sentences
	Limits []string `json:"limits"`
}

// Refusal is why recordings cannot be compared.
type Refusal struct {
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// Proof is what predictions rest on.
type Proof struct {
	AlignedShare float64 `json:"aligned_share"` // of the requests, in the worst pair of recordings
	// lines and folders did not count, because files were edited or moved
	ByFunction   bool    `json:"by_function"`
	LastStep     bool    `json:"last_step"`     // only the last complete steps were compared
	EvidentShare float64 `json:"evident_share"` // of the bytes requested, under a law that the recordings prove
	// reserved memory is predicted: the model reproduces every recording, also from an empty cache
	Reserved   bool     `json:"reserved"`
	Recordings []Source `json:"recordings"`
	Checks     []Check  `json:"checks"` // each recording predicted from the others, if there are three or more
}

// Source is a recording that predictions are made from.
type Source struct {
	X            int64  `json:"x"`
	File         string `json:"file"`
	ActivePeak   int64  `json:"active_peak_bytes"`
	ReservedPeak int64  `json:"reserved_peak_bytes"`
	Reproduced   bool   `json:"reproduced"` // the model gives every recorded address
	// reserved peak without cached segments that were never used; 0 if not reproduced
	UsedReserved int64 `json:"used_peak_bytes"`
	// reserved peak if its requests are served from an empty cache; 0 if not reproduced
	ServedAnew    int64 `json:"served_peak_bytes"`
	LeftoverBytes int64 `json:"leftover_bytes"` // cached before the recording and never used in it
}

// Check is a recording predicted from all others.
type Check struct {
	X                    int64  `json:"x"`
	Refused              string `json:"refused"` // why the others predict nothing; "" if they do
	ActivePeak           int64  `json:"active_peak_bytes"`
	RecordedActivePeak   int64  `json:"recorded_active_peak_bytes"`
	ReservedPeak         *int64 `json:"reserved_peak_bytes" jsonschema:"nullable"`
	RecordedReservedPeak int64  `json:"recorded_reserved_peak_bytes"`
}

// Law is how many bytes follow a kind of law.
type Law struct {
	Kind  string `json:"kind"` // constant, linear, square, padded, padded_square, shifted, affine or unknown
	Bytes int64  `json:"bytes"`
}

// Row is a prediction.
type Row struct {
	X int64 `json:"x"`
	// the x of the recording whose order and lifetimes it has
	Base int64 `json:"base"`
	// of the step as recorded, with sizes that follow no law as in that recording
	ActivePeak int64 `json:"active_peak_bytes"`
	// bytes; unlike active_peak_bytes only where unknown_bytes or unproved_bytes are above 0
	ActiveLow    int64  `json:"active_low"`
	ActiveHigh   int64  `json:"active_high"`                               // bytes
	PeakSite     string `json:"peak_site"`                                 // that asked for memory last
	ReservedPeak *int64 `json:"reserved_peak_bytes" jsonschema:"nullable"` // null: not predicted
	ReservedLow  *int64 `json:"reserved_low" jsonschema:"nullable"`        // bytes
	ReservedHigh *int64 `json:"reserved_high" jsonschema:"nullable"`       // bytes
	// after a recorded first step; else null
	NextStep *Next `json:"next_step" jsonschema:"nullable"`
	// into the capacity, next step included, even if as much is reserved as the spread allows;
	// false where forced; null if not known
	Fits *bool `json:"fits" jsonschema:"nullable"`
	// it fits, or would if as little is reserved as the spread allows; null if not known
	MayFit       *bool   `json:"may_fit" jsonschema:"nullable"`
	EvidentShare float64 `json:"evident_share"`
	// live at the peak, of sizes that follow no law
	UnknownBytes int64 `json:"unknown_bytes"`
	// live at the peak, of sizes that grow with the square of x, as scores of attention do
	SquareBytes   int64 `json:"square_bytes"`
	WithoutSquare int64 `json:"without_square_active_peak_bytes"` // active peak if these requests were not made
	// live at the peak, of sizes under a law that the recordings do not prove
	UnprovedBytes int64 `json:"unproved_bytes"`
}

// Next is what the step after a first one needs, in bytes of active memory: the
// least if its gradients are dropped before the forward pass, the most if after.
type Next struct {
	Low          int64  `json:"low"`
	High         int64  `json:"high"`
	ReservedLow  *int64 `json:"reserved_low" jsonschema:"nullable"`
	ReservedHigh *int64 `json:"reserved_high" jsonschema:"nullable"`
}

// Largest is the largest x that fits into the capacity.
type Largest struct {
	X           int64  `json:"x"` // 0: not even the smallest
	MultipleOf  int64  `json:"multiple_of"`
	Margin      int64  `json:"margin_bytes"`
	FailsAt     int64  `json:"fails_at"` // the next x, of which a request fails; 0: none was found
	FailedBytes int64  `json:"failed_bytes"`
	FailedSite  string `json:"failed_site"`
	FitsAgainAt int64  `json:"fits_again_at"` // a larger x that fits all the same; 0: none
	WithSpread  int64  `json:"x_with_spread"` // that fits if the spread of reserved memory is left free; 0: none
}
