// Package snapshot reads and writes PyTorch GPU memory snapshots, the files that
// torch.cuda.memory._dump_snapshot writes, as columns with every string, frame,
// stack, stream and pool interned. Nothing in a file is ever executed, and every
// quantity that a file can ask for is bounded.
//
// # What a file holds
//
// A snapshot is a dict; a bare list is only its segments.
//
//   - "segments" is the state of the caching allocator when the file was written:
//     ranges that it holds from the driver, for all devices in one list, each with
//     its blocks in address order. A block is active_allocated, inactive, or
//     active_pending_free: freed by the program, but another stream may still use
//     it. Only live blocks have a meaningful requested_size. Torch 2.0 and
//     profiler exports leave out the addresses of blocks, which then follow from
//     the sizes before them.
//   - "device_traces" is the history, one list of events for each device ordinal,
//     oldest first. It is a ring buffer: when it is full, the oldest events are
//     gone. It may be empty, hold one event (recorded with enabled="state"), or
//     lack the events that the program chose to skip.
//   - "allocator_settings" and "external_annotations" (ranges named by
//     record_function or the profiler) came with torch 2.3 and 2.5.
//
// An event has an action, see [Action], which also says what its size and address
// mean. The size of an allocation or a free is the requested size, before the
// allocator rounds it. time_us exists from torch 2.2 on and does not fall within
// a device; events, not times, order the history. Frames are innermost first; a
// line of 2^64-1 or 0 is unknown.
//
// The file names no torch version. [Snapshot.TorchVersion] guesses it from the
// keys that are there.
//
// # What differs between files
//
// Other producers write the same keys with fewer fields: XPU (addresses from 2^63
// up), torch_npu (no times, another key order), torch's C++ code (signed 64-bit
// integers, protocol 2), _memory_viz (categories of a profile, no addresses of
// blocks), MLX (no segments, no free_requested; it is not torch). [Snapshot.Writer]
// names the program. Keys, settings and actions that are not known are counted in
// [Oddities], never fatal.
package snapshot
