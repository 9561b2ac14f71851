package replay

// MaxSize bounds the bytes that one event, block or segment may count: 4 TiB.
// No machine has more memory, and sums of larger numbers would overflow.
const MaxSize = 1 << 42

// Anomaly is something that a complete and correct recording does not have.
// [Anomaly.Kind] describes each.
type Anomaly uint8

const (
	UnequalEnd Anomaly = iota
	MissingBlocks
	ChangedBlocks
	OverlappingAllocs
	RepeatedFrees
	SizeMismatches
	UnknownActions
	ImpossibleSizes
	NegativeReserved
	ActiveAboveReserved
	ReopenedBlocks
	UnevenSegments
	OutsideSegments
	OverlappingRanges
	UnreadFields
	anomalyKinds
)

// AnomalyKind describes a kind of anomaly.
type AnomalyKind struct {
	Key    string // in JSON
	Denies bool   // a device that has one does not add up
	// One and Many follow a count in an unfinished sentence: "1 free returned memory that
	// was free already".
	One, Many string
}

// kinds is the only list of what can be wrong with the account of a device. Kinds that
// deny are contradictions, or may hide one. An unknown action does not deny: if it had
// changed memory, something else would not add up.
var kinds = [anomalyKinds]AnomalyKind{
	UnequalEnd: {"unequal_end", true,
		"replay ends with other bytes active than the final list of blocks has",
		"replays end with other bytes active than the final list of blocks has"},
	MissingBlocks: {"missing_blocks", true,
		"allocation was never freed, yet is not in the final list of blocks",
		"allocations were never freed, yet are not in the final list of blocks"},
	ChangedBlocks: {"changed_blocks", true,
		"allocation has another size in the final list of blocks",
		"allocations have another size in the final list of blocks"},
	OverlappingAllocs: {"overlapping_allocs", true,
		"allocation began at an address still in use; the older allocation was ended there",
		"allocations began at an address still in use; the older allocation was ended there"},
	RepeatedFrees: {"repeated_frees", true,
		"free returned memory that was free already",
		"frees returned memory that was free already"},
	SizeMismatches: {"size_mismatches", true,
		"free has another size than the allocation",
		"frees have another size than the allocation"},
	UnknownActions: {"unknown_actions", false,
		"event has an unknown action and changed nothing",
		"events have an unknown action and changed nothing"},
	ImpossibleSizes: {"impossible_sizes", true,
		"size was below zero or above 4 TiB and counted as zero",
		"sizes were below zero or above 4 TiB and counted as zero"},
	NegativeReserved: {"negative_reserved", true,
		"time reserved memory falls below zero: segment events seem to be missing",
		"times reserved memory falls below zero: segment events seem to be missing"},
	ActiveAboveReserved: {"active_above_reserved", true,
		"state has more memory active than reserved: segment events seem to be missing",
		"states have more memory active than reserved: segment events seem to be missing"},
	ReopenedBlocks: {"reopened_blocks", false,
		"final block is live at an address that the events had freed: its allocation was not recorded",
		"final blocks are live at addresses that the events had freed: their allocations were not recorded"},
	UnevenSegments: {"uneven_segments", false,
		"segment contradicts its blocks",
		"segments contradict their blocks"},
	OutsideSegments: {"outside_segments", true,
		"allocation lies outside every segment: segment events seem to be missing",
		"allocations lie outside every segment: segment events seem to be missing"},
	OverlappingRanges: {"overlapping_ranges", true,
		"allocation reaches into another one that is live",
		"allocations reach into others that are live"},
	UnreadFields: {"unread_fields", true,
		"value in the file cannot be read, and counts as zero or is left out",
		"values in the file cannot be read, and count as zero or are left out"},
}

// Kind describes the anomaly.
func (a Anomaly) Kind() *AnomalyKind { return &kinds[a] }

// Anomalies counts the anomalies of a device, by kind. The words of each kind say what it
// counts; NegativeReserved counts state 0 and the segment events after which the curve is
// below zero, not the states between.
type Anomalies [anomalyKinds]int

// Total is the number of anomalies of every kind.
func (a *Anomalies) Total() int {
	sum := 0
	for _, n := range a {
		sum += n
	}
	return sum
}

// AddsUp reports whether the replay ends exactly in the final segments and nothing in the
// file contradicts it. It is also false where that cannot be known: without a history,
// without final segments and their events, or if the end was not read.
func (d *Device) AddsUp() bool { return !d.Contradicted() && d.HasHistory() && !d.Unconfirmed() }

// Contradicted reports whether something in the file contradicts the replay, or
// cannot be read.
func (d *Device) Contradicted() bool {
	for kind, n := range d.Anomalies {
		if n > 0 && kinds[kind].Denies {
			return true
		}
	}
	return false
}

// HasHistory reports whether there is anything to replay. A recording with
// enabled="state" leaves one event, which does not show what came before it.
func (d *Device) HasHistory() bool { return d.Events.Len() > 1 }

// Unconfirmed reports whether the file lacks a second account of memory to compare the
// replay with.
func (d *Device) Unconfirmed() bool {
	return d.Reconciliation.EndUnknown || d.Reconciliation.Segments == 0 && len(d.Reserved) == 0
}

// Reconciliation compares the end of the replay with the final segments, which the
// allocator wrote down independently of the events. Differences are counted in
// [Anomalies].
type Reconciliation struct {
	UnmatchedFrees     int   // frees without an alloc: normal when recording began late
	PreExistingBlocks  int   // live final blocks that the trace did not open
	MissingBlockBytes  int64 // of MissingBlocks
	LiveBlocks         int   // live final blocks
	LiveRequestedBytes int64 // their requested bytes
	LiveBlockBytes     int64 // their rounded bytes
	Segments           int
	HistoryCut         bool   // the ring buffer overflowed, or seems to have
	HistoryCutReason   string // why HistoryCut was concluded, in words
	// the final segments were not read (snapshot.Salvaged), or never written: nothing at the end
	// could be compared
	EndUnknown    bool
	EndNotWritten bool // the file's writer never writes final segments
}
