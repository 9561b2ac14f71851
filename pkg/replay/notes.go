package replay

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Notes are texts that the program attached to allocations: its metadata when they were
// made, and the texts of annotate events on live ones. A dict is shown as key=value,
// key=value; events keep it as it was written.
type Notes struct {
	s     *snapshot.Snapshot
	d     *Device
	added map[*Allocation][]snapshot.StringID // oldest first
	dicts map[snapshot.StringID]dict
}

// Notes finds the texts of the device's allocations. An annotate event is about the
// allocation live at its address, which may have been there before the recording.
func (d *Device) Notes(s *snapshot.Snapshot) *Notes {
	n := &Notes{s: s, d: d, dicts: map[snapshot.StringID]dict{}}
	n.readDicts()
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

// readDicts parses the metadata texts that are dicts, each once.
func (n *Notes) readDicts() {
	last := snapshot.StringID(0)
	for _, id := range n.d.Events.Metadata {
		if _, read := n.dicts[id]; read || id == last {
			continue
		}
		if d, ok := parseDict(n.s.String(id)); ok {
			n.dicts[id] = d
		}
		last = id
	}
}

// text returns metadata in readable form.
func (n *Notes) text(id snapshot.StringID) string {
	if d, is := n.dicts[id]; is {
		return d.String()
	}
	return n.s.String(id)
}

// Keys are the keys of all dicts of the device, each once, in no order.
func (n *Notes) Keys() []string {
	known := map[string]bool{}
	for _, d := range n.dicts {
		for _, key := range d.keys {
			known[key] = true
		}
	}
	return slices.Collect(maps.Keys(known))
}

// Value returns the last value that the dicts of an allocation have for a key; "" if none
// has the key.
func (n *Notes) Value(a *Allocation, key string) (value string) {
	find := func(id snapshot.StringID) {
		d := n.dicts[id]
		for i := range d.keys {
			if d.keys[i] == key {
				value = d.values[i]
			}
		}
	}
	if e := n.d.Events; !a.PreExisting() && e.Metadata != nil {
		find(e.Metadata[a.Start])
	}
	for _, id := range n.added[a] {
		find(id)
	}
	return value
}

// Added returns the text that annotate events have added to an allocation of the device, "" if
// there is none. Several are joined, up to about [snapshot.MaxText] bytes: the rest is
// counted.
func (n *Notes) Added(a *Allocation) string {
	const most = snapshot.MaxText - len("; and 1000000000 more")
	var b strings.Builder
	for i, id := range n.added[a] {
		text := n.text(id)
		if i > 0 && b.Len()+len("; ")+len(text) > most {
			fmt.Fprintf(&b, "; and %d more", len(n.added[a])-i)
			break
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(text)
	}
	return b.String()
}

// Of returns the metadata with which an allocation was made and the texts added to it, ""
// if there are none.
func (n *Notes) Of(a *Allocation) string {
	own := ""
	if e := n.d.Events; !a.PreExisting() && e.Metadata != nil {
		own = n.text(e.Metadata[a.Start])
	}
	added := n.Added(a)
	if own != "" && added != "" {
		return own + "; " + added
	}
	return own + added
}
