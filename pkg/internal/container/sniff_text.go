package container

import (
	"bytes"
	"regexp"
)

// pageMarks are what tells one HTML page from another, near its start.
var pageMarks = []struct {
	mark string
	kind Kind
}{
	{`<meta name="generator" content="memviz `, Report},
	{`<title>GPU Memory Timeline HTML</title>`, MemoryTimeline},
}

func sniffHTML(head []byte) Kind {
	for _, m := range pageMarks {
		if bytes.Contains(head, []byte(m.mark)) {
			return m.kind
		}
	}
	if vizPayload.Match(head) {
		return VizPage
	}
	return HTML
}

var (
	// vizPayload is where torch's page begins with the base64 of its snapshot
	//.
	vizPayload = regexp.MustCompile(`local_files\s*=\s*\[\s*\{[^{}]{0,1000}"base64"\s*:\s*"`)
	// timelineStart is a list of lists of numbers: no snapshot, whose lists hold
	// dicts.
	timelineStart = regexp.MustCompile(`^\[\s*\[`)
	// traceKey is a key that only Chrome traces have at their top.
	traceKey = regexp.MustCompile(`^\{\s*"(?:schemaVersion|traceEvents|displayTimeUnit|deviceProperties|traceName|otherData)"`)
	// traceEvent is a trace without a top: a list of events with a phase.
	traceEvent = regexp.MustCompile(`^\[\s*\{[^{}]*"ph"\s*:`)
)

func sniffJSON(head []byte) Kind {
	switch {
	case timelineStart.Match(head):
		return MemoryTimeline
	case traceKey.Match(head), traceEvent.Match(head):
		return ChromeTrace
	}
	return JSON
}
