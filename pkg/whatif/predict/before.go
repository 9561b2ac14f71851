package predict

import (
	"cmp"
	"maps"
	"slices"
)

// before finds the laws of the allocations live before recording i. They have no stacks
// to align, so sizes that all recordings have are constant. If each recording has equally
// many others, they are paired in order of size; else they are carried over.
func (m *modeler) before(i int, set func(request int32, s sizes) *law, sum *Bytes) {
	all := m.a.all
	common := counts(all[0])
	for _, r := range all[1:] {
		of := counts(r)
		maps.DeleteFunc(common, func(size int64, _ int) bool { return of[size] == 0 })
		for size := range common {
			common[size] = min(common[size], of[size])
		}
	}
	rest := make([][]int32, len(all))
	paired := true
	for j, r := range all {
		left := maps.Clone(common)
		for _, request := range r.stream.Before {
			size := r.stream.Requests[request].Bytes
			if left[size] == 0 {
				rest[j] = append(rest[j], request)
				continue
			}
			left[size]--
			if j == i {
				var s sizes
				for n := range all {
					s[n] = size
				}
				set(request, s)
				sum.Before += size
			}
		}
		slices.SortStableFunc(rest[j], func(a, b int32) int {
			return cmp.Compare(r.stream.Requests[a].Bytes, r.stream.Requests[b].Bytes)
		})
		paired = paired && len(rest[j]) == len(rest[0])
	}
	for n, request := range rest[i] {
		var s sizes
		s[i] = all[i].stream.Requests[request].Bytes
		for j := range all {
			if paired {
				s[j] = all[j].stream.Requests[rest[j][n]].Bytes
			}
		}
		sum.Before += s[i]
		if set(request, s).kind == Unknown {
			sum.Carried += s[i]
		}
	}
}

// counts returns how many allocations of each size were live before a recording.
func counts(r *sample) map[int64]int {
	n := map[int64]int{}
	for _, request := range r.stream.Before {
		n[r.stream.Requests[request].Bytes]++
	}
	return n
}
