package analysis

import (
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Pools says in which memory pool each allocation of a device lies, as far as
// the file tells.
type Pools struct {
	Names []string // "default", then pairs of ids such as "1,2", then perhaps "unknown" and "others"
	Of    []uint8  // by allocation, in the order of replay.Device.Allocations: index into Names

	poolFinder
}

// maxPools are told apart; all further ones are "others".
const maxPools = 250

// FindPools goes by the events where they name pools, and else by the final
// segments.
func FindPools(s *snapshot.Snapshot, d *replay.Device) *Pools {
	p := &Pools{[]string{"default"}, make([]uint8, len(d.Allocations)), newPoolFinder(s, d)}
	place := map[snapshot.PoolID]uint8{0: 0}
	if p.events.Pool == nil && len(p.segments) == 0 {
		p.Names[0] = "unknown"
		return p
	}
	for i := range p.Of {
		id := p.ID(&d.Allocations[i])
		at, known := place[id]
		if !known {
			name := p.Key(id)
			switch {
			case len(p.Names) > maxPools:
				place[id] = maxPools
				p.Of[i] = maxPools
				continue
			case len(p.Names) == maxPools:
				name = "others"
			case id == UnknownPool:
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
