// Package whatif serves the requests of a recording again, by the model of the
// allocator in [allocator], to say what other settings would have done.
//
// A [Run] is a recording made ready for that: the state that it starts from,
// rebuilt from the final segments (start.go), and its requests in order (steps.go).
// Its [Proof] is that serving them under the recorded settings gives every recorded
// address and every recorded driver call. Only a run that is reproduced
// supports predictions: [Run.Predict] serves the requests under other settings on
// a simulated device (device.go), and [Run.Study] does it for many at once.
//
// What a recording cannot tell is treated like this:
//
//   - The device's memory: what failed requests show of it (limit.go), or what a
//     person says; else there is no limit.
//   - When streams are done with a block: where the recording has it, in the order
//     of requests.
//   - Calls of empty_cache: where they were recorded. Releases that belong to a
//     failing request are no such calls (releases.go).
//   - What was live before the recording: laid out anew, in the order of addresses,
//     without what was cached then. Its own order is not recorded. The recorded
//     settings are predicted in the same way, to compare with.
//   - What the program does after a request fails: it goes on without that block.
package whatif
