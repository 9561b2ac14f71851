package allocator

import (
	"fmt"
	"slices"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// privatePool is the memory of a CUDA graph or a torch.cuda.MemPool.
type privatePool struct {
	id    snapshot.Pool
	pools *sizePools
	users int // graphs and MemPools that use it; at 0 it can be released
}

// capture is a period in which requests of some streams go to a private pool.
type capture struct {
	pool   *privatePool
	claims func(Stream) bool
}

// BeginPool opens a private pool: until EndPool it serves the requests of the streams for
// which claims is true (upstream beginAllocateToPool). It makes the pool, or adds a user
// to an existing one. While any private pool is open, events are not checked and a
// failing request does not release cached memory. It is an error if the pool is open
// already, or was released and still holds memory.
func (a *Allocator) BeginPool(id snapshot.Pool, claims func(Stream) bool) error {
	p := a.privatePool(id)
	switch {
	case p == nil:
		p = &privatePool{id: id, pools: newSizePools(id)}
		a.private = append(a.private, p)
	case p.users == 0:
		return fmt.Errorf("pool %v was released", id)
	case a.captureOf(id) >= 0:
		return fmt.Errorf("pool %v is open already", id)
	}
	p.users++
	a.captures = append(a.captures, capture{p, claims})
	return nil
}

// EndPool ends what BeginPool began (upstream endAllocateToPool). It is an error if the
// pool is not open.
func (a *Allocator) EndPool(id snapshot.Pool) error {
	i := a.captureOf(id)
	if i < 0 {
		return fmt.Errorf("pool %v is not open", id)
	}
	a.captures = slices.Delete(a.captures, i, i+1)
	return nil
}

// ReleasePool removes a user of a private pool. The free memory of a pool without users
// is returned when cached memory is released (upstream releasePool). It is an error if
// the pool has no user.
func (a *Allocator) ReleasePool(id snapshot.Pool) error {
	p := a.privatePool(id)
	if p == nil || p.users == 0 {
		return fmt.Errorf("pool %v is not in use", id)
	}
	p.users--
	return nil
}

// AbandonPool removes all users of the private pool that has a free block at an address,
// and returns its id; private is false if there is no such pool.
func (a *Allocator) AbandonPool(addr uint64) (id snapshot.Pool, private bool) {
	for _, p := range a.private {
		for _, pool := range []*pool{&p.pools.small, &p.pools.large} {
			for b := range pool.free.all() {
				if b.addr <= addr && addr < b.end() {
					p.users = 0
					return p.id, true
				}
			}
		}
	}
	return snapshot.Pool{}, false
}

// poolsFor returns the pools that serve a stream now: those of the first capture that
// claims it, otherwise the default ones.
func (a *Allocator) poolsFor(stream Stream) *sizePools {
	for _, c := range a.captures {
		if c.claims(stream) {
			return c.pool.pools
		}
	}
	return a.shared
}

// poolsOf returns the pools with an id. A private pool is made if it does not exist, and
// given a user if it has none.
func (a *Allocator) poolsOf(id snapshot.Pool) *sizePools {
	if id == (snapshot.Pool{}) {
		return a.shared
	}
	p := a.privatePool(id)
	if p == nil {
		p = &privatePool{id: id, pools: newSizePools(id)}
		a.private = append(a.private, p)
	}
	p.users = max(p.users, 1)
	return p.pools
}

// releaseUnusedPools returns the free memory of private pools without users, in the order
// in which they were made; PyTorch uses the order of a hash table. Pools that are empty
// afterwards are removed.
func (a *Allocator) releaseUnusedPools() {
	a.private = slices.DeleteFunc(a.private, func(p *privatePool) bool {
		if p.users > 0 {
			return false
		}
		a.releaseFree(&p.pools.small)
		a.releaseFree(&p.pools.large)
		return p.pools.reserved() == 0
	})
}

// privatePool returns the pool with an id, or nil.
func (a *Allocator) privatePool(id snapshot.Pool) *privatePool {
	for _, p := range a.private {
		if p.id == id {
			return p
		}
	}
	return nil
}

// captureOf returns the index of the capture into a pool, or -1.
func (a *Allocator) captureOf(id snapshot.Pool) int {
	return slices.IndexFunc(a.captures, func(c capture) bool { return c.pool.id == id })
}
