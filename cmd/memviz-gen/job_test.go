package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// troubled are the options of a job of 16 ranks, 8 per stage, with every problem there
// is.
var troubled = []string{"--ranks", "16", "--stages", "2", "--outlier", "2", "--leak", "14", "--oom", "11,9", "--short", "6"}

func makeJob(t *testing.T, args ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := run(slices.Concat([]string{"memviz-gen", "job"}, args, []string{"-o", folder}), io.Discard); err != nil {
		t.Fatal(err)
	}
	return folder
}

// readDigests reads the digests of a job.
func readDigests(t *testing.T, folder string) []job.Digest {
	t.Helper()
	var set job.DigestSet
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl.gz"))
	if err != nil || len(files) != jobHosts {
		t.Fatalf("%d files of digests, %v", len(files), err)
	}
	for _, file := range files {
		if ok, err := set.ReadFile(file); !ok || err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	return set.Digests()
}

// TestTroubledJob: whatever the noise, stages are distinguished and every problem is
// found, and nothing else.
func TestTroubledJob(t *testing.T) {
	for _, n := range noises {
		t.Run(n.name, func(t *testing.T) {
			t.Parallel()
			list := readDigests(t, makeJob(t, append(troubled, "--as", "digests", "--noise", n.name)...))
			jobs := job.Jobs(list)
			if len(jobs) != 1 || len(jobs[0].Ranks) != 16 {
				t.Fatalf("%d jobs", len(jobs))
			}
			var groups, found []string
			for _, g := range jobs[0].Groups {
				groups = append(groups, g.Name)
			}
			if want := []string{"0–7", "8–15"}; !slices.Equal(groups, want) {
				t.Errorf("groups %q, want %q", groups, want)
			}
			for _, f := range jobs[0].Findings {
				at := ""
				if f.Site != nil {
					at = " " + strings.TrimPrefix(f.Site.Site.Site, moeFolder)
				}
				found = append(found, fmt.Sprintf("%s %d%s", f.Kind.Key(), jobs[0].Ranks[f.Rank].Name.Rank, at))
			}
			for _, want := range []string{"out_of_memory 11", "out_of_memory 9", "differs 2 moe.py:88:dispatch",
				"short 6", "leaks 14"} {
				if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, want) }) {
					t.Errorf("%q is not among %q", want, found)
				}
			}
			for _, f := range found {
				if rank := strings.Fields(f)[1]; !slices.Contains([]string{"2", "14", "11", "9", "6"}, rank) {
					t.Errorf("reported about a healthy rank: %s", f)
				}
			}
		})
	}
}

// TestJobsFailures: memory runs out in the step after the last whole one, on one rank
// 35 ms after the other.
func TestJobsFailures(t *testing.T) {
	var times []int64
	for _, d := range readDigests(t, makeJob(t, append(troubled, "--as", "digests")...)) {
		if rank := d.Name.Rank; rank != 11 && rank != 9 {
			if len(d.OOMs) > 0 {
				t.Errorf("rank %d ran out of memory", rank)
			}
			continue
		}
		if len(d.OOMs) != 1 || d.OOMs[0].Step != 8 || d.StepsSeen != 7 {
			t.Fatalf("rank %d: %+v, %d steps", d.Name.Rank, d.OOMs, d.StepsSeen)
		}
		times = append(times, *d.OOMs[0].Micros)
	}
	if len(times) != 2 || times[0]-times[1] != oomMicros { // rank 9, rank 11
		t.Errorf("failures at %v", times)
	}
}

// TestJobFiles: the snapshots written are the ones the digests are made from, whether
// written alone or in parallel, and they add up.
func TestJobFiles(t *testing.T) {
	options := []string{"--ranks", "8", "--steps", "3", "--noise", "heavy", "--oom", "6", "--seed", "9"}
	digests := readDigests(t, makeJob(t, append(options, "--as", "digests")...))
	folder := makeJob(t, options...)
	var files int
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			return err
		}
		i := slices.IndexFunc(digests, func(d job.Digest) bool { return d.File.Path == path })
		if i < 0 {
			t.Errorf("%s has no digest", path)
			return nil
		}
		hash := sha256.Sum256(data)
		if d := &digests[i]; d.File.Bytes != int64(len(data)) || d.File.SHA256 != hex.EncodeToString(hash[:16]) {
			t.Errorf("%s is not the file that its digest was made of", path)
		}
		if len(data) > 12e5 {
			t.Errorf("%s has %d bytes", path, len(data))
		}
		s, err := snapshot.Open(filepath.Join(folder, path))
		if err != nil {
			return err
		}
		if d := replay.Replay(s, 0); !d.AddsUp() {
			t.Errorf("%s: %+v %+v", path, d.Anomalies, d.Reconciliation)
		}
		return nil
	})
	if err != nil || files != 8 {
		t.Errorf("%d files, %v", files, err)
	}
	for i, want := range []string{"n0", "n0", "n1", "n1", "n2", "n2", "n3", "n3"} {
		if d := &digests[i]; d.File.Host != want || d.Name.Rank != i || d.File.Path !=
			fmt.Sprintf("%s/memory_snapshot/iteration_4/rank%d_memory_snapshot.pickle", want, i) {
			t.Errorf("rank %d on host %q is %s", d.Name.Rank, d.File.Host, d.File.Path)
		}
	}
}

func TestJobMistakes(t *testing.T) {
	for args, want := range map[string]string{
		"--ranks 0":               "--ranks 0",
		"--ranks 2 --stages 3":    "a rank for each stage",
		"--noise pink":            `unknown noise "pink"`,
		"--ranks 8 --outlier 8":   "no rank 8",
		"--ranks 8 --oom 2,three": `"three" is not a rank`,
		"--as files":              "neither snapshots nor digests",
		"--ranks 8 more":          `"more"`,
	} {
		folder := filepath.Join(t.TempDir(), "job")
		err := run(append([]string{"memviz-gen", "job", "-o", folder}, strings.Fields(args)...), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", args, err, want)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s has left a folder", args)
		}
	}
}
