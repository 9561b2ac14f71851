package answer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/units"
)

// Mark is one end of a stretch of events: an event or a time. The zero Mark is
// the end of the recording on its side.
type Mark struct {
	kind markKind
	n    int64 // event index, or microseconds since the first event
}

type markKind uint8

const (
	openEnd markKind = iota
	eventMark
	timeMark
)

// ParseMark reads an event index such as 7212 or a time since the first event
// such as 500ms. Nothing is the zero Mark.
func ParseMark(text string) (Mark, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return Mark{}, nil
	}
	if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return Mark{eventMark, int64(n)}, nil
	}
	micros, err := units.ParseDuration(text)
	if err != nil || strings.Trim(text, "0123456789.") == "" {
		return Mark{}, fmt.Errorf("%q is neither an event index nor a time such as 500ms", text)
	}
	return Mark{timeMark, micros}, nil
}

// between are the events i with first <= i < end that lie between two marks,
// both included.
func between(d *replay.Device, from, to Mark) (first, end int, err error) {
	n := d.Events.Len()
	if (from.kind == timeMark || to.kind == timeMark) && d.Events.TimeMicros == nil {
		return 0, 0, fmt.Errorf("a time is %w, which has none; use event indices", errNotThere)
	}
	end = n
	switch from.kind {
	case eventMark:
		first = int(min(from.n, int64(n)))
	case timeMark:
		for first < n && d.Events.SinceFirst(first) < from.n {
			first++
		}
	}
	switch to.kind {
	case eventMark:
		end = int(min(to.n+1, int64(n)))
	case timeMark:
		for end > 0 && d.Events.SinceFirst(end-1) > to.n {
			end--
		}
	}
	return min(first, end), end, nil
}
