package stacks

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Key is a hash of a call site without addresses, lines, and the folders of the
// program and its environment, so that other recordings of the same program have
// the same key. The zero key belongs to stacks without Python and operators.
type Key [16]byte

// Keys are the two keys of a stack.
type Keys struct {
	Path Key // function and file of every Python frame, and the operator
	Site Key // innermost user frame, innermost Python function, and the operator
}

// Keyer gives the keys of the stacks of one snapshot.
type Keyer struct {
	st        *Table
	operators bool                         // C++ frames count
	inPython  bool                         // operators that Python calls count too
	files     map[snapshot.StringID]string // shortened
	text      []byte
}

// NewKeyer makes keys with or without operators. If one of the compared recordings has no
// C++ frames, keys must be without.
func NewKeyer(st *Table, operators bool) *Keyer {
	return &Keyer{st: st, operators: operators, inPython: operators, files: map[snapshot.StringID]string{}}
}

// NewLineKeyer makes keys in which the operators that Python calls do not count.
// operators is whether C++ frames count without Python.
func NewLineKeyer(st *Table, operators bool) *Keyer {
	k := NewKeyer(st, operators)
	k.inPython = false
	return k
}

// Line returns the source location of a frame: the portable name of the file, its last
// element, the function and the line.
func (k *Keyer) Line(frame snapshot.FrameID) (file, base, function string, line int) {
	f := &k.st.Snapshot.Frames[frame]
	file = k.file(f.File)
	return file, baseFile(file), baseFunction(k.st.Snapshot.String(f.Name)), int(f.Line)
}

// HasNative reports whether some stack of the snapshot has a C++ frame.
func (st *Table) HasNative() bool {
	for _, f := range st.Facts {
		if f.Has(FactNative) {
			return true
		}
	}
	return false
}

// Keys returns the keys of a stack.
func (k *Keyer) Keys(id snapshot.StackID) Keys {
	innermost := NoFrame
	k.text = k.text[:0]
	for _, frame := range k.st.Snapshot.Stacks.Frames(id) {
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
		return Keys{key, key}
	}
	k.addOperator(id)
	keys := Keys{Path: k.sum()}
	k.text = k.text[:0]
	if user := k.st.SiteFrame[id]; user != NoFrame {
		f := &k.st.Snapshot.Frames[user]
		k.add(baseFunction(k.st.Snapshot.String(f.Name)))
		k.add(baseFile(k.file(f.File)))
	}
	k.add(baseFunction(k.st.Snapshot.String(k.st.Snapshot.Frames[innermost].Name)))
	k.addOperator(id)
	keys.Site = k.sum()
	return keys
}

// counts reports whether a frame belongs to a path: Python that does more than pass
// a call on. Wrappers differ between torch versions, launchers and compilers.
func (k *Keyer) counts(frame snapshot.FrameID) bool {
	return k.st.FrameClass[frame] != Internal
}

func (k *Keyer) addFrame(frame snapshot.FrameID) {
	f := &k.st.Snapshot.Frames[frame]
	k.add(baseFunction(k.st.Snapshot.String(f.Name)))
	k.add(k.file(f.File))
}

// addNative adds the site of a stack without Python.
func (k *Keyer) addNative(id snapshot.StackID) {
	if k.operators {
		if text := k.st.Site(id).String(); text != "" {
			k.add(text)
		}
	}
}

func (k *Keyer) addOperator(id snapshot.StackID) {
	if k.inPython {
		k.add(k.st.Operator[id])
	}
}

// add appends a text with its length, so that different lists of texts differ.
func (k *Keyer) add(text string) {
	k.text = binary.AppendUvarint(k.text, uint64(len(text)))
	k.text = append(k.text, text...)
}

// sum returns the key of the added texts; the zero key if there are none.
func (k *Keyer) sum() Key {
	if len(k.text) == 0 {
		return Key{}
	}
	hash := sha256.Sum256(k.text)
	return Key(hash[:len(Key{})])
}

func (k *Keyer) file(id snapshot.StringID) string {
	short, seen := k.files[id]
	if !seen {
		short = portableFile(Slashed(k.st.Snapshot.String(id)))
		k.files[id] = short
	}
	return short
}

// generatedFile replaces every file whose name changes from run to run.
const generatedFile = "<generated>"

// portableFile returns the part of a slashed Python file name that is the same on other
// machines and in other runs: the path inside an installed package, the standard library
// or torch, else the last two elements.
func portableFile(file string) string {
	if isNotebookCell(file) || isGeneratedFile(file) || strings.HasPrefix(file, "<") {
		return generatedFile
	}
	for _, folder := range []string{"/site-packages/", "/dist-packages/"} {
		if _, inside, found := cutLast(file, folder); found {
			return inside
		}
	}
	for _, folder := range []string{"/lib/python3", "/lib64/python3"} {
		if _, version, found := cutLast(file, folder); found {
			if _, inside, found := strings.Cut(version, "/"); found {
				return inside
			}
		}
	}
	if isTorch(file) { // in a source tree
		_, inside, _ := cutLast("/"+file, "/torch/")
		return "torch/" + inside
	}
	return lastParts(file, 2)
}

// cutLast is strings.Cut around the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// lastParts returns the last n elements of a slashed path.
func lastParts(path string, n int) string {
	i := len(path)
	for ; n > 0 && i >= 0; n-- {
		i = strings.LastIndexByte(path[:i], '/')
	}
	return path[i+1:]
}

// baseFile returns the last element of a slashed path.
func baseFile(path string) string { return lastParts(path, 1) }
