package predict

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// model is one of the recordings with a law for the size of each of its requests.
type model struct {
	*sample
	laws []law
	of   []int32 // by request: an index into laws
	Bytes
}

// Bytes are the bytes that a recording requested, by what is known about their sizes.
type Bytes struct {
	Requested int64           // after the start, without scratch
	ByKind    [lawKinds]int64 // of those
	Evident   int64           // of those: under a law that the recordings prove
	Falling   int64           // of those: less where x is larger
	Scratch   int64           // of kernels, freed by the next event: follows no law for long
	Before    int64           // live from the start
	Carried   int64           // of those: different in the other recordings, and carried over
}

// EvidentShare is the share of the requested bytes under a law that the recordings prove.
func (b *Bytes) EvidentShare() float64 {
	if b.Requested == 0 {
		return 0
	}
	return float64(b.Evident) / float64(b.Requested)
}

// modeler finds laws. It remembers them, because few lists of sizes are distinct.
type modeler struct {
	a     *alignments
	known map[sizes]law
}

// sizes are the sizes of one request in all recordings; 0 where it is missing.
type sizes [MaxRecordings]int64

func (m *modeler) law(s sizes) law {
	l, known := m.known[s]
	if !known {
		var points []point
		for i, r := range m.a.all {
			if s[i] > 0 {
				points = append(points, point{r.X, s[i]})
			}
		}
		if len(points) > 0 { // else the size cannot be read
			l = lawOf(points)
		}
		m.known[s] = l
	}
	return l
}

// model makes the model of recording i.
func (m *modeler) model(i int) *model {
	r := m.a.all[i]
	x := &model{sample: r, of: make([]int32, len(r.stream.Requests))}
	index := map[sizes]int32{}
	set := func(request int32, s sizes) *law {
		n, known := index[s]
		if !known {
			n = int32(len(x.laws))
			x.laws = append(x.laws, m.law(s))
			index[s] = n
		}
		x.of[request] = n
		return &x.laws[n]
	}
	partners := make([][]int32, len(m.a.all))
	for j := range m.a.all {
		if j != i {
			partners[j] = m.a.partners(i, j)
		}
	}
	scratch := x.scratch()
	for n, request := range r.requests {
		var s sizes
		s[i] = r.stream.Requests[request].Bytes
		for j, other := range m.a.all {
			if j != i && partners[j][n] >= 0 {
				s[j] = other.stream.Requests[other.requests[partners[j][n]]].Bytes
			}
		}
		l := set(request, s)
		if scratch(request) {
			x.Scratch += s[i]
			continue
		}
		x.count(l, s[i])
	}
	m.before(i, set, &x.Bytes)
	return x
}

func (b *Bytes) count(l *law, bytes int64) {
	b.Requested += bytes
	b.ByKind[l.kind] += bytes
	if l.evident {
		b.Evident += bytes
	}
	if l.falls {
		b.Falling += bytes
	}
}

// scratch finds the requests for memory that kernels use for a moment.
func (x *model) scratch() func(request int32) bool {
	brief := make([]bool, len(x.stream.Requests))
	for i, s := range x.stream.Ops[:max(len(x.stream.Ops)-1, 0)] {
		next := x.stream.Ops[i+1]
		if s.Kind == whatif.Allocate && next.Kind == whatif.Free && next.Request == s.Request {
			brief[s.Request] = true
		}
	}
	of := map[snapshot.StackID]bool{}
	return func(request int32) bool {
		if !brief[request] {
			return false
		}
		id := x.r.Device.Allocations[request].Stack
		is, known := of[id]
		if !known {
			is = usesScratch(x.r.Stacks, id)
			of[id] = is
		}
		return is
	}
}

// scratchWords are parts of the C++ functions that ask for scratch memory.
var scratchWords = []string{"reduce_kernel", "sort", "cub::", "cudnn"}

func usesScratch(st *stacks.Table, id snapshot.StackID) bool {
	if st.Facts[id].Has(stacks.FactWorkspace) {
		return true
	}
	for _, frame := range st.Snapshot.Stacks.Frames(id) {
		if st.FrameClass[frame] != stacks.Internal {
			continue
		}
		name := st.Snapshot.String(st.Snapshot.Frames[frame].Name)
		for _, word := range scratchWords {
			if strings.Contains(name, word) {
				return true
			}
		}
	}
	return false
}
