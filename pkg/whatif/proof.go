package whatif

import (
	"slices"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// Proof is how far the model, under the recorded settings, does what was recorded.
type Proof struct {
	Addresses, AddressesOf     int // requests that got the recorded address, of all that were served
	DriverCalls, DriverCallsOf int // segment events that the model makes in the recorded order, of all
	First                      *Departure
}

// Holds reports whether every address, every driver call and the end are as
// recorded, and there was something to compare.
func (p *Proof) Holds() bool { return p.First == nil && p.AddressesOf > 0 }

// Departure is where the model first does something else than was recorded.
type Departure struct {
	Event    replay.EventIndex // None: before the first event, or after the last
	Cause    Cause
	Recorded Call // the zero Call where the recording, or the model, has none
	Model    Call
	Why      Reason
}

// Cause is what differs.
type Cause uint8

const (
	CauseNothing    Cause = iota // the recording has no request that was served
	CauseStart                   // the state before the recording cannot be rebuilt
	CauseAddress                 // a request gets another address
	CauseRefused                 // a request fails that was served
	CauseServed                  // a request is served that failed
	CauseNoCall                  // the allocator calls the driver where nothing was recorded
	CauseMissing                 // a driver call was recorded that the allocator does not make
	CauseOtherCall               // both call the driver, for other things
	CauseUnknown                 // a free of what the allocator does not hold
	CauseImpossible              // a range was recorded where another one is, or where none can be
	CauseEnd                     // what is held in the end is not what the final segments say
)

var causeKeys = [...]string{
	CauseNothing: "nothing", CauseStart: "start", CauseAddress: "address", CauseRefused: "refused",
	CauseServed: "served",
	CauseNoCall: "no_call", CauseMissing: "missing_call", CauseOtherCall: "other_call", CauseUnknown: "unknown_block",
	CauseImpossible: "impossible", CauseEnd: "end",
}

// Key names the cause in files: "no_call".
func (c Cause) Key() string { return causeKeys[c] }

func (c Cause) String() string { return c.Key() }

// prove serves the requests under the recorded settings, with a driver that
// answers as the recorded one did, up to the first departure.
func (run *Run) prove() {
	run.proveUnder(run.settings.Settings)
	if run.Proof.First == nil || !slices.Contains(run.settings.RoundUpPower2Divisions[:], 1) {
		return
	}
	// What one division means depends on the version, which files tell only roughly.
	first, settings := run.Proof, run.settings.Settings
	run.settings.Build.OneDivisionKeepsSize = true
	if run.proveUnder(run.settings.Settings); run.Proof.First != nil {
		run.Proof, run.settings.Settings = first, settings
	}
}

func (run *Run) proveUnder(settings allocator.Settings) {
	d := run.r.Device
	x := &prover{run: run, answers: &answers{events: d.Events, list: d.Reserved, strict: len(run.r.Snapshot.Pools) < 3}}
	run.Proof = Proof{AddressesOf: run.Requests - run.Failed, DriverCallsOf: len(d.Reserved)}
	run.abandoned = nil
	x.a = allocator.New(settings, x.answers)
	x.a.Emit = x.answers.made
	x.prove()
	run.Proof.DriverCalls = x.answers.next
	if first := x.answers.departed; first != nil {
		first.Why = run.why(first)
		run.Proof.First = first
	}
}

// prover serves a run under the recorded settings.
type prover struct {
	run     *Run
	a       *allocator.Allocator
	answers *answers
}

func (x *prover) prove() {
	if x.run.Proof.AddressesOf == 0 {
		x.answers.depart(replay.None, CauseNothing, Call{}, Call{})
		return
	}
	if x.run.start.broken() || x.a.Restore(x.run.start.segments, x.run.start.reservations) != nil {
		x.answers.depart(replay.None, CauseStart, Call{}, Call{})
		return
	}
	for i := range x.run.start.segments {
		s := &x.run.start.segments[i]
		x.answers.held.Add(s.Address, s.Address+uint64(s.TotalSize), struct{}{})
	}
	for _, s := range x.run.steps {
		if x.step(s); x.answers.departed != nil {
			if x.answers.departed.Event == replay.None {
				x.answers.departed.Event = s.event
			}
			return
		}
	}
	x.answers.upTo(replay.EventIndex(x.run.r.Device.Events.Len()))
	if c, event, left := x.answers.left(); left {
		x.answers.depart(event, CauseMissing, c, Call{})
		return
	}
	x.end()
}

func (x *prover) step(s step) {
	d := x.answers
	switch s.kind {
	case stepAlloc, stepFail:
		d.upTo(s.event)
		x.serve(s)
	case stepEmpty:
		d.upTo(s.event)
		x.releasePools(s.event)
		x.a.EmptyCache()
	case stepFree, stepRequest, stepComplete:
		x.free(s)
		return
	}
	if c, event, left := d.left(); left {
		d.depart(event, CauseMissing, c, Call{})
	}
}

func (x *prover) serve(s step) {
	d := x.answers
	x.releasePools(s.event)
	r := x.run.request(s)
	addr, err := x.a.AllocIn(r.pool, r.bytes, r.stream)
	recorded := Call{snapshot.Alloc, d.events.Addr[s.event], r.bytes}
	model := Call{snapshot.Alloc, addr, r.bytes}
	switch {
	case s.kind == stepFail && err != nil:
	case s.kind == stepFail:
		d.depart(s.event, CauseServed, Call{Action: snapshot.OOM, Size: r.bytes}, model)
	case err != nil:
		d.depart(s.event, CauseRefused, recorded, Call{Action: snapshot.OOM, Size: r.bytes})
	case addr != recorded.Addr:
		d.depart(s.event, CauseAddress, recorded, model)
	case d.departed == nil:
		x.run.Proof.Addresses++
	}
}

func (x *prover) free(s step) {
	addr := x.run.r.Device.Allocations[s.id].Addr
	free := x.a.Free
	switch s.kind {
	case stepRequest:
		free = x.a.RequestFree
	case stepComplete:
		// A request that gave all memory back has completed it.
		_ = x.a.CompleteFree(addr)
		return
	}
	if free(addr) != nil {
		x.answers.depart(s.event, CauseUnknown,
			Call{x.answers.events.Action[s.event], addr, x.answers.events.Size[s.event]}, Call{})
	}
}

// releasePools says of the private pools that something was given back of here
// that nobody uses them any more, as no event does.
func (x *prover) releasePools(at replay.EventIndex) {
	if len(x.run.r.Snapshot.Pools) < 2 {
		return
	}
	d := x.answers
	for i := d.next; i < d.end; i++ {
		if d.list[i].Delta > 0 {
			continue
		}
		if pool, private := x.a.AbandonPool(d.events.Addr[d.list[i].Event]); private {
			x.run.abandoned = append(x.run.abandoned, abandonment{at, pool})
		}
	}
}

// abandonment is that nobody uses a private pool any more from the step of an event on.
type abandonment struct {
	event replay.EventIndex
	pool  snapshot.Pool
}
