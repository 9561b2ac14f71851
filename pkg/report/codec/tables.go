package codec

// stackColumns are the columns of the stacks of a file, element "stacks-F".
var stackColumns = table{
	{"strings", text, "", "", "all texts below are indices into it; 0 is empty"},
	{"frame.name", plain, "", "strings", ""},
	{"frame.file", plain, "frame.name", "strings", ""},
	{"frame.line", plain, "frame.name", "2147483648", "0: unknown"},
	{"frame.class", plain, "frame.name", "3", "0 user code, 1 library Python, 2 internal (C++, interpreter, wrapper)"},
	{"node.parent", plain, "", "", "node 0 is the root and not listed; node i+1 has the parent (i+1 - value)"},
	{"node.frame", plain, "node.parent", "frame.name",
		"of node i+1; the parent is its caller, so a walk to the root is innermost first"},
	{"stack.node", plain, "", "node.parent + 1", "stack 0 is the empty one, at the root"},
	{"stack.site", plain, "stack.node", "frame.name + 1", "frame+1 of the innermost user frame; 0: none"},
	{"stack.operator", plain, "stack.node", "strings", `such as "aten::mm", or empty`},
	{"stack.shade", plain, "stack.node", "5", "the lightness step of the call site inside its family"},
	{"stack.backward", plain, "stack.node", "2", "1: the autograd engine is on the stack"},
	{"stack.named", plain, "stack.node", "frame.name + 1",
		"frame+1 of the frame whose name says what was going on; 0: none, or left out"},
}

// deviceColumns are the columns of a device, element "device-F-D", where D is its position in
// the file's list of devices. Its allocations are in pile order, those from before the
// recording first. Two of them share no start event, so the differences of start are at least 1.
var deviceColumns = table{
	{"time", signedDelta, "times", "", "microseconds since the first event; none when not recorded"},
	{"start", ascending, "recorded", "events + 1", "start event + 1, of the allocations that have one"},
	{"life", plain, "allocations", "", "0 live at end, else end - start (from before the recording: start is -1)"},
	{"pending.alloc", ascending, "", "allocations", "whose free took other events to complete, or never did"},
	{"pending.wait", plain, "pending.alloc", "",
		"(end, or the number of events when live at end) - (event of the free request)"},
	{"size", plain, "allocations", "", "requested bytes"},
	{"addr", signed, "narrow", "", "(address - base_addr) minus that of the last allocation of the same size; " +
		"none where the device has a space, from which addresses follow"},
	{"addr.high", plain, "wide", "4294967296", "bits 32 to 63 of the address; only with wide_addr, then addr has none"},
	{"addr.low", plain, "wide", "4294967296", "bits 0 to 31"},
	{"stack", plain, "allocations", "stacks", ""},
	{"stack.free", plain, "allocations", "stacks + 2", "0 none, 1 the same as stack, else stack + 2"},
	{"stream", plain, "allocations", "streams", "of the file"},
	{"family", plain, "allocations", "families", "of the report"},
	{"source", plain, "pre_existing", "3", "1 known from its free, 2 known from a block of the final segments"},
	{"reserved.event", ascending, "", "events", "segment events"},
	{"reserved.delta", signed, "reserved.event", "", "bytes that each adds to reserved memory"},
	{"marker.event", ascending, "", "events", "out-of-memory and snapshot events"},
	{"marker.kind", plain, "marker.event", "2", "0 oom, 1 snapshot"},
	{"marker.size", plain, "marker.event", "", "bytes asked for (oom) or active bytes (snapshot)"},
	{"marker.free", plain, "marker.event", "", "bytes free on the device (oom), else 0"},
	{"context.alloc", ascending, "", "allocations", "made in a torch.compile region"},
	{"context.text", plain, "context.alloc", "strings", "string of the file's stacks payload"},
	{"metadata.alloc", ascending, "", "allocations", "with user metadata, or to which an annotate event has added some"},
	{"metadata.text", plain, "metadata.alloc", "strings", ""},
	{"rule", plain, "allocations", "rules", "of the report"},
	{"pool", plain, "pooled", "pools", "of the device; none when there is only one"},
}

// laneColumns are the columns of the lanes above the chart of a device, element
// "lanes-F-D": annotated ranges in the order in which they start, outer ones first; phases,
// inferred from stacks; and where steps are. A range from state a to b holds the events a to
// b-1. Ranges of one depth, and phases, do not overlap.
var laneColumns = table{
	{"strings", text, "", "", "names; 0 is empty"},
	{"range.from", ascending, "", "", "state"},
	{"range.length", plain, "range.from", "states + 1", "states"},
	{"range.from_us", signedDelta, "timed", "",
		"microseconds since the first event, at most span_us; none when not recorded"},
	{"range.length_us", plain, "timed", "microseconds", ""},
	{"range.depth", plain, "range.from", "depths", "0: inside no other"},
	{"range.name", plain, "range.from", "strings", "printable and of at most recording.MaxRangeName characters"},
	{"range.cut", plain, "range.from", "3", "0 whole, 1 its start is missing, 2 its end"},
	{"phase.from", ascending, "", "", "state"},
	{"phase.length", plain, "phase.from", "states + 1", "states"},
	{"phase.kind", plain, "phase.from", "4", "0 load, 1 forward, 2 backward, 3 optimizer"},
	{"step.boundary", ascending, "", "", "state between two steps; the last may be the last state"},
}

// pairColumns are the columns of two devices that are compared, element "compare-P", the
// file before first. A group is what a row of the table is about: a line of one recording,
// or lines of both that are taken for the same. Sums, rows and differences of any two states
// follow from these and the payloads of the devices; the viewer works them out.
var pairColumns = table{
	{"groups", plain, "", "", "bit 0: there is a stack, bit 1: it is a line of the program's own code"},
	{"before.group", plain, "", "", "by stack of the file: 1 + its group, 0: none"},
	{"before.earlier.alloc", plain, "", "", "allocations from before the recording that the other side knows"},
	{"before.earlier.group", plain, "", "", "what they count to instead of the group of their stack,"},
	{"before.earlier.family", plain, "", "", "and instead of their family"},
	{"after.group", plain, "", "", "likewise"},
	{"after.earlier.alloc", plain, "", "", ""},
	{"after.earlier.group", plain, "", "", ""},
	{"after.earlier.family", plain, "", "", ""},
}

// spaceColumns are the columns of where the tensors of a device lay, element "space-F-D"; see
// the comment of the package.
var spaceColumns = table{
	{"lane.size", plain, "", "places", "units"},
	{"kind.pool", plain, "", "places",
		"what the reservations of a kind serve: pool and stream by the numbers of the snapshot"},
	{"kind.stream", plain, "kind.pool", "places", ""},
	{"kind.large", plain, "kind.pool", "", "0 small requests, 1 large ones"},
	{"kind.expandable", plain, "kind.pool", "", "1: pages of an expandable segment, else a segment of cudaMalloc"},
	{"reserved.kind", plain, "", "", "a row each for every reservation, in the order in which they were reserved"},
	{"reserved.lane", signedDelta, "reserved.kind", "", ""},
	{"reserved.offset", plain, "reserved.kind", "places", "units from the start of the lane"},
	{"reserved.size", plain, "reserved.kind", "places", ""},
	{"reserved.from", ascending, "reserved.kind", "",
		"0 before the recording, else 1 + the index of its event in the device's column reserved.event"},
	{"reserved.to", plain, "reserved.kind", "",
		"0 never returned, else the index of the event in which it was, + 1 - reserved.from"},
	{"code", plain, "", "places", "of each recorded allocation: 0, 1 or 2 + 2r + o"},
	{"offset", plain, "", "places", "of the codes with o = 1: units between the start of the gap and the block"},
	{"escape", plain, "", "", "of the allocations from before the recording, then of those with code 1: 0 in no gap, " +
		"else 1 + the zigzag-coded difference of its place to that of the last escape of its size"},
	{"more.alloc", ascending, "", "", "allocations whose block has another size than the model says"},
	{"more.units", signed, "more.alloc", "", "how many units more"},
	{"rounded.from", plain, "", "", "requested sizes that the allocator does not round up to 512 bytes, at least one"},
	{"rounded.to", plain, "rounded.from", "", "bytes that it rounds them up to"},
}

// addressColumns are the columns of the addresses of a space, element "addresses-F-D". Both
// are empty where addresses were left out.
var addressColumns = table{
	{"lane.addr", signedDelta, "lanes", "", "address of each lane - base_addr"},
	{"outside.addr", signedDelta, "outside", "", "likewise, of the allocations that lie in no gap"},
}

// measureColumns are the columns of a space with edited tensors, element "measure-F-D-K": the
// tensors of the device with these edits applied, in the order of their first state; within a
// state by the allocation that they come from, then in the order of the edits. Several may
// begin or end in one event.
var measureColumns = append(spaceColumns[:len(spaceColumns):len(spaceColumns)], table{
	{"edit.alloc", ascending, "", "allocations", "that live otherwise or have another size, as often as there are " +
		"tensors in their place, or once with none"},
	{"edit.later", signed, "edit.alloc", "", "how many states the first one comes after that of the allocation"},
	{"edit.states", plain, "edit.alloc", "", "in which it lives; 0: there is none"},
	{"edit.bytes", plain, "edit.alloc", "", "0: as many as the last of these of an allocation as large, the first as " +
		"many as that; else 1 + bytes"},
}...)
