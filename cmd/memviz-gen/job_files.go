package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"github.com/memviz-go/memviz/pkg/analysis"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// maxJobRanks bounds a job; no larger one is known.
const maxJobRanks = 1 << 16

func jobCommand() *cli.Command {
	return &cli.Command{
		Name:  "job",
		Usage: "make a snapshot, or a digest, of each rank of a large job",
		Description: "A mixture of experts is trained in stages of a pipeline. Files are named as torchtitan\n" +
			"names them, below a folder for each of the machines n0 to n3:\n\n" +
			"    memviz-gen job --ranks 1024 --outlier 37 --leak 900 --oom 867,611 --short 200 -o DIR\n\n" +
			describeNoises(),
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write into the folder `DIR`",
				Required: true},
			&cli.StringFlag{Name: "as", Value: "snapshots",
				Usage: "snapshots, or digests: one file a machine, and no snapshots"},
			&cli.IntFlag{Name: "ranks", Value: 1024, Usage: "processes of the job"},
			&cli.IntFlag{Name: "stages", Value: 4, Usage: "stages of the pipeline, with the same number of ranks each"},
			&cli.IntFlag{Name: "steps", Value: 7, Usage: "steps that are recorded whole"},
			&cli.StringFlag{Name: "noise", Value: "none", Usage: "how the load of experts varies, see above"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "seed of the job's random numbers"},
			&cli.IntFlag{Name: "outlier", Value: noRank, Usage: "`RANK` that keeps 1.16 GiB at dispatch moe.py:88"},
			&cli.IntFlag{Name: "leak", Value: noRank,
				Usage: "`RANK` that keeps 96 MiB of each step at keep_router_stats hooks.py:27"},
			&cli.StringFlag{Name: "oom", Usage: "`RANKS`, joined by commas, that run out of memory 35 ms apart; the " +
				"others are stopped in that step"},
			&cli.IntFlag{Name: "short", Value: noRank, Usage: "`RANK` that records the last 3 steps only"},
		},
		Action: func(c *cli.Context) error {
			j, err := parseJob(c)
			if err != nil {
				return err
			}
			switch as := c.String("as"); as {
			case "snapshots":
				return j.writeSnapshots(c.String("output"))
			case "digests":
				return j.writeDigests(c.String("output"))
			default:
				return fmt.Errorf("--as %s is neither snapshots nor digests", as)
			}
		},
	}
}

func describeNoises() string {
	var b strings.Builder
	b.WriteString("Noise, drawn for each rank and step:\n")
	for _, n := range noises {
		fmt.Fprintf(&b, "  %-10s %s\n", n.name, n.about)
	}
	return b.String()
}

func parseJob(c *cli.Context) (*moeJob, error) {
	j := &moeJob{ranks: c.Int("ranks"), stages: c.Int("stages"), steps: c.Int("steps"), seed: c.Uint64("seed"),
		outlier: c.Int("outlier"), leaks: c.Int("leak"), short: c.Int("short")}
	if c.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q: a job has options only", c.Args().First())
	}
	if j.ranks < 1 || j.ranks > maxJobRanks {
		return nil, fmt.Errorf("--ranks %d is not one of 1 to %d", j.ranks, maxJobRanks)
	}
	if j.stages < 1 || j.stages > j.ranks || j.steps < 1 {
		return nil, fmt.Errorf("a job has at least one step and one stage, and a rank for each stage")
	}
	i := slices.IndexFunc(noises, func(n noise) bool { return n.name == c.String("noise") })
	if i < 0 {
		return nil, fmt.Errorf("unknown noise %q\n%s", c.String("noise"), describeNoises())
	}
	j.noise = noises[i]
	for _, text := range strings.FieldsFunc(c.String("oom"), func(r rune) bool { return r == ',' }) {
		rank, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("--oom: %q is not a rank", text)
		}
		j.ooms = append(j.ooms, rank)
	}
	for _, rank := range append([]int{j.outlier, j.leaks, j.short}, j.ooms...) {
		if rank < noRank || rank >= j.ranks {
			return nil, fmt.Errorf("the job has no rank %d", rank)
		}
	}
	return j, nil
}

// writeSnapshots writes the file of each rank, several in parallel.
func (j *moeJob) writeSnapshots(folder string) error {
	return j.each(0, j.ranks, func(rank int) error {
		made, err := j.snapshot(rank)
		if err != nil {
			return err
		}
		file := filepath.Join(folder, filepath.FromSlash(j.path(rank)))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return writeFile(file, func(w io.Writer) error { return writePickle(w, made) })
	})
}

func writePickle(w io.Writer, s *snapshot.Snapshot) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	if err := snapshot.Write(buffered, s, 4); err != nil {
		return err
	}
	return buffered.Flush()
}

// each calls do for a range of ranks, one goroutine per processor.
func (j *moeJob) each(from, to int, do func(rank int) error) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for rank := from; rank < to; rank++ {
		g.Go(func() error { return do(rank) })
	}
	return g.Wait()
}

// writeDigests writes a file for each machine, as memviz digest --host would write
// there.
func (j *moeJob) writeDigests(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for from := 0; from < j.ranks; {
		to := from + 1
		for to < j.ranks && j.hostOf(to) == j.hostOf(from) {
			to++
		}
		list := make([]job.Digest, to-from)
		if err := j.each(from, to, func(rank int) (err error) {
			list[rank-from], err = j.digest(rank)
			return err
		}); err != nil {
			return err
		}
		if err := writeFile(filepath.Join(folder, j.hostOf(from)+".jsonl.gz"), func(w io.Writer) error {
			for i := range list {
				if err := job.WriteDigests(w, &list[i]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// digest returns what memviz digest makes of a rank's snapshot, without writing the
// snapshot.
func (j *moeJob) digest(rank int) (job.Digest, error) {
	made, err := j.snapshot(rank)
	if err != nil {
		return job.Digest{}, err
	}
	hash, size := sha256.New(), countingWriter(0)
	if err := writePickle(io.MultiWriter(hash, &size), made); err != nil {
		return job.Digest{}, err
	}
	d := job.DigestOf(analysis.NewRecording(analysis.NewSource(made), replay.Replay(made, 0)))
	at := j.path(rank)
	d.Name = job.Names([]string{at}, nil)[0]
	d.File = job.File{Name: path.Base(at), Path: at, Bytes: int64(size), Host: j.hostOf(rank),
		SHA256: hex.EncodeToString(hash.Sum(nil)[:sha256.Size/2])}
	return d, nil
}

// countingWriter counts the bytes that are written to it.
type countingWriter int64

func (n *countingWriter) Write(b []byte) (int, error) {
	*n += countingWriter(len(b))
	return len(b), nil
}
