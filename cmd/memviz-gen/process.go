package main

import (
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// process is Python running the train.py of a story on a simulated GPU. After the
// first error it does nothing more, so that a story reads like its script.
type process struct {
	*recorder
	script *script
	err    error
	vars   map[string]tensor // what variables of the script hold
	blas   map[workspaceKey]bool
}

// workspaceKey says that each thread has a cuBLAS handle of its own, with a
// workspace for every stream.
type workspaceKey struct {
	stream allocator.Stream
	engine bool
}

func newProcess(r *recorder, story string) (*process, error) {
	s, err := openScript(story)
	return &process{recorder: r, script: s, vars: map[string]tensor{}, blas: map[workspaceKey]bool{}}, err
}

func (p *process) note(err error) {
	if p.err == nil {
		p.err = err
	}
}

// at does what a line of the script does.
func (p *process) at(text string, body func()) {
	frame, err := p.script.frame(text)
	p.note(err)
	p.inside(body, frame)
}

// inside runs body below calls of Python, outermost first.
func (p *process) inside(body func(), calls ...snapshot.FrameText) {
	p.note(p.in(func() error {
		body()
		return nil
	}, calls...))
}

// make is what an operator returns.
func (p *process) make(bytes int64, op string) tensor {
	return p.allocate(bytes, operator(op))
}

func (p *process) allocate(bytes int64, native []snapshot.FrameText) (x tensor) {
	if p.err != nil || bytes == 0 { // torch does not ask for nothing
		return tensor{}
	}
	x, err := p.alloc(bytes, native)
	p.note(err)
	return x
}

// drop lets go of tensors, from Python.
func (p *process) drop(tensors ...tensor) { p.release(pythonDrops, tensors...) }

func (p *process) release(native []snapshot.FrameText, tensors ...tensor) {
	for _, x := range tensors {
		if p.err == nil && x.bytes > 0 {
			p.note(p.free(x, native))
		}
	}
}

// set binds a variable of the script, which lets go of what it held.
func (p *process) set(name string, x tensor) {
	before := p.vars[name]
	p.vars[name] = x
	p.drop(before)
}

// assign is a line of the script that binds a variable to what an operator returns.
func (p *process) assign(name, text string, bytes int64, op string) {
	p.at(text, func() { p.set(name, p.make(bytes, op)) })
}

// named runs body inside a record_function of the script.
func (p *process) named(name string, body func()) {
	p.note(p.annotated(name, func() error {
		body()
		return nil
	}))
}

// engine runs body on the autograd engine's thread.
func (p *process) engine(body func()) {
	p.note(p.onEngine(func() error {
		body()
		return nil
	}))
}

// on runs body with another current stream.
func (p *process) on(stream allocator.Stream, body func()) {
	p.note(p.onStream(stream, func() error {
		body()
		return nil
	}))
}

// workspaceBytes is what cuBLAS gets by default: CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8.
const workspaceBytes = 8519680

// workspace is made by the first matrix product on a stream, and stays.
func (p *process) workspace(engine bool) {
	key := workspaceKey{p.stream, engine}
	if p.blas[key] {
		return
	}
	p.blas[key] = true
	frames := native("at::cuda::getNewWorkspace()", "at::cuda::getCurrentCUDABlasHandle()")
	if engine {
		frames = append(frames, engineThread...)
	}
	p.allocate(workspaceBytes, frames)
}
