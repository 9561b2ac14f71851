package whatif

import (
	"cmp"
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Proof measures how far the model, under the recorded settings, reproduces the
// recording.
type Proof struct {
	Addresses, AddressesOf     int        // requests that got the recorded address, out of all served ones
	DriverCalls, DriverCallsOf int        // recorded segment events that the model made in order, out of all
	First                      *Departure // nil: everything was reproduced
}

// Holds reports whether every address, every driver call and the final state are as
// recorded, and there was at least one request to compare.
func (p *Proof) Holds() bool { return p.First == nil && p.AddressesOf > 0 }

// prove serves the requests under the recorded settings, with a driver that answers as in
// the recording, up to the first departure.
func (run *Run) prove() {
	run.proveUnder(run.settings.Settings)
	if run.Proof.First == nil || !slices.Contains(run.settings.RoundUpPower2Divisions[:], 1) {
		return
	}
	// One division has another meaning up to torch 2.3, and files show the version only
	// roughly: try both.
	first, settings := run.Proof, run.settings.Settings
	run.settings.Build.OneDivisionKeepsSize = true
	if run.proveUnder(run.settings.Settings); run.Proof.First != nil {
		run.Proof, run.settings.Settings = first, settings
	}
}

func (run *Run) proveUnder(settings allocator.Settings) {
	d := run.r.Device
	x := &prover{run: run,
		driver: &recordedDriver{events: d.Events, list: d.Reserved, strict: countPools(run.r.Snapshot) < 3}}
	run.Proof = Proof{AddressesOf: run.Requests - run.Failed, DriverCallsOf: len(d.Reserved)}
	run.abandoned = nil
	x.a = allocator.New(settings, x.driver)
	x.a.Emit = x.driver.compare
	x.prove()
	run.Proof.DriverCalls = x.driver.done
	if first := x.driver.departed; first != nil {
		first.Why = run.why(first)
		run.Proof.First = first
	}
}

// prover compares the model with the recording, op by op.
type prover struct {
	run    *Run
	a      *allocator.Allocator
	driver *recordedDriver
}

func (x *prover) prove() {
	if x.run.Proof.AddressesOf == 0 {
		x.driver.depart(replay.None, CauseNoRequest, Call{}, Call{})
		return
	}
	if x.run.start.broken() || x.a.Restore(x.run.start.segments, x.run.start.reservations) != nil {
		x.driver.depart(replay.None, CauseStart, Call{}, Call{})
		return
	}
	for i := range x.run.start.segments {
		s := &x.run.start.segments[i]
		x.driver.held.Add(s.Address, s.Address+uint64(s.TotalSize), struct{}{})
	}
	for _, o := range x.run.ops {
		if x.follow(o); x.driver.departed != nil {
			if x.driver.departed.Event == replay.None {
				x.driver.departed.Event = o.Event
			}
			return
		}
	}
	x.driver.upTo(replay.EventIndex(x.run.r.Device.Events.Len()))
	if c, event, left := x.driver.next(); left {
		x.driver.depart(event, CauseMissing, c, Call{})
		return
	}
	x.compareEnd()
}

func (x *prover) follow(o Op) {
	d := x.driver
	switch o.Kind {
	case Allocate, AllocateFailed:
		d.upTo(o.Event)
		x.allocate(o)
	case EmptyCache:
		d.upTo(o.Event)
		x.releasePools(o.Event)
		x.a.EmptyCache()
	case Free, RequestFree, CompleteFree:
		x.free(o)
		return
	}
	if c, event, left := d.next(); left {
		d.depart(event, CauseMissing, c, Call{})
	}
}

func (x *prover) allocate(o Op) {
	d := x.driver
	x.releasePools(o.Event)
	r := x.run.requestOf(o)
	if _, _, released := d.next(); o.Kind == AllocateFailed && !released && x.rejects() {
		x.a.SetMemoryFraction(0) // no file has the limit; a request that failed without a release exceeded it
		defer x.a.SetMemoryFraction(1)
	}
	addr, err := x.a.AllocIn(r.Pool, r.Bytes, r.Stream)
	recorded := Call{snapshot.Alloc, d.events.Addr[o.Event], r.Bytes}
	model := Call{snapshot.Alloc, addr, r.Bytes}
	switch {
	case o.Kind == AllocateFailed && err != nil:
	case o.Kind == AllocateFailed:
		d.depart(o.Event, CauseServed, Call{Action: snapshot.OOM, Size: r.Bytes}, model)
	case err != nil:
		d.depart(o.Event, CauseRefused, recorded, Call{Action: snapshot.OOM, Size: r.Bytes})
	case addr != recorded.Addr:
		d.depart(o.Event, CauseAddress, recorded, model)
	case d.departed == nil:
		x.run.Proof.Addresses++
	}
}

// rejects reports whether requests above the memory fraction fail at once. Changing the
// fraction would change what garbage collection leaves.
func (x *prover) rejects() bool {
	s := &x.run.settings.Settings
	return s.RejectAtLimit && s.GCThreshold == 0
}

func (x *prover) free(o Op) {
	addr := x.run.r.Device.Allocations[o.Request].Addr
	free := x.a.Free
	switch o.Kind {
	case RequestFree:
		free = x.a.RequestFree
	case CompleteFree:
		// An error means that a request which released cached memory has completed it.
		_ = x.a.CompleteFree(addr)
		return
	}
	if free(addr) != nil {
		x.driver.depart(o.Event, CauseUnknown,
			Call{x.driver.events.Action[o.Event], addr, x.driver.events.Size[o.Event]}, Call{})
	}
}

// releasePools abandons the private pools of which the recording releases segments in
// this op: no event says when a pool loses its last user, and only then is its
// memory released.
func (x *prover) releasePools(at replay.EventIndex) {
	if len(x.run.r.Snapshot.Pools) < 2 {
		return
	}
	d := x.driver
	for i := d.done; i < d.end; i++ {
		if d.list[i].Delta > 0 {
			continue
		}
		if pool, private := x.a.AbandonPool(d.events.Addr[d.list[i].Event]); private {
			x.run.abandoned = append(x.run.abandoned, abandonment{at, pool})
		}
	}
}

// abandonment records that a private pool has no users from the op of an event on.
type abandonment struct {
	event replay.EventIndex
	pool  snapshot.Pool
}

// compareEnd compares the model's segments at the end with the final segments.
func (x *prover) compareEnd() {
	final, model := finalPieces(x.run.r.Snapshot, x.run.r.Device.ID), modelPieces(x.a.Segments())
	for i := range max(len(final), len(model)) {
		var recorded, held piece
		if i < len(final) {
			recorded = final[i]
		}
		if i < len(model) {
			held = model[i]
		}
		if recorded != held {
			x.driver.depart(replay.None, CauseEnd, recorded.call(), held.call())
			return
		}
	}
}

// piece is a live block, or the free memory between two.
type piece struct {
	segment, addr uint64
	size          int64
	live          bool
}

func (p piece) call() Call {
	if p.size == 0 {
		return Call{}
	}
	c := Call{Action: snapshot.Free, Addr: p.addr, Size: p.size}
	if p.live {
		c.Action = snapshot.Alloc
	}
	return c
}

// addPiece appends a piece and joins free neighbours.
func addPiece(list []piece, p piece) []piece {
	if n := len(list); n > 0 && !p.live && !list[n-1].live && list[n-1].segment == p.segment {
		list[n-1].size += p.size
		return list
	}
	return append(list, p)
}

func finalPieces(s *snapshot.Snapshot, device snapshot.DeviceID) []piece {
	segments := slices.Clone(s.SegmentsOf(device))
	slices.SortStableFunc(segments, func(x, y snapshot.Segment) int { return cmp.Compare(x.Address, y.Address) })
	var list []piece
	for i := range segments {
		seg := &segments[i]
		for _, b := range s.BlocksOf(seg) {
			list = addPiece(list, piece{seg.Address, b.Address, b.Size, b.State.Live()})
		}
	}
	return list
}

func modelPieces(segments []allocator.Segment) []piece {
	var list []piece
	for i := range segments {
		for _, b := range segments[i].Blocks {
			list = addPiece(list, piece{segments[i].Address, b.Address, b.Size, b.State.Live()})
		}
	}
	return list
}
