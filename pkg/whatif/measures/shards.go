package measures

import (
	"cmp"
	"container/heap"
	"maps"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/whatif"
)

// leastShared: smaller state, such as the count of steps, is on every GPU.
const leastShared = 512

// shardTensors leaves the optimizer's state of some parameters, and the temporaries for
// them: the fullest of n GPUs, where each parameter goes to the GPU with the least state,
// the largest first.
func (p *training) shardTensors(n int) bool {
	if p.isSharded() {
		return false
	}
	state := p.stateBySize()
	tensors := p.tensorsPerParameter(state)
	kept := fullest(n, tensors, state)
	if kept == nil {
		return false
	}
	e := newEdit()
	for size, ids := range state {
		for i, id := range ids {
			if !kept[size][i/tensors] {
				e.gone[id] = true
			}
		}
	}
	type place struct {
		stack snapshot.StackID
		bytes int64
	}
	asked := map[place]int{} // number of temporaries for parameters of that size
	for _, o := range p.Ops {
		if o.Kind != whatif.Allocate || !p.temporaryOfOptimizer(o.Request) {
			continue
		}
		r := &p.Requests[o.Request]
		if kept[r.Bytes] == nil {
			r.Bytes = (r.Bytes + int64(n) - 1) / int64(n)
			continue
		}
		at := place{p.stack(o.Request), r.Bytes}
		if !kept[r.Bytes][asked[at]%len(kept[r.Bytes])] {
			e.gone[o.Request] = true
		}
		asked[at]++
	}
	p.apply(e)
	return len(e.gone) > 0
}

// shardingFiles are parts of names of files that shard an optimizer's state: torch's,
// DeepSpeed, Megatron and fairscale.
var shardingFiles = [...]string{"zero_redundancy_optimizer", "fsdp", "runtime/zero/", "distrib_optimizer", "fairscale"}

// isSharded reports whether code that shards the optimizer's state has asked for any of it.
func (p *training) isSharded() bool {
	seen := map[snapshot.StackID]bool{}
	s := p.r.Snapshot
	for id := range int32(len(p.Requests)) {
		stack := p.stack(id)
		if p.family(id) != families.Optimizer || seen[stack] {
			continue
		}
		seen[stack] = true
		for _, frame := range s.Stacks.Frames(stack) {
			file := s.String(s.Frames[frame].File)
			for _, name := range shardingFiles {
				if strings.Contains(file, name) {
					return true
				}
			}
		}
	}
	return false
}

// stateBySize returns the tensors of the optimizer's state, by bytes, in order.
func (p *training) stateBySize() map[int64][]int32 {
	state := map[int64][]int32{}
	for id := range int32(len(p.Requests)) {
		if bytes := p.Requests[id].Bytes; p.family(id) == families.Optimizer && bytes >= leastShared {
			state[bytes] = append(state[bytes], id)
		}
	}
	return state
}

// tensorsPerParameter returns how many tensors of state a parameter has: 2, as with Adam,
// or 1.
func (p *training) tensorsPerParameter(state map[int64][]int32) int {
	weights := map[int64]int{}
	for i := range p.r.Device.Allocations {
		if p.r.Families().Family(i) == families.Parameter {
			weights[p.r.Device.Allocations[i].Size]++
		}
	}
	for bytes, ids := range state {
		if len(ids)%2 != 0 || len(ids) <= weights[bytes] {
			return 1
		}
	}
	return 2
}

// fullest returns, by bytes of a tensor of state, which parameters with such state are on
// the fullest of n GPUs; nil if one GPU has all.
func fullest(n, tensors int, state map[int64][]int32) map[int64][]bool {
	sizes := slices.SortedFunc(maps.Keys(state), func(a, b int64) int { return cmp.Compare(b, a) })
	gpus := make(gpuHeap, n)
	for i := range gpus {
		gpus[i].number = i
	}
	on := map[int64][]int{} // by bytes: the GPU of each parameter
	for _, bytes := range sizes {
		for range len(state[bytes]) / tensors {
			on[bytes] = append(on[bytes], gpus[0].number)
			gpus[0].bytes += bytes
			heap.Fix(&gpus, 0)
		}
	}
	most := slices.MaxFunc(gpus, gpuLoad.compare).number
	kept := map[int64][]bool{}
	gone := 0
	for bytes, numbers := range on {
		for _, gpu := range numbers {
			kept[bytes] = append(kept[bytes], gpu == most)
			if gpu != most {
				gone++
			}
		}
	}
	if gone == 0 {
		return nil
	}
	return kept
}

// gpuLoad is the state on a GPU.
type gpuLoad struct {
	bytes  int64
	number int
}

func (g gpuLoad) compare(o gpuLoad) int {
	return cmp.Or(cmp.Compare(g.bytes, o.bytes), cmp.Compare(g.number, o.number))
}

// gpuHeap has the GPU with the least state first.
type gpuHeap []gpuLoad

func (h gpuHeap) Len() int           { return len(h) }
func (h gpuHeap) Less(i, j int) bool { return h[i].compare(h[j]) < 0 }
func (h gpuHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *gpuHeap) Push(any)          {}
func (h *gpuHeap) Pop() any          { return nil }
