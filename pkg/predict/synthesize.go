package predict

import (
	"math"

	"github.com/memviz-go/memviz/pkg/whatif"
)

// nearest is the model of the recording whose x is nearest by ratio, the larger one if
// two are as near.
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
// overflows, not even if all are served several times.
const maxSum = 1 << 59

// synthesize makes the requests of a run at x: those of the model's recording in their
// order and with their lifetimes, each of the size that its law gives, or else
// of the recorded one.
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

// unknownAt sums the bytes that are live after a step and whose sizes follow no law.
func (m *model) unknownAt(s *whatif.Stream, step int) (bytes int64) {
	live := s.LiveAfter(step)
	for _, list := range [][]int32{s.Before, m.requests} {
		for _, request := range list {
			if live[request] && m.laws[m.of[request]].kind == Unknown {
				bytes += s.Requests[request].Bytes
			}
		}
	}
	return bytes
}

// bounds are how many bytes those that are carried over from the model's recording may
// be at x: as many, or as if they grew with the square of x.
func (m *model) bounds(bytes, x int64) (low, high int64) {
	ratio := float64(x) / float64(m.X)
	other := min(float64(bytes)*ratio*ratio, maxBytes)
	return min(bytes, int64(other)), max(bytes, int64(other))
}
