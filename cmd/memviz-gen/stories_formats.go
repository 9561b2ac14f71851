package main

import (
	"io"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

var formatStories = []story{
	{"cpp-stacks", "three steps recorded with C++ frames: the backward pass has names", []take{{all: true, play: threeSteps}}},
	{"protocol-5", "three steps, pickled as Python 3.14 does", []take{{play: threeSteps, write: protocol5}}},
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

func protocol5(w io.Writer, s *snapshot.Snapshot) error { return snapshot.Write(w, s, 5) }
