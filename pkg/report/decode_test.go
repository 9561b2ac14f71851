package report

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/memviz-go/memviz/pkg/report/recording"
)

// The other side of the payload format, written from the package comment alone:
// it shares no code with the encoder.

// decodedPage is everything that the viewer reads from a page.
type decodedPage struct {
	report   recording.Report
	chart    map[string]any
	payloads map[string][]byte
}

var (
	jsonElement    = regexp.MustCompile(`(?s)<script type="application/json" id="([a-z-]+)">(.*?)</script>`)
	payloadElement = regexp.MustCompile(
		`<script type="text/plain" id="([a-z0-9-]+)" data-bytes="(\d+)">([A-Za-z0-9+/=]*)</script>`)
)

func decodePage(html []byte) (*decodedPage, error) {
	page := &decodedPage{payloads: map[string][]byte{}}
	for _, m := range jsonElement.FindAllSubmatch(html, -1) {
		var err error
		switch id := string(m[1]); id {
		case "memviz-report":
			err = json.Unmarshal(m[2], &page.report)
		case "memviz-chart":
			err = json.Unmarshal(m[2], &page.chart)
		case "memviz-compare":
		default:
			err = fmt.Errorf("unknown element %s", id)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, m := range payloadElement.FindAllSubmatch(html, -1) {
		raw, err := inflatePayload(m[3], m[2])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m[1], err)
		}
		page.payloads[string(m[1])] = raw
	}
	return page, nil
}

func inflatePayload(text, size []byte) ([]byte, error) {
	packed, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return nil, err
	}
	raw, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		return nil, err
	}
	if strconv.Itoa(len(raw)) != string(size) {
		return nil, fmt.Errorf("%d bytes, announced as %s", len(raw), size)
	}
	return raw, nil
}

// columnReader reads columns until one does not fit.
type columnReader struct {
	rest []byte
	err  error
}

func (r *columnReader) varint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.err = errors.New("the payload ends inside a varint")
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *columnReader) column() []uint64 {
	n := r.varint()
	if n > uint64(len(r.rest)) {
		r.err = fmt.Errorf("a column of %d values in %d bytes", n, len(r.rest))
		return nil
	}
	values := make([]uint64, n)
	for i := range values {
		values[i] = r.varint()
		if values[i] >= 1<<53 {
			r.err = fmt.Errorf("%d is no exact number in JavaScript", values[i])
		}
	}
	return values
}

func (r *columnReader) signed() []int64 {
	column := r.column()
	values := make([]int64, len(column))
	for i, v := range column {
		values[i] = int64(v / 2)
		if v%2 == 1 {
			values[i] = -values[i] - 1
		}
	}
	return values
}

func sums[T int64 | uint64](differences []T) []T {
	for i := 1; i < len(differences); i++ {
		differences[i] += differences[i-1]
	}
	return differences
}

func (r *columnReader) strings() []string {
	texts := make([]string, r.varint())
	lengths := make([]int, len(texts))
	for i := range lengths {
		lengths[i] = int(r.varint())
	}
	for i, n := range lengths {
		if n > len(r.rest) {
			r.err = errors.New("the payload ends inside a string")
			return texts
		}
		texts[i] = string(r.rest[:n])
		r.rest = r.rest[n:]
	}
	return texts
}

func (r *columnReader) finish() error {
	if r.err == nil && len(r.rest) > 0 {
		return fmt.Errorf("%d bytes after the last column", len(r.rest))
	}
	return r.err
}

// appendColumn writes a column of values as they are.
func appendColumn(raw []byte, values ...uint64) []byte {
	raw = binary.AppendUvarint(raw, uint64(len(values)))
	for _, v := range values {
		raw = binary.AppendUvarint(raw, v)
	}
	return raw
}

// edited is a payload without strings, with other values in a column.
func edited(t testing.TB, raw []byte, column int, edit func([]uint64) []uint64) []byte {
	t.Helper()
	r := columnReader{rest: raw}
	for range column {
		r.column()
	}
	before := raw[:len(raw)-len(r.rest)]
	after := appendColumn(slices.Clone(before), edit(r.column())...)
	if r.err != nil {
		t.Fatal(r.err)
	}
	return append(after, r.rest...)
}

// decodedStacks is a payload "stacks-F".
type decodedStacks struct {
	strings                                      []string
	name, file, line, class                      []uint64
	parent, nodeFrame                            []uint64
	node, site, operator, shade, backwardStackID []uint64
	named                                        []uint64
}

func decodeStacks(raw []byte) (*decodedStacks, error) {
	r := columnReader{rest: raw}
	s := &decodedStacks{strings: r.strings()}
	for _, column := range []*[]uint64{
		&s.name, &s.file, &s.line, &s.class, &s.parent, &s.nodeFrame,
		&s.node, &s.site, &s.operator, &s.shade, &s.backwardStackID, &s.named,
	} {
		*column = r.column()
	}
	return s, r.finish()
}

// frames are the frames of a stack as "file:line:function", innermost first.
func (s *decodedStacks) frames(stack int) []string {
	var frames []string
	for node := s.node[stack]; node > 0; node -= s.parent[node-1] {
		frames = append(frames, s.frame(s.nodeFrame[node-1]))
	}
	return frames
}

func (s *decodedStacks) frame(i uint64) string {
	return fmt.Sprintf("%s:%d:%s", s.strings[s.file[i]], s.line[i], s.strings[s.name[i]])
}

// decodedDevice is a payload "device-F-D".
type decodedDevice struct {
	time                        []int64
	start, life                 []uint64
	pendingAlloc, pendingWait   []uint64
	size                        []uint64
	addr                        []uint64 // put together
	stack, freeStack, stream    []uint64
	family, source              []uint64
	reservedEvent               []uint64
	reservedDelta               []int64
	markerEvent, markerKind     []uint64
	markerSize, markerFree      []uint64
	contextAlloc, contextText   []uint64
	metadataAlloc, metadataText []uint64
	rule, pool                  []uint64
	space                       *naiveSpace // nil without one
}

func decodeDevice(page *decodedPage, view *recording.Device) (*decodedDevice, error) {
	r := columnReader{rest: page.payloads[view.Payload]}
	d := &decodedDevice{time: sums(r.signed())}
	d.start, d.life = sums(r.column()), r.column()
	d.pendingAlloc, d.pendingWait = sums(r.column()), r.column()
	d.size = r.column()
	offset, high, low := r.signed(), r.column(), r.column()
	d.stack, d.freeStack, d.stream = r.column(), r.column(), r.column()
	d.family, d.source = r.column(), r.column()
	d.reservedEvent, d.reservedDelta = sums(r.column()), r.signed()
	d.markerEvent, d.markerKind = sums(r.column()), r.column()
	d.markerSize, d.markerFree = r.column(), r.column()
	d.contextAlloc, d.contextText = sums(r.column()), r.column()
	d.metadataAlloc, d.metadataText = sums(r.column()), r.column()
	d.rule, d.pool = r.column(), r.column()
	if err := r.finish(); err != nil {
		return nil, err
	}

	base, err := strconv.ParseUint(view.BaseAddr, 0, 64)
	if err != nil {
		return nil, err
	}
	last := map[uint64]int64{}
	for i, v := range offset {
		last[d.size[i]] += v
		d.addr = append(d.addr, base+uint64(last[d.size[i]]))
	}
	for i := range high {
		d.addr = append(d.addr, high[i]<<32|low[i])
	}
	if view.Space == nil {
		return d, nil
	}
	if len(d.addr) > 0 {
		return nil, errors.New("there are addresses, and places")
	}
	if d.space, err = decodeSpace(page.payloads[view.Space.Payload], view, d); err != nil {
		return nil, err
	}
	d.addr, err = d.space.addresses(page.payloads[view.Space.Addresses], view)
	return d, err
}
