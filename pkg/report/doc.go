// Package report makes view models of replayed snapshots and writes them as
// text, JSON and HTML. It is the only user of templates/ and assets/.
//
// # The page
//
// One HTML file holds, in this order:
//
//   - the Content-Security-Policy, the styles of the summary and the theme script;
//   - a readable summary with a static curve, for readers without JavaScript, and
//     the empty elements that the viewer fills;
//   - the viewer's styles (#packed-styles), ECharts (#packed-echarts) and the viewer
//     (#packed-viewer), each as base64 of raw DEFLATE, and the loader;
//   - the report as JSON (#memviz-report), the chart options that go-echarts wrote
//     (#memviz-chart) and the payloads.
//
// The loader inflates what is packed as soon as the browser has read that far, and
// puts it into the page as inline styles and scripts; the viewer runs when the whole
// page has been read. The policy names the SHA-256 of every style and script, of
// packed ones as they are after inflating, and allows nothing else. In a browser
// without DecompressionStream the summary stays, with a sentence that says why.
//
// Untrusted strings stand only in the JSON (where encoding/json escapes <, >, &
// and U+2028), in the summary (escaped by html/template) and in the payloads
// (base64); the viewer puts them on the page through textContent alone.
//
// [Page], its Go type, says what the templates get and how the data stands between
// them. There is a template for each kind of page, which differ in their frame, their
// scripts and their styles.
//
// # The report as JSON
//
// [Report], its Go type, says what each key means.
//
// A device's "predicted" ([Predicted]) is null, or what a few other settings of the
// allocator would have done. It is there where a request failed, fragmentation
// matters or most of what is reserved lies idle, if the recording has at most a
// million events and the model reproduces it. Its table has a row for "reference"
// and one for each of "settings"; its "curve" is reserved memory under the best of
// them, a step line over states: bytes[i] holds from states[i] up to the next one,
// the last one to the end. Of many steps, each of [maxPredictedSteps]/2 equal parts
// of the states keeps the first and the highest, and the last part its last.
//
// A device's "measures" ([Measures]) is null, or what the three changes of the training would do
// that lower the peak of active memory most, and the cheapest combination under which no
// request fails, where some do: in the recording, or on a device of the given capacity. It is
// there where a forward pass is seen, if the model reproduces the recording. Of a recording
// with more than 200,000 events it only says that they are left to memviz whatif.
//
// # The compare page
//
// The page that [EncodeCompare] makes is a report of two files, that before and that
// after, with everything that any report has; so every command reads it as these two.
// Beside that it holds #memviz-compare as JSON (the Go type comparison, whose key "pairs" has
// the devices that are compared), and a payload for each pair, compare-P, with these
// columns:
//
//	groups           bit 0: there is a stack, bit 1: it is a line of the program's own code
//	and for each side, that before first:
//	group            by stack of the file: 1 + its group, 0: none
//	earlier.alloc    allocations from before the recording that the other side knows
//	earlier.group    what they count to instead of the group of their stack,
//	earlier.family   and instead of their family
//
// A group is what a row of the table is about: a line of one recording, or lines of both
// that are taken for the same. Sums, rows and differences of any two states follow from
// these and the payloads of the devices; the viewer works them out. Answers and
// warnings are there twice, the second time of the files swapped.
//
// # The chart options
//
// #memviz-chart holds what go-echarts knows and never changes while the page is
// open: two grids, and for each one value axis in x, one in y and one custom
// series (index 0 the timeline, 1 the minimap), animation off. The viewer sets
// the grids' places, ranges, ticks and colours by index. Four strings stand for
// functions of the viewer and are revived as whole values, nothing else ever is:
// "__f__timeline__f__" and "__f__minimap__f__" (renderItem of series 0 and 1),
// "__f__position__f__" and "__f__bytes__f__" (axisLabel.formatter of xAxis 0 and
// yAxis 0). A compare page has three grids, with the renderItem functions
// "__f__before__f__", "__f__after__f__" and "__f__difference__f__".
//
// # Payloads
//
// A payload is <script type="text/plain" id="..." data-bytes="N">: base64 of
// raw DEFLATE of N bytes, which are columns one after another. Runs of columns
// are packed each on its own and end at a byte; the whole is still one DEFLATE
// stream, so a reader need not know. A column is its
// count and then that many values, all unsigned LEB128 varints; z marks
// zigzag-coded signed values, d values that are the difference to the one
// before (the first to 0). A column of strings is its count, the byte length of
// each, then their UTF-8 bytes. No value reaches 2^53, up to which the numbers
// of JavaScript are exact: times and addresses that lie further apart than 2^51
// are clamped or, for addresses, written in halves.
//
// A file's stacks, element "stacks-F":
//
//	strings         all texts below are indices into it; 0 is ""
//	frame.name      string
//	frame.file      string
//	frame.line      0: unknown
//	frame.class     0 user code, 1 library Python, 2 internal (C++, interpreter, wrapper)
//	node.parent     node 0 is the root and not listed; node i+1 has the parent (i+1 - value)
//	node.frame      frame of node i+1; the parent is its caller, so a walk to the root is innermost first
//	stack.node      node of stack i; stack 0 is the empty one, at the root
//	stack.site      frame+1 of the innermost user frame; 0: none
//	stack.operator  string: the operator, such as "aten::mm", or ""
//	stack.shade     0 to 4: the lightness step of the call site inside its family
//	stack.backward  1: the autograd engine is on the stack
//	stack.named     frame+1 of the frame whose name says what was going on; 0: none, or left out
//
// A device, element "device-F-D" (D is the position in the file's list of
// devices, not its ordinal). With n events, m allocations in pile order and p
// pre-existing ones among them, first:
//
//	time            z d  n values: microseconds since the first event; none when not recorded
//	start           d    m-p values: start event + 1
//	life                 m values: 0 live at end, else end - start (pre-existing: start is -1)
//	pending.alloc   d    allocations whose free took other events to complete (or never did)
//	pending.wait         for each, (end, or n when live at end) - (event of the free request)
//	size                 m values: requested bytes
//	addr            z    m values: (address - base_addr) minus that of the last allocation of the same size;
//	                     empty where the device has a space, from which addresses follow
//	addr.high            m values: bits 32 to 63 of the address. Only with wide_addr, where addr is
//	                     empty and addr.low follows with bits 0 to 31; else both are empty
//	addr.low
//	stack                m values
//	stack.free           m values: 0 none, 1 the same as stack, else stack + 2
//	stream               m values: index into the file's streams
//	family               m values: index into the report's families
//	source               p values: 1 known from its free, 2 known from a block of the final segments
//	reserved.event  d    segment events
//	reserved.delta  z    bytes that each adds to reserved memory
//	marker.event    d    out-of-memory and snapshot events
//	marker.kind          0 oom, 1 snapshot
//	marker.size          bytes asked for (oom) or active bytes (snapshot)
//	marker.free          bytes free on the device (oom), else 0
//	context.alloc   d    allocations made in a torch.compile region
//	context.text         string of the file's stacks payload
//	metadata.alloc  d    allocations with user metadata, or to which an annotate event has added some
//	metadata.text        string
//	rule                 m values: index into the report's rules
//	pool                 m values: index into the device's pools; none when there is only one
//
// Two allocations of one device share no start event, so the deltas of start
// are at least 1.
//
// Where the tensors of a device lay, element "space-F-D". "space" of the device is null,
// and there is no such element, where the recording contradicts itself, has no segments,
// or more than a tenth of the allocations lie in nothing reserved. Places and sizes are
// in "unit" bytes. A place counts over lanes in the order of their addresses, without the
// gaps between them; a lane is a range of addresses that reservations shared at different
// times, and runs of pages of one kind that touch are in one lane. Package internal/space
// and the viewer run the same model of the allocator, and the columns say what it did
// otherwise:
//
//	lane.size            units
//	kind.pool            what the reservations of a kind serve: pool and stream by the numbers of the snapshot
//	kind.stream
//	kind.large           0 small requests, 1 large ones
//	kind.expandable      1: pages of an expandable segment, else a segment of cudaMalloc
//	reserved.kind        a row each for every reservation, in the order in which they were reserved
//	reserved.lane   z d
//	reserved.offset      units from the start of the lane
//	reserved.size
//	reserved.from   d    0 before the recording, else 1 + the index of its event in reserved.event
//	reserved.to          0 never returned, else the index of the event in which it was, + 1 - reserved.from
//	code                 m-p values: 0, 1 or 2 + 2r + o, see below
//	offset               of the codes with o = 1: units between the start of the gap and the block
//	escape               of the p pre-existing allocations, then of those with code 1: 0 in no gap, else
//	                     1 + the zigzag-coded difference of its place to that of the last escape of its size
//	more.alloc      d    allocations whose block has another size than the model says
//	more.units      z    how many units more
//	rounded.from         requested sizes that the allocator does not round up to 512 bytes, at least one
//	rounded.to           bytes that it rounds them up to
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
// The addresses of that, element "addresses-F-D"; both columns are empty where addresses
// were left out:
//
//	lane.addr       z d  address of each lane - base_addr
//	outside.addr    z d  likewise, of the allocations that lie in no gap
//
// Where the best setting of "predicted" would have put the tensors, element
// "predicted-F-D", if "predicted" has a "space": the same columns, but in reserved.from
// and reserved.to any event has a number, which is 1 + its index. There are no addresses.
// What would have failed lies in no gap.
//
// Where the tensors would have lain with a line of "measures", and which ones there would have
// been, element "measure-F-D-K", if the line has a "space"; the combination that is enough
// may be one of the others, with which it shares the element. The columns of "predicted-F-D"
// are of other tensors: of those of the device and these edits, in the order of their first
// state, those of one state by the allocation that they come from, then as they stand here.
// Several may end in one event, and begin in one.
//
//	edit.alloc      d    allocations that live otherwise or have another size, as often as there are
//	                     tensors in their place, or once with none
//	edit.later      z    how many states the first one comes after that of the allocation
//	edit.states          in which it lives; 0: there is none
//	edit.bytes           0: as many as the last of these of an allocation as large, the first as many as
//	                     that; else 1 + bytes
//
// What stands above the chart of a device, element "lanes-F-D": annotated ranges
// in the order in which they start, outer ones first; phases, inferred from
// stacks; and where steps are. A range from state a to b holds the events a to
// b-1. Ranges of one depth, and phases, do not overlap.
//
//	strings              names; 0 is ""
//	range.from      d    state
//	range.length         states
//	range.from_us   z d  microseconds since the first event, at most span_us; none when not recorded
//	range.length_us
//	range.depth          0: inside no other; below [maxRangeDepth]
//	range.name           string, printable and of at most [maxRangeName] characters
//	range.cut            0 whole, 1 its start is missing, 2 its end
//	phase.from      d    state
//	phase.length         states
//	phase.kind           0 load, 1 forward, 2 backward, 3 optimizer
//	step.boundary   d    state between two steps; the last may be the last state
//
// A page takes at most [maxRanges] ranges and [maxPhases] phases; of more, it
// leaves out the deepest ranges and the shortest phases, and says how many.
//
// What makes a snapshot of the rest, element "snapshot-F", which no page reads:
// its numbers have up to 64 bits. Addresses, sizes, times and ids are as in
// package snapshot, texts are strings of the file's stacks payload. Every column
// stands for one field of a list; lists are in the order of the snapshot.
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
//
// # Reading a report
//
// [Read] is the other way round: it gives a document that is written with the
// same bytes, or with the page of a newer version. It checks every count and
// every index of the columns above, so what it has read cannot mislead the viewer.
// [Document.Snapshot] makes the snapshot again that a file of the report was
// written from; the report of that has the same bytes.
//
// # Smaller payloads
//
// [Document.Fit] leaves out, in this order and only as far as a limit demands:
//
//   - where another setting, or a measure, would have put the tensors: "predicted" and the
//     lines of "measures" have no "space";
//   - addresses: has_addr is false, base_addr "0x0", and the columns addr,
//     addr.high, addr.low, lane.addr and outside.addr are all empty. Only if a device
//     has no space, because with one its addresses take no room;
//   - times finer than time_step_us, which is 1, 2 or 5 times a power of ten
//     and divides span_us into at most 65,536 steps: the column time holds
//     multiples of it, rounded down, in the same coding;
//   - the frames of a stack inside its innermost user frame, and internal ones
//     outside it. A stack without a user frame stays whole. Stacks that are
//     then the same (frames, site, operator, shade and backward) share an
//     index, and those that no allocation has are gone;
//   - the stacks of frees: stack.free is 0 throughout.
//
// The payload snapshot-F keeps addresses only where replay needs them (see
// keptAddresses), and ranks for times; with the frames it is gone. The key
// left_out of the report says what is missing.
//
// [Document.Omit] leaves out, because it was asked to, the addresses and with
// them the handles of streams, whose numbers stand in their place; or all times:
// has_time is false, first_time empty, span_us 0, and the columns time,
// range.from_us and range.length_us are empty. The payload snapshot-F then has
// addresses that say no more than in which order the lanes are, or, where not all of them
// lie in lanes, that count from near the lowest one; and ranks for times.
//
// Everything else is as it was: the lanes, the pile order and so the index of each
// allocation, start, life, size, family and rule, the active and reserved bytes
// of every state, and the site of every allocation. The last of each device's
// warnings says what is missing. Rows are never merged, because every event
// changes the active bytes: a curve that is exact in every state needs both
// ends of every allocation.
package report
