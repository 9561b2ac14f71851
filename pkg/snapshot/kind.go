package snapshot

import (
	"errors"
	"os"
	"slices"

	"github.com/memviz-go/memviz/pkg/internal/container"
)

// Kind is what a file is, detected from its content and not from its name.
type Kind = container.Kind

// Kinds of files that need other treatment than a snapshot.
const (
	KindReport  = container.Report  // an HTML report of memviz
	KindVizPage = container.VizPage // an HTML page of torch's _memory_viz, with a snapshot in it
	KindEmpty   = container.Empty
)

// FileKind is what the file at path is once it is unpacked, from its first bytes:
// a zip with a report in it is a KindReport. The error is the system's, or says
// that the file cannot be unpacked.
func FileKind(path string) (Kind, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	payload, err := container.Open(container.Source{Reader: f, At: f, Size: info.Size()}, container.Limits{})
	var not *container.NotSnapshotError
	switch {
	case errors.As(err, &not):
		return not.Kind, nil
	case err != nil:
		return 0, err
	case slices.Contains(payload.Layers, container.VizPage):
		return KindVizPage, nil
	}
	return payload.Kind, nil
}
