package analysis

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// SiteKey names a call site in such a way that other recordings of the same
// program have it too: no addresses, no lines, no folders in which a program or
// an environment happens to lie. Keys can be compared and say nothing else; the
// zero key is that of a stack that names no Python and no operator.
type SiteKey [16]byte

// siteKeys are the two keys of a stack.
type siteKeys struct {
	path SiteKey // function and file of every Python frame, and the operator
	site SiteKey // innermost user frame, innermost Python function, and the operator
}

// siteKeyer gives the keys of the stacks of one snapshot.
type siteKeyer struct {
	st        *StackFacts
	operators bool                         // C++ frames count
	files     map[snapshot.StringID]string // shortened
	text      []byte
}

// newSiteKeyer takes whether operators are part of the keys. They must not be
// where one of the recordings that are compared has no C++ frames.
func newSiteKeyer(st *StackFacts, operators bool) *siteKeyer {
	return &siteKeyer{st: st, operators: operators, files: map[snapshot.StringID]string{}}
}

// hasNative reports whether some stack of the snapshot has a C++ frame.
func (st *StackFacts) hasNative() bool {
	for _, f := range st.facts {
		if f.has(factNative) {
			return true
		}
	}
	return false
}

func (k *siteKeyer) keys(id snapshot.StackID) siteKeys {
	innermost := NoFrame
	k.text = k.text[:0]
	for _, frame := range k.st.snapshot.Stacks.Frames(id) {
		if !k.counts(frame) {
			continue
		}
		if innermost == NoFrame {
			innermost = frame
		}
		k.addFrame(frame)
	}
	if innermost == NoFrame {
		k.addNative(id)
		key := k.sum()
		return siteKeys{key, key}
	}
	k.addOperator(id)
	keys := siteKeys{path: k.sum()}
	k.text = k.text[:0]
	if user := k.st.SiteFrame[id]; user != NoFrame {
		f := &k.st.snapshot.Frames[user]
		k.add(baseFunction(k.st.snapshot.String(f.Name)))
		k.add(baseFile(k.file(f.File)))
	}
	k.add(baseFunction(k.st.snapshot.String(k.st.snapshot.Frames[innermost].Name)))
	k.addOperator(id)
	keys.site = k.sum()
	return keys
}

// counts reports whether a frame is part of a path: Python that does more than
// pass a call on. Which wrappers stand between differs from one torch version,
// launcher and compiler to the next.
func (k *siteKeyer) counts(frame snapshot.FrameID) bool {
	return k.st.FrameClass[frame] != Internal
}

func (k *siteKeyer) addFrame(frame snapshot.FrameID) {
	f := &k.st.snapshot.Frames[frame]
	k.add(baseFunction(k.st.snapshot.String(f.Name)))
	k.add(k.file(f.File))
}

// addNative adds what is known of a stack without Python.
func (k *siteKeyer) addNative(id snapshot.StackID) {
	if k.operators {
		if text := k.st.Site(id).String(); text != "" {
			k.add(text)
		}
	}
}

func (k *siteKeyer) addOperator(id snapshot.StackID) {
	if k.operators {
		k.add(k.st.Operator[id])
	}
}

// add appends a text in such a way that no other texts read the same.
func (k *siteKeyer) add(text string) {
	k.text = binary.AppendUvarint(k.text, uint64(len(text)))
	k.text = append(k.text, text...)
}

// sum is the key of what was added; of nothing it is the zero key.
func (k *siteKeyer) sum() SiteKey {
	if len(k.text) == 0 {
		return SiteKey{}
	}
	hash := sha256.Sum256(k.text)
	return SiteKey(hash[:len(SiteKey{})])
}

func (k *siteKeyer) file(id snapshot.StringID) string {
	short, seen := k.files[id]
	if !seen {
		short = portableFile(slashed(k.st.snapshot.String(id)))
		k.files[id] = short
	}
	return short
}
