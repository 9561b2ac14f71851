package pagetest

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// recording is a snapshot with its replay, which the page is compared with. d is
// its first device; nothing of it may be changed.
type recording struct {
	answer.Input
	d *replay.Device
}

// memo keeps what is made once for each key and then shared by all tests.
type memo[T any] struct{ values sync.Map }

func (m *memo[T]) get(t *testing.T, key string, make func() (T, error)) T {
	t.Helper()
	once, _ := m.values.LoadOrStore(key, sync.OnceValues(make))
	value, err := once.(func() (T, error))()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

var (
	recordings memo[*recording]
	reports    memo[string]
)

// example is the path of an example's snapshot.
func example(t *testing.T, story string) string {
	return filepath.Join(testkit.Root(t), "examples", story, "snapshot.pickle.gz")
}

// load reads and replays a snapshot.
func load(t *testing.T, path string) *recording {
	t.Helper()
	return recordings.get(t, path, func() (*recording, error) {
		s, err := snapshot.Open(path)
		if err != nil {
			return nil, err
		}
		r := &recording{Input: answer.NewInput(filepath.Base(path), s)}
		if len(r.Devices) > 0 {
			r.d = r.Devices[0]
		}
		return r, nil
	})
}

// makeReport is the path of the report of some snapshots.
func makeReport(t *testing.T, paths ...string) string {
	t.Helper()
	var in []answer.Input
	for _, path := range paths {
		in = append(in, load(t, path).Input)
	}
	return reports.get(t, strings.Join(paths, "\n"), func() (string, error) {
		return write(report.Encode("memviz", in, nil))
	})
}

// exampleReport is the path of an example's report.
func exampleReport(t *testing.T, story string) string {
	t.Helper()
	return makeReport(t, example(t, story))
}

// openExample shows the report of an example, once it has settled; the recording is what it is compared with.
func openExample(t *testing.T, story, hash string) (*recording, *page) {
	t.Helper()
	p := open(t, exampleReport(t, story), hash)
	plot(p)
	return load(t, example(t, story)), p
}

// reportOf is the path of the report of a snapshot that a test has composed.
func reportOf(t *testing.T, name string, s *snapshot.Snapshot) string {
	t.Helper()
	return writeReport(t, report.Encode("memviz", []answer.Input{answer.NewInput(name, s)}, nil))
}

// writeReport is the path of a document, written.
func writeReport(t *testing.T, document io.WriterTo) string {
	t.Helper()
	path, err := write(document)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// write writes a report into the folder of this run.
func write(document io.WriterTo) (path string, err error) {
	f, err := os.CreateTemp(runDir, "*.html")
	if err != nil {
		return "", err
	}
	_, err = document.WriteTo(f)
	return f.Name(), errors.Join(err, f.Close())
}
