package snapshot

import (
	"math/bits"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// kinds is a set of kinds of records.
type kinds uint16

func only(k pickle.Kind) kinds { return 1 << k }

func (s kinds) first() pickle.Kind { return pickle.Kind(bits.TrailingZeros16(uint16(s))) }

// decisive are the keys that only one kind of record has.
var decisive = [numKeys]kinds{
	keyAction:    only(kindEvent),
	keyFilename:  only(kindFrame),
	keyTotalSize: only(kindSegment),
	keyState:     only(kindBlock),
	keyRealSize:  only(kindHistory),
	keyStage:     only(kindAnnotation),
}

// companions are the keys of which a record has one at least besides its
// decisive one. Every writer gives more of them.
var companions = [numKeys]kinds{
	keyAddr:           only(kindEvent) | only(kindHistory) | only(kindBlock),
	keyAddress:        only(kindSegment) | only(kindBlock),
	keyBlocks:         only(kindSegment),
	keyCompileContext: only(kindEvent),
	keyDevice:         only(kindSegment),
	keyDeviceFree:     only(kindEvent),
	keyFrames:         only(kindEvent) | only(kindHistory) | only(kindBlock),
	keyHistory:        only(kindBlock),
	keyName:           only(kindFrame),
	keyPoolID:         only(kindEvent),
	keyRequestedSize:  only(kindBlock),
	keySize:           only(kindEvent) | only(kindBlock),
	keyStream:         only(kindEvent) | only(kindSegment),
	keyTimeMicros:     only(kindEvent) | only(kindAnnotation),
	keyUserMetadata:   only(kindEvent),
}
