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
// [recording.Report], its Go type, says what each key means.
//
// A device's "predicted" ([recording.Predicted]) is null, or what a few other settings of the
// allocator would have done. It is there where a request failed, fragmentation
// matters or most of what is reserved lies idle, if the recording has at most a
// million events and the model reproduces it. Its table has a row for "reference"
// and one for each of "settings"; its "curve" is reserved memory under the best of
// them, a step line over states: bytes[i] holds from states[i] up to the next one,
// the last one to the end. Of many steps, each of maxPredictedSteps/2 equal parts
// of the states keeps the first and the highest, and the last part its last.
//
// A device's "measures" ([recording.Measures]) is null, or what the three changes of the training would do
// that lower the peak of active memory most, and the cheapest combination under which no
// request fails, where some do: in the recording, or on a device of the given capacity. It is
// there where a forward pass is seen, if the model reproduces the recording. Of a recording
// with more than 200,000 events it only says that they are left to memviz whatif.
//
// # The compare page
//
// The page that [EncodeCompare] makes is a report of two files, that before and that
// after, with everything that any report has; so every command reads it as these two.
// Beside that it holds #memviz-compare as JSON (the Go type compare.Comparison, whose key
// "pairs" has the devices that are compared), and a payload for each pair, compare-P. Answers
// and warnings are there twice, the second time of the files swapped.
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
// Package codec says how the payloads are written and what is in them.
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
