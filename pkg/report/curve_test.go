package report

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/samples"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testkit"
)

func TestCurve(t *testing.T) {
	d := replay.Replay(samples.Training(), 0)
	testkit.Golden(t, "curve_training.svg", []byte(curveSVG(recordedCurve(d, "cuda:0"))+"\n"))
}

// A million events take no more room than a few thousand do.
func TestCurveIsBounded(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	for i := range 300_000 {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i % 7), Size: int64(i * 7919 % 65_537)})
	}
	svg := curveSVG(recordedCurve(replay.Replay(c.Snapshot(), 0), "cuda:0"))
	if len(svg) > 64<<10 {
		t.Errorf("the curve takes %d bytes", len(svg))
	}
	if len(svg) < 10<<10 {
		t.Errorf("the curve takes %d bytes, too few for its columns", len(svg))
	}
}

// The curve is well-formed, holds no style or script, and escapes its texts.
func TestCurveIsInert(t *testing.T) {
	for _, s := range []*snapshot.Snapshot{samples.Training(), samples.Hostile(), samples.StateOnly(),
		samples.OneEvent()} {
		for _, id := range s.Devices() {
			svg := string(curveSVG(recordedCurve(replay.Replay(s, id), samples.HostileTexts[0])))
			decoder := xml.NewDecoder(strings.NewReader(svg))
			for {
				token, err := decoder.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				if err != nil {
					t.Fatalf("%v in %s", err, svg)
				}
				element, ok := token.(xml.StartElement)
				if !ok {
					continue
				}
				if !slices.Contains([]string{"svg", "path", "text"}, element.Name.Local) {
					t.Errorf("the curve holds <%s>", element.Name.Local)
				}
				for _, attr := range element.Attr {
					if attr.Name.Local == "style" || strings.HasPrefix(attr.Name.Local, "on") {
						t.Errorf("the curve holds the attribute %s", attr.Name.Local)
					}
				}
			}
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("the curve holds a coordinate that is no number: %s", svg)
			}
		}
	}
}

// The highest state is on the curve, however narrow it is.
func TestCurveKeepsThePeak(t *testing.T) {
	c := curve{states: 100_000, top: 1000}
	values := make([]int64, c.states)
	values[77_777] = 1000
	path := c.line(stepsOf(func() []int64 { return values }))
	if top := " " + decimal(c.y(1000)); !strings.Contains(path, top) {
		t.Errorf("no point at%s in %s", top, path)
	}
}

func TestExtremes(t *testing.T) {
	for _, test := range []struct {
		values        []int64
		first, second int64
	}{
		{[]int64{5}, 5, 5},
		{[]int64{3, 1, 9, 4}, 1, 9},
		{[]int64{3, 9, 1, 4}, 9, 1},
	} {
		if first, second := extremes(test.values); first != test.first || second != test.second {
			t.Errorf("extremes(%v) = %d, %d, want %d, %d", test.values, first, second, test.first, test.second)
		}
	}
}
