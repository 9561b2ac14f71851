package analysis

import (
	"strconv"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Overrides are rules of a person's own, which win over all others: what the
// tensors are for whose allocation stacks have certain names. [ParseOverrides]
// reads them. The first that fits a stack decides.
type Overrides struct {
	file string // that they were read from, as it is to be shown
	list []override
}

// override is one line of a rules file.
type override struct {
	line   int
	text   string // without spaces around it
	family Family
	field  overrideField
	fits   func(text string) bool
}

// overrideField is what of a stack an override looks at.
type overrideField uint8

const (
	fieldFunction overrideField = iota // of any frame
	fieldFile                          // of any frame
	fieldFrame                         // any frame, as file:line:function
	fieldOperator                      // of the stack
	fieldCount    int           = iota
)

var fieldNames = [fieldCount]string{"function", "file", "frame", "operator"}

// maxOverrides keeps a rule in one byte.
const maxOverrides = 200

var _ [256 - maxOverrides - ruleCount]struct{}

// Len is how many there are.
func (o *Overrides) Len() int {
	if o == nil {
		return 0
	}
	return len(o.list)
}

// HideText has reasons name the line of a rule and neither its file nor its text,
// which may hold names that a report is not to show.
func (o *Overrides) HideText() {
	o.file = "the rules file"
	for i := range o.list {
		o.list[i].text = ""
	}
}

// reason is what override i concludes, in the words of its author.
func (o *Overrides) reason(i int) Reason {
	r := &o.list[i]
	because := "said so by line " + strconv.Itoa(r.line) + " of " + o.file
	if r.text != "" {
		because += ": " + r.text
	}
	return Reason{Family: r.family, Because: because}
}

// Overridden is what overrides decide in one snapshot.
type Overridden struct {
	overrides *Overrides
	of        []uint8 // by stack: the override that decides, or notOverridden
}

// Apply decides for every stack which override fits it, and puts the frame that
// it fits into st.Named.
func (o *Overrides) Apply(st *StackFacts) *Overridden {
	if o.Len() == 0 {
		return nil
	}
	first := o.firstByFrame(st.snapshot)
	of := make([]uint8, len(st.facts))
	operators := map[string]uint8{}
	for id := range of {
		operator := st.Operator[id]
		best, seen := operators[operator]
		if !seen {
			best = o.first(func(r *override) bool {
				return r.field == fieldOperator && operator != "" &&
					r.fits(operator)
			})
			operators[operator] = best
		}
		for _, frame := range st.snapshot.Stacks.Frames(snapshot.StackID(id)) {
			if n := first[frame]; n < best {
				best, st.Named[id] = n, frame
			}
		}
		of[id] = best
	}
	return &Overridden{o, of}
}

// notOverridden stands behind all overrides.
const notOverridden = maxOverrides

// first is the first override that fits, or notOverridden.
func (o *Overrides) first(fits func(*override) bool) uint8 {
	for i := range o.list {
		if fits(&o.list[i]) {
			return uint8(i)
		}
	}
	return notOverridden
}

// firstByFrame is the first override that each frame alone fits. Frames share
// few files and functions, so each text is looked at once.
func (o *Overrides) firstByFrame(s *snapshot.Snapshot) []uint8 {
	type known map[snapshot.StringID]uint8
	look := func(k known, field overrideField, id snapshot.StringID, text string) uint8 {
		n, seen := k[id]
		if !seen {
			n = o.first(func(r *override) bool { return r.field == field && r.fits(text) })
			k[id] = n
		}
		return n
	}
	functions, files := known{}, known{}
	first := make([]uint8, len(s.Frames))
	for i, f := range s.Frames {
		name, file := s.String(f.Name), slashed(s.String(f.File))
		whole := file + ":" + strconv.Itoa(int(f.Line)) + ":" + name
		first[i] = min(
			look(functions, fieldFunction, f.Name, name),
			look(files, fieldFile, f.File, file),
			o.first(func(r *override) bool { return r.field == fieldFrame && r.fits(whole) }),
		)
	}
	return first
}

// override has the overrides of the stacks decide, after the built-in rules,
// which compare allocations with each other and so have to see all of them.
func (f *Families) override(o *Overridden, d *replay.Device) {
	if o == nil {
		return
	}
	f.overrides = o.overrides
	for i := range d.Allocations {
		if n := o.of[d.Allocations[i].Stack]; n != notOverridden {
			f.Rules[i] = Rule(ruleCount + int(n))
		}
	}
}
