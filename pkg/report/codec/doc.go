// Package codec packs the columns of a report into the payloads of its page, and reads them
// again. A payload has a table of its columns (tables.go), which says how each is written, how
// many values it has, how high they are and what they mean. Its writer and its reader are in
// files of one name.
//
// # Payloads
//
// A payload is <script type="text/plain" id="..." data-bytes="N">: base64 of raw DEFLATE of N
// bytes, which are columns one after another. Runs of columns are packed each on its own and
// end at a byte; the whole is still one DEFLATE stream, so a reader need not know. A column is
// its count and then that many values, all unsigned LEB128 varints. No value reaches 2^53, up
// to which the numbers of JavaScript are exact: times and addresses that lie further apart
// than 2^51 are clamped or, for addresses, written in halves.
//
// In the ids of elements, F is a file of the report, and D the position of a device in it.
//
// # Places
//
// Where the tensors of a device lay, element "space-F-D". "space" of the device is null,
// and there is no such element, where the recording contradicts itself, has no segments,
// or more than a tenth of the allocations lie in nothing reserved. Places and sizes are
// in "unit" bytes. A place counts over lanes in the order of their addresses, without the
// gaps between them; a lane is a range of addresses that reservations shared at different
// times, and runs of pages of one kind that touch are in one lane. Package internal/space
// and the viewer run the same model of the allocator, and the columns say what it did
// otherwise.
//
// In an event, first the blocks of the allocations go that it ended, then what it returned,
// then what it reserved is there, then the allocation is placed that it made. Free memory
// is gaps, in a list for each kind by size, then place: those of one reservation, or of
// an unbroken run of pages of one kind in a lane. An allocation of a stream, pool (of the
// column pool, 0 without it) and size class (small up to 1 MiB, rounded) is placed in the
// kind of the last escape of the same three; before any, in the first kind of these
// numbers. Of the gaps that are large enough for the rounded size, it takes the first
// (code 0), or number r (from 0 on), at the start or, with o = 1, behind. In expandable
// kinds, code 0 goes on from the first while the next gap has less room, up to 64 times: a
// gap has its size as room, or, if it ends where no page is mapped, 2^40 - its place. A
// block has the rounded size, or all of the gap from where it starts if that is smaller, or
// of a large kind that is not expandable and at most 1 MiB would be left; of a pre-existing
// one, the gap ends where the next one begins.
//
// Where the best setting of "predicted" would have put the tensors, element
// "predicted-F-D", if "predicted" has a "space": the same columns, but in reserved.from
// and reserved.to any event has a number, which is 1 + its index. There are no addresses.
// What would have failed lies in no gap.
//
// Where the tensors would have lain with a line of "measures", and which ones there would have
// been, element "measure-F-D-K", if the line has a "space"; the combination that is enough
// may be one of the others, with which it shares the element.
//
// # The rest of a snapshot
//
// What makes a snapshot of the rest, element "snapshot-F", which no page reads:
// its numbers have up to 64 bits. Addresses, sizes, times and ids are as in
// package snapshot, texts are strings of the file's stacks payload. Every column
// is one field of a list; lists are in the order of the snapshot.
//
//	fact                 numbers about the whole file, see factProtocol and those below it
//	key, action, field   three lists, each a text and how often it was seen (snapshot.Oddities)
//	setting              key and value
//	action               names of actions that package snapshot does not know
//	stream               handles, or numbers where addresses were left out
//	pool                 both ids
//	rule                 a person's own: file, line, text, key of its family
//	stack                1 + the rule that decided its family, 0 for none; nothing without rules
//	trace                1: the ring buffer of the device overflowed; 2: it is of host memory; 4 for each late event
//	annotation           name, device, time (z d), 1: its start
//	segment              device, address (z d), total size (z); allocated, active and requested size
//	                     (z, less the sum of its blocks); stream, pool, stack, size class, 1: expandable, blocks
//	block                address (z, less the end of the block before, or the start of the segment),
//	                     size (z), size - requested size (z), stack, state
//
// Then for each device what its events are beyond what follows from the columns
// of its allocations: an alloc event at the start, a free_requested event, and a
// free_completed event at the end, one event after the request or as
// pending.wait says, all with the allocation's address, size and stream.
//
//	event                event (d), action, address (z d), size (z), stream and stack of those that
//	                     follow from no allocation
//	address          z   like addr, of all allocations; only if addresses were left out. With a space (z d)
//	                     of the lanes, then of the allocations that lie in no gap
//	kept                 allocation (d), address (z d); only in a report made smaller
//	free                 allocation (d), kind (z, see freeKind) where the end is not as above
//	difference           four lists: event (d), value (z) of actions, sizes, streams and stacks that are
//	                     not what follows
//	change               three lists: event (d), value of compile contexts, metadata and pools, where they
//	                     are another than in the event before; if events have categories, a fourth of these
//	first            z   Unix time in microseconds of the first event; none when not recorded
//	far                  event (d), time (z), of events too far from the first for the column time
//	rank             z d the rank of each time; only if times were left out
package codec
