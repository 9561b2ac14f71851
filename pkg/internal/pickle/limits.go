package pickle

import "fmt"

// Limits bound the resources that a file can make a decoder use. Zero fields take the values of
// defaultLimits. [Bounds] names each field.
type Limits struct {
	Input       int64 // bytes of a pickle, once unpacked
	Ratio       int64 // unpacked bytes per packed byte, once much is unpacked (package container)
	Memory      int64 // estimated bytes that decoding may hold; 0: see MemoryFor
	Stack       int64 // values on the stack, waiting for their container
	Objects     int64 // lists, dicts and tuples; never more than 2^28
	Memo        int64 // memo entries
	Depth       int64 // marks open at the same time, and containers inside one another
	StringBytes int64 // length of one string
	Frames      int64 // items of a list that a Builder interns, such as a stack; more are cut off and counted
	LoadBytes   int64 // bytes of a pickle that Load reads, because it holds them in memory
}

// defaultLimits are far above what torch writes (a trace of ten million events
// is 2 GB, with 25 million objects) and low enough to stop a hostile file early.
var defaultLimits = Limits{
	Input:       64 << 30,
	Ratio:       250, // torch's own files unpack to 10 to 60 times their size, bombs to 1,000
	Stack:       1 << 24,
	Objects:     1 << refBits,
	Memo:        1 << 28,
	Depth:       256,
	StringBytes: 16 << 20,
	Frames:      10_000,
	LoadBytes:   64 << 20,
}

// Bytes that decoding may hold unless Limits.Memory is set: a floor plus twice the bytes
// read so far, because torch's files become smaller in columns. Load boxes every
// value, so it has a fixed bound.
const (
	memoryFloor   = 32 << 20
	memoryPerByte = 2
	loadMemory    = 256 << 20
)

// MemoryFor returns how many bytes may be held once read bytes have been read.
func (l Limits) MemoryFor(read int64) int64 {
	if l.Memory > 0 {
		return l.Memory
	}
	return memoryFloor + memoryPerByte*read
}

// Bound is one field of Limits by its name.
type Bound struct {
	Key   string
	Means string // a clause
	Bytes bool   // else it is a count
	of    func(*Limits) *int64
}

// Of points to the field of l.
func (b *Bound) Of(l *Limits) *int64 { return b.of(l) }

// Keys of the bounds, which errors name.
const (
	keyInput   = "input"
	keyRatio   = "ratio"
	keyMemory  = "memory"
	keyValues  = "values"
	keyObjects = "containers"
	keyMemo    = "memo"
	keyDepth   = "depth"
	keyString  = "string"
	keyFrames  = "frames"
	keySlow    = "slow"
)

// Bounds are all fields of Limits.
var Bounds = []Bound{
	{keyInput, "a snapshot, once unpacked", true, func(l *Limits) *int64 { return &l.Input }},
	{keyRatio, "how many times its size a packed file may unpack to, beyond 128 MiB", false,
		func(l *Limits) *int64 { return &l.Ratio }},
	{keyMemory, "what reading may hold; else 32 MiB and twice what has been read", true,
		func(l *Limits) *int64 { return &l.Memory }},
	{keyValues, "values that wait for their list or dict", false, func(l *Limits) *int64 { return &l.Stack }},
	{keyObjects, "lists, dicts and tuples", false, func(l *Limits) *int64 { return &l.Objects }},
	{keyMemo, "entries of the memo", false, func(l *Limits) *int64 { return &l.Memo }},
	{keyDepth, "containers inside one another", false, func(l *Limits) *int64 { return &l.Depth }},
	{keyString, "one string", true, func(l *Limits) *int64 { return &l.StringBytes }},
	{keyFrames, "frames of one stack; deeper ones are cut and counted", false,
		func(l *Limits) *int64 { return &l.Frames }},
	{keySlow, "a pickle of a kind that torch does not write, which is read in memory", true,
		func(l *Limits) *int64 { return &l.LoadBytes }},
}

// WithDefaults fills the zero fields, except for Memory, whose zero has a meaning.
func (l Limits) WithDefaults() Limits {
	defaults := defaultLimits
	for i := range Bounds {
		if field := Bounds[i].of(&l); *field <= 0 {
			*field = *Bounds[i].of(&defaults)
		}
	}
	l.Objects = min(l.Objects, 1<<refBits)
	return l
}

// OverLimit is the error for a file that exceeds the bound called key. offset counts
// bytes of the unpacked input.
func OverLimit(key string, offset int64, format string, args ...any) error {
	return &Error{Offset: offset, Limit: key, What: fmt.Sprintf(format, args...), Err: ErrLimit}
}
