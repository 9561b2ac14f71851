package predict

import (
	"math"
	"slices"

	"github.com/memviz-go/memviz/pkg/whatif"
)

// nearest returns the model of the recording with the nearest x by ratio, the larger of
// two equally near.
func (s *Study) nearest(x int64) *model {
	var best *model
	least := math.Inf(1)
	for _, m := range s.models { // ascending in x
		if d := math.Abs(math.Log(float64(x) / float64(m.X))); d <= least*(1+1e-12) {
			best, least = m, d
		}
	}
	return best
}

// maxSum bounds the sum of all predicted sizes in bytes, whatever x is, so that no sum
// overflows, even if all are served several times.
const maxSum = 1 << 59

// synthesize makes the requests of a run at x: those of the model's recording in their
// order and with their lifetimes, each of the size that its law gives, or else of the
// recorded size.
func (m *model) synthesize(x int64) *whatif.Stream {
	sizes := make([]int64, len(m.laws))
	most := maxSum / int64(max(len(m.stream.Requests), 1))
	for i := range m.laws {
		size, _ := m.laws[i].sizeAt(x)
		sizes[i] = min(size, most)
	}
	s := m.stream.Clone()
	for _, list := range [][]int32{s.Before, m.requests} {
		for _, request := range list {
			if law := m.of[request]; m.laws[law].kind != Unknown {
				s.Requests[request].Bytes = sizes[law]
			}
		}
	}
	return s
}

// withoutSquare sums the bytes that are live after an op and are proved to grow with the
// square of x. The second result is the active peak of a stream in which no such request is made.
func (m *model) withoutSquare(s *whatif.Stream, op int) (bytes, peak int64) {
	live := s.LiveAfter(op)
	without := *s
	without.Requests = slices.Clone(s.Requests)
	for _, list := range [][]int32{s.Before, m.requests} {
		for _, request := range list {
			if l := &m.laws[m.of[request]]; !l.evident || l.kind != Square && l.kind != PaddedSquare {
				continue
			}
			without.Requests[request].Bytes = 0
			if live[request] {
				bytes += s.Requests[request].Bytes
			}
		}
	}
	peak, _ = without.ActivePeak()
	return bytes, peak
}

// unproved are live bytes of requests whose size at x the recordings do not prove.
type unproved struct {
	carried int64 // of requests that follow no law, as in the model's recording
	byLaw   int64 // of requests under a law that the recordings do not prove
	bounds  Range // of both together
}

// unprovedAt sums the unproved bytes of a stream that are live after an op. Each size lies
// within the range of its size in the model's recording, that size scaled by the square of
// x, and the size by its law.
func (m *model) unprovedAt(s *whatif.Stream, op int, x int64) (u unproved) {
	live := s.LiveAfter(op)
	ratio := float64(x) / float64(m.X)
	for _, list := range [][]int32{s.Before, m.requests} {
		for _, request := range list {
			l := &m.laws[m.of[request]]
			if !live[request] || l.evident {
				continue
			}
			recorded, now := m.stream.Requests[request].Bytes, s.Requests[request].Bytes
			square := int64(min(float64(recorded)*ratio*ratio, float64(maxSum/max(len(s.Requests), 1))))
			u.bounds.Low += min(recorded, square, now)
			u.bounds.High += max(recorded, square, now)
			if l.kind == Unknown {
				u.carried += now
			} else {
				u.byLaw += now
			}
		}
	}
	return u
}
