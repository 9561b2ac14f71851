package recording

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

func TestCurve(t *testing.T) {
	d := replay.Replay(testsnap.Training(), 0)
	testkit.Golden(t, "curve_training.svg", []byte(CurveSVG(RecordedCurve(d, "cuda:0"))+"\n"))
}

// TestReservedSteps compares the steps with the value in each state, changes of nothing included.
func TestReservedSteps(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	for i, size := range []int64{3, 0, 5, 0, 0, 2, 9} {
		action := []snapshot.Action{snapshot.SegmentAlloc, snapshot.SegmentMap, snapshot.Alloc, snapshot.SegmentFree}
		c.Event(0, snapshot.EventText{Action: action[i%4], Addr: uint64(i) << 20, Size: size << 20})
	}
	for _, s := range []*snapshot.Snapshot{c.Snapshot(), testsnap.Training(), testsnap.OneEvent(), testsnap.StateOnly()} {
		d := replay.Replay(s, 0)
		got, want := slices.Collect(reservedSteps(d)), slices.Collect(stepsOf(d.ReservedBytes()))
		if !slices.Equal(got, want) {
			t.Errorf("steps %v, want %v", got, want)
		}
	}
}

// A million events take no more room than a few thousand do.
func TestCurveIsBounded(t *testing.T) {
	c := snapshot.NewComposer(snapshot.Format{})
	for i := range 300_000 {
		c.Event(0, snapshot.EventText{Action: snapshot.Alloc, Addr: uint64(i % 7), Size: int64(i * 7919 % 65_537)})
	}
	svg := CurveSVG(RecordedCurve(replay.Replay(c.Snapshot(), 0), "cuda:0"))
	if len(svg) > 24<<10 {
		t.Errorf("the curve takes %d bytes", len(svg))
	}
	if len(svg) < 5<<10 {
		t.Errorf("the curve takes %d bytes, too few for its columns", len(svg))
	}
}

// The curve is well-formed, holds no style or script, and escapes its texts.
func TestCurveIsInert(t *testing.T) {
	for _, s := range []*snapshot.Snapshot{testsnap.Training(), testsnap.Hostile(), testsnap.StateOnly(),
		testsnap.OneEvent()} {
		for _, id := range s.Devices() {
			svg := string(CurveSVG(RecordedCurve(replay.Replay(s, id), testsnap.HostileTexts[0])))
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

// points follows a path of the commands M, h and v.
func points(t *testing.T, path string) [][2]float64 {
	t.Helper()
	var x, y float64
	var found [][2]float64
	for _, m := range regexp.MustCompile(`([A-Za-z])([^A-Za-z]*)`).FindAllStringSubmatch(path, -1) {
		var err error
		switch m[1] {
		case "M":
			_, err = fmt.Sscan(m[2], &x, &y)
		case "h", "v":
			var by float64
			if by, err = strconv.ParseFloat(m[2], 64); m[1] == "h" {
				x += by
			} else {
				y += by
			}
		default:
			t.Fatalf("the command %s in %s", m[1], path)
		}
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, [2]float64{math.Round(x*10) / 10, math.Round(y*10) / 10})
	}
	return found
}

// The highest state is on the curve, however narrow it is.
func TestCurveKeepsThePeak(t *testing.T) {
	c := drawing{states: 100_000, top: 1000}
	values := make([]int64, c.states)
	values[77_777] = 1000
	for _, area := range []bool{false, true} {
		got := points(t, c.line(stepsOf(values), area))
		if !slices.Contains(got, [2]float64{curveLeft + 560.5, curveTop}) { // column 560 begins with the peak
			t.Errorf("the peak is not on %v", got)
		}
		if last := got[len(got)-1]; last != [2]float64{curveRight, curveBottom} {
			t.Errorf("the curve ends at %v", last)
		}
	}
}

// A short curve is a step line: every state has its own width and height.
func TestCurveOfFewStates(t *testing.T) {
	c := drawing{states: 4, top: 204} // 180 units a state, 1 a byte
	got := points(t, c.line(stepsOf([]int64{10, 10, 204, 3}), true))
	want := [][2]float64{{64, 232}, {64, 222}, {424, 222}, {424, 28}, {604, 28}, {604, 229}, {784, 229}, {784, 232}}
	if !slices.Equal(got, want) {
		t.Errorf("the path goes through %v, want %v", got, want)
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
