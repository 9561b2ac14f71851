package snapshot

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/container"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
)

// Problem is a reason why a file cannot be read as a snapshot.
type Problem uint8

const (
	ProblemOther Problem = iota // an error of the system

	// The file is complete, but not a snapshot.
	ProblemEmpty
	ProblemGitLFS
	ProblemSQLite
	ProblemMemoryTimeline
	ProblemChromeTrace
	ProblemCheckpoint
	ProblemReport
	ProblemPage
	ProblemArchive
	ProblemCompression
	ProblemUTF16
	ProblemNotPickle
	ProblemNotSnapshot

	// The file may be a snapshot, but cannot be read.
	ProblemTruncated
	ProblemDamaged
	ProblemForbidden
	ProblemLimit
	ProblemPipe
	ProblemDirectory
	ProblemPermission

	numProblems
)

// expected is the advice for a file that is not a snapshot.
const expected = "expected what torch.cuda.memory._dump_snapshot() writes"

// problems has for each problem how to recognise it and what to do about it. Error.Err
// has what was found, and where.
var problems = [numProblems]struct {
	kinds  []container.Kind // kinds of files that are not a snapshot
	errs   []error          // or errors
	advice string
}{
	ProblemOther: {},
	ProblemEmpty: {kinds: []container.Kind{container.Empty},
		advice: "the job may have died before it wrote the snapshot"},
	ProblemGitLFS: {kinds: []container.Kind{container.GitLFS},
		advice: "fetch the file with git lfs pull"},
	ProblemSQLite: {kinds: []container.Kind{container.SQLite},
		advice: "dump the snapshot with torch.cuda.memory._dump_snapshot()"},
	ProblemMemoryTimeline: {kinds: []container.Kind{container.MemoryTimeline},
		advice: "record with torch.cuda.memory._record_memory_history()"},
	ProblemChromeTrace: {kinds: []container.Kind{container.ChromeTrace},
		advice: "record with torch.cuda.memory._record_memory_history()"},
	ProblemCheckpoint: {kinds: []container.Kind{container.Checkpoint},
		advice: expected},
	ProblemReport: {kinds: []container.Kind{container.Report},
		advice: "commands of memviz read it once it is unpacked"},
	ProblemPage: {kinds: []container.Kind{container.HTML},
		advice: "name the snapshot that it was made of"},
	ProblemArchive: {kinds: []container.Kind{container.Archive},
		advice: "unpack it, and name the snapshots or their directory"},
	ProblemCompression: {kinds: []container.Kind{container.Compression},
		advice: "unpack it first; gzip and zstd are read as they are"},
	ProblemUTF16: {kinds: []container.Kind{container.UTF16},
		advice: "a redirection in PowerShell may have made it so; write the file from Python"},
	ProblemNotPickle: {kinds: []container.Kind{container.Text, container.Binary, container.Image},
		errs:   []error{pickle.ErrNotPickle},
		advice: expected},
	ProblemNotSnapshot: {errs: []error{ErrNotSnapshot},
		advice: expected},

	ProblemTruncated: {errs: []error{pickle.ErrTruncated, io.ErrUnexpectedEOF},
		advice: "copy or dump it again"},
	ProblemDamaged: {errs: []error{pickle.ErrMalformed, pickle.ErrJSON, container.ErrDamaged},
		advice: "copy or dump it again"},
	ProblemForbidden: {errs: []error{pickle.ErrForbidden},
		advice: "do not load it in Python either"},
	ProblemLimit: {errs: []error{pickle.ErrLimit, container.ErrLimit},
		advice: "raise the limit if you trust the file"},
	ProblemPipe: {errs: []error{errOneReading, container.ErrZipSize},
		advice: "save it to a file of its own and name that"},
	ProblemDirectory: {errs: []error{errDirectory},
		advice: "name the snapshot files in it"},
	ProblemPermission: {errs: []error{fs.ErrPermission},
		advice: "see who may read it with ls -l"},
}

// Error is the reason why a file cannot be read as a snapshot, and what to do.
type Error struct {
	Problem Problem
	Err     error // what was found, and where
}

func (e *Error) Error() string {
	if advice := problems[e.Problem].advice; advice != "" {
		return fmt.Sprintf("%v; %s", e.Err, advice)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// IsSomethingElse reports whether err says that a file is complete but not a snapshot.
func IsSomethingElse(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Problem >= ProblemEmpty && e.Problem <= ProblemNotSnapshot
}

// explain makes err an [*Error] with its Problem.
func explain(err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if refused := new(pickle.Error); errors.As(err, &refused) && strings.HasPrefix(refused.Global, "torch.") {
		what := fmt.Sprintf("this looks like a checkpoint with tensors: at byte %d it asks for %q", refused.Offset,
			refused.Global)
		return &Error{Problem: ProblemCheckpoint, Err: &reworded{what, err}}
	}
	return &Error{Problem: problemOf(err), Err: err}
}

// reworded is an error with another text.
type reworded struct {
	what string
	err  error
}

func (r *reworded) Error() string { return r.what }

func (r *reworded) Unwrap() error { return r.err }

func problemOf(err error) Problem {
	var not *container.NotSnapshotError
	if errors.As(err, &not) {
		for p, row := range problems {
			if slices.Contains(row.kinds, not.Kind) {
				return Problem(p)
			}
		}
	}
	for p, row := range problems {
		if slices.ContainsFunc(row.errs, func(known error) bool { return errors.Is(err, known) }) {
			return Problem(p)
		}
	}
	return ProblemOther
}
