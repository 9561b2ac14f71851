package replay

import (
	"sort"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Notes are texts that the program has written beside allocations: its metadata when
// they were made, and what annotate events have added to live ones.
type Notes struct {
	s     *snapshot.Snapshot
	d     *Device
	added map[*Allocation][]snapshot.StringID // oldest first
}

// Notes finds the texts of the device's allocations. An annotate event is about what is
// live at its address, which may have been there before the recording.
func (d *Device) Notes(s *snapshot.Snapshot) *Notes {
	n := &Notes{s: s, d: d}
	at := map[uint64][]*Allocation{} // by annotated address, by Start
	for i, action := range d.Events.Action {
		if action == snapshot.Annotate && d.Events.Metadata != nil && d.Events.Metadata[i] != 0 {
			at[d.Events.Addr[i]] = nil
		}
	}
	if len(at) == 0 {
		return n
	}
	for i := range d.Allocations {
		a := &d.Allocations[i]
		if list, annotated := at[a.Addr]; annotated {
			at[a.Addr] = append(list, a)
		}
	}
	n.added = map[*Allocation][]snapshot.StringID{}
	for i, action := range d.Events.Action {
		if action != snapshot.Annotate || d.Events.Metadata[i] == 0 {
			continue
		}
		list := at[d.Events.Addr[i]]
		begun := sort.Search(len(list), func(k int) bool { return int(list[k].Start) >= i })
		if begun > 0 && list[begun-1].LiveIn(i) {
			a := list[begun-1]
			n.added[a] = append(n.added[a], d.Events.Metadata[i])
		}
	}
	return n
}

// Added is the text that annotate events have added to an allocation of the device, "" if
// there is none. Several are joined, up to [snapshot.MaxText] bytes.
func (n *Notes) Added(a *Allocation) string {
	var b strings.Builder
	for _, id := range n.added[a] {
		text := n.s.String(id)
		if b.Len()+len("; ")+len(text) > snapshot.MaxText {
			break
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(text)
	}
	return b.String()
}

// Of is the metadata with which an allocation was made and what was added to it, "" if
// there is none.
func (n *Notes) Of(a *Allocation) string {
	own := ""
	if e := n.d.Events; !a.PreExisting() && e.Metadata != nil {
		own = n.s.String(e.Metadata[a.Start])
	}
	added := n.Added(a)
	if own != "" && added != "" {
		return own + "; " + added
	}
	return own + added
}
