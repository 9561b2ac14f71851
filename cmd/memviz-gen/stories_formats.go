package main

import (
	"io"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

var formatStories = []story{
	{"cpp-stacks", "three steps recorded with C++ frames: the backward pass has names",
		[]take{{all: true, play: threeSteps}}},
	{"protocol-5", "three steps, pickled as Python 3.14 does", []take{{play: threeSteps, write: protocol5}}},
	{"cpp-writer", "three steps, pickled by torch's C++ code", []take{{play: threeSteps, write: snapshot.WriteNative}}},
	{"saved-by-torch", "one step, kept with torch.save: the snapshot, and the segments alone", []take{
		{file: "snapshot.pt", play: oneStep, write: saved("snapshot")},
		{file: "segments.pt", play: oneStep, write: savedSegments}}},
}

func threeSteps(p *process) {
	p.main(func() {
		m := p.newMLP(512, 2048, 2048, 512)
		p.at(toCUDA, func() { m.cuda() })
		for range 3 {
			m.train()
		}
	})
}

func oneStep(p *process) {
	p.main(func() {
		m := p.newMLP(512, 1024, 512)
		p.at(toCUDA, func() { m.cuda() })
		m.train()
	})
}

func protocol5(w io.Writer, s *snapshot.Snapshot) error { return snapshot.Write(w, s, 5) }
