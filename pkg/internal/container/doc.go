// Package container finds the pickle or the JSON text in a file, by its bytes
// and never by its name.
//
// [Sniff] tells from the first bytes what a file is. [Open] takes off what is
// around a snapshot, one layer after another: gzip, zstd, the zip and the older
// sequence of pickles that torch.save writes, an archive of one file, the page
// that torch's _memory_viz writes. Whatever else a file is, it answers with a
// [NotSnapshotError] that names it.
//
// Everything streams, but for a zip that comes through a pipe: its directory
// stands at its end.
package container
