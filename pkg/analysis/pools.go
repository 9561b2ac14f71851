package analysis

import "github.com/memviz-go/memviz/pkg/snapshot"

// Pools says in which memory pool each allocation of a device lies, as far as
// the file tells.
type Pools struct {
	Names []string // "default", then pairs of ids such as "1,2", then perhaps "unknown" and "others"
	Of    []uint8  // by allocation, in the order of replay.Device.Allocations: index into Names
}

// maxPools are told apart; all further ones are "others".
const maxPools = 250

// findPools goes by the events where they name pools, and else by the final
// segments.
func (r *Recording) findPools() Pools {
	p := Pools{Names: []string{"default"}, Of: make([]uint8, len(r.Device.Allocations))}
	find := newPoolFinder(r)
	place := map[snapshot.PoolID]uint8{0: 0}
	if find.events.Pool == nil && len(find.segments) == 0 {
		p.Names[0] = "unknown"
		return p
	}
	for i := range p.Of {
		id := find.of(&r.Device.Allocations[i])
		at, known := place[id]
		if !known {
			name := find.key(id)
			switch {
			case len(p.Names) > maxPools:
				place[id] = maxPools
				p.Of[i] = maxPools
				continue
			case len(p.Names) == maxPools:
				name = "others"
			case id == unknownPool:
				name = "unknown"
			}
			at = uint8(len(p.Names))
			place[id] = at
			p.Names = append(p.Names, name)
		}
		p.Of[i] = at
	}
	return p
}
