// Package phrase has the short phrases that several answers share.
package phrase

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

// NoHostFailures says why it is not known whether requests for host memory failed.
const NoHostFailures = "torch records no request for host memory that fails"

// Changed is a difference in a sentence, where 0 alone would read as an amount.
func Changed(bytes int64) string {
	if bytes == 0 {
		return "±0"
	}
	return units.NoBreak(units.Change(bytes))
}

// SiteName is a site as text.
func SiteName(site string) any {
	if site == "" {
		return NoStack
	}
	return sheet.Name(site)
}

// DeviceName names a device where its snapshot is not at hand.
func DeviceName(device int) string {
	if snapshot.DeviceID(device) == snapshot.Pinned {
		return "pinned"
	}
	return "device " + strconv.Itoa(device)
}

// StackLines are the frames of a stack, innermost first, as file:line:function.
func StackLines(s *snapshot.Snapshot, id snapshot.StackID) []string {
	frames := s.Stacks.Frames(id)
	lines := make([]string, len(frames))
	for i, f := range frames {
		frame := s.Frames[f]
		lines[i] = fmt.Sprintf("%s:%d:%s", s.String(frame.File), frame.Line, s.String(frame.Name))
	}
	return lines
}

// Share is a part of 1 inside a sentence.
func Share(part float64) string { return units.NoBreak(units.Share(int64(part*1e9), 1e9)) }

// PendingUser is what may still use memory that was freed.
func PendingUser(device snapshot.DeviceID) string {
	if device == snapshot.Pinned {
		return "a copy"
	}
	return "another stream"
}

// Shown for call sites and operators that were not recorded.
const (
	NoStack    = "(no stack recorded)"
	NoOperator = "(no operator recorded)"
)

// Amount is a number of bytes inside a sentence.
func Amount(n int64) string { return units.NoBreak(units.Bytes(n)) }

// Bounds on what a sentence quotes of a file: names, and characters of each.
const (
	maxQuoted = 5
	maxQuote  = 40
)

// Quoted lists names of a file, each with how often it was seen.
func Quoted(seen map[string]int) string {
	return QuotedNames(seen, func(n int) string { return " (" + units.Count(n) + ")" })
}

// QuotedNames lists names of a file, each with what is to be said of it.
func QuotedNames[T any](seen map[string]T, say func(T) string) string {
	names := slices.Sorted(maps.Keys(seen))
	var parts []string
	for i, name := range names {
		if i == maxQuoted {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		text := []rune(strings.ToValidUTF8(name, "\uFFFD"))
		if len(text) > maxQuote {
			text = append(text[:maxQuote], '…')
		}
		parts = append(parts, fmt.Sprintf("%q", string(text))+say(seen[name]))
	}
	return strings.Join(parts, ", ")
}
