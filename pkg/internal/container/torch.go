package container

import (
	"bytes"

	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// protocolOpcode begins every pickle of protocol 2 and later.
const protocolOpcode = 0x80

// legacyMagic is the integer that the first pickle of torch.save's older
// container holds, as LONG1, and the end of that pickle.
const legacyMagic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."

// legacyParts is how many pickles stand before the object: the magic, the
// protocol, and facts about the machine.
const legacyParts = 3

// tensorMarks are how a tensor is rebuilt, in protocols 2 and 4. No string of a
// snapshot can hold the first one, nor end as the second one does.
var tensorMarks = [][]byte{[]byte("ctorch._utils\n_rebuild_"), []byte("\x8c\x0ctorch._utils\x94\x8c")}

// sniffPickle tells apart what begins with a pickle.
func sniffPickle(head []byte) Kind {
	for _, mark := range tensorMarks {
		if bytes.Contains(head, mark) {
			return Checkpoint
		}
	}
	if _, ok := legacyLength(head); ok {
		return TorchLegacy
	}
	return Pickle
}

// legacyLength is how many bytes stand before the object of torch.save's older
// container. It is not ok if head begins with something else.
func legacyLength(head []byte) (n int, ok bool) {
	for part := range legacyParts {
		length, ok := pickle.Length(head[n:])
		if !ok || part == 0 && !bytes.HasSuffix(head[:length], []byte(legacyMagic)) {
			return 0, false
		}
		n += length
	}
	return n, true
}
