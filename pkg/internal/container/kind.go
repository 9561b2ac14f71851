package container

import "strings"

// Kind is what a file is, by its bytes.
type Kind uint8

const (
	Binary Kind = iota // something else that is no text

	// What a snapshot is written in.
	Pickle
	JSON

	// What is taken off to get at it.
	Gzip
	Zstd
	Zip         // torch.save, or an archive of one file
	TorchLegacy // torch.save before 1.6, or without _use_new_zipfile_serialization
	VizPage     // a page of torch's _memory_viz, with the snapshot in it

	// What holds no snapshot.
	Empty
	GitLFS
	SQLite
	MemoryTimeline // of torch.profiler's export_memory_timeline
	ChromeTrace
	Checkpoint // tensors, as torch.save writes them
	Report     // of memviz
	HTML
	Image
	Archive     // of several files, or of a kind that is not read
	Compression // of a kind that is not read
	UTF16
	Text

	numKinds
)

// names are what each kind is called in a sentence.
var names = [numKinds]string{
	Binary:         "binary data of an unknown kind",
	Pickle:         "a pickle",
	JSON:           "JSON",
	Gzip:           "a gzip",
	Zstd:           "a zstd",
	Zip:            "a zip",
	TorchLegacy:    "a file of torch.save",
	VizPage:        "a page of torch's _memory_viz",
	Empty:          "an empty file",
	GitLFS:         "a Git LFS pointer, which stands for a file that was not downloaded",
	SQLite:         "an SQLite database, such as Nsight Systems exports",
	MemoryTimeline: "a timeline of torch.profiler's export_memory_timeline, which has neither tensors nor stacks",
	ChromeTrace:    "a Chrome trace, such as torch.profiler exports",
	Checkpoint:     "a checkpoint with tensors",
	Report:         "a memviz report",
	HTML:           "an HTML page without a snapshot in it",
	Image:          "an image",
	Archive:        "an archive",
	Compression:    "compressed in a way that memviz does not read",
	UTF16:          "text in UTF-16",
	Text:           "text",
}

func (k Kind) String() string { return names[k] }

// noun is the name without its article.
func (k Kind) noun() string { return strings.TrimPrefix(k.String(), "a ") }

// Holds reports whether a snapshot may be in a file of this kind.
func (k Kind) Holds() bool { return k >= Pickle && k <= VizPage }
