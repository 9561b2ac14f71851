package main

import (
	"context"
	"os"
	"path/filepath"
)

// program is a contestant: something that reads a snapshot from its first byte
// to its last.
type program struct {
	name   string
	path   string
	args   func(snapshot string) []string
	upTo   int    // in MB; beyond it only if the slow ones are asked for; 0 is no limit
	output string // the file it writes, if it is not standard output that counts
}

const (
	sha256sum = "sha256sum"
	pickleGC  = "python3 pickle"
	pickleNoG = "python3, gc off"
	gopickle  = "gopickle"
	stats     = "memviz stats"
	trace     = "memviz trace"
)

// slowFrom is the size in MB beyond which slow programs wait to be asked.
const slowFrom = 100

// programs are the yardsticks that this machine has, then memviz.
func programs(ctx context.Context, w *workshop) ([]program, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	alone := func(snapshot string) []string { return []string{snapshot} }
	list := []program{{name: sha256sum, path: sha256sum, args: alone}}
	if py, ok := findPython(ctx); ok {
		load := func(script string) func(string) []string {
			return func(snapshot string) []string { return []string{"-c", script, snapshot} }
		}
		list = append(list,
			program{name: pickleGC, path: py.path, args: load(loadPickle), upTo: slowFrom},
			program{name: pickleNoG, path: py.path, args: load(loadPickleUncollected)})
	}
	html := filepath.Join(w.dir, "report.html")
	return append(list,
		program{name: gopickle, path: own,
			args: func(snapshot string) []string { return []string{"gopickle", snapshot} }, upTo: slowFrom},
		program{name: stats, path: w.memviz,
			args: func(snapshot string) []string { return []string{"stats", snapshot} }},
		program{name: trace, path: w.memviz,
			args: func(snapshot string) []string { return []string{"trace", "-o", html, snapshot} }, output: html},
	), nil
}

// run measures a program on a snapshot.
func (p *program) run(ctx context.Context, snapshot string) (usage, error) {
	u, err := measure(ctx, p.path, p.args(snapshot)...)
	if err != nil || p.output == "" {
		return u, err
	}
	info, err := os.Stat(p.output)
	if err != nil {
		return usage{}, err
	}
	u.output = info.Size()
	return u, os.Remove(p.output)
}
