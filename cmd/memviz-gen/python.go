package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/memviz-go/memviz/examples"
	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// process is Python running the script of a story or a scenario on a simulated
// GPU. Its Go code reads like the script: a line is found by its text, and its
// frame is on the stack of everything it does.
//
// Errors are exceptions, as in Python: they unwind everything up to [catch].
type process struct {
	*recorder
	script   script
	vars     map[string]*tensor // variables of the script
	made     []*tensor          // every tensor, in the order of creation
	autograd autograd

	adamHabit adamHabit

	// workspaces are cuBLAS's. Each thread has a handle of its own, with a
	// workspace for every stream.
	workspaces map[workspace]bool

	ledger ledger
}

// tensor is a storage on a GPU. It is freed with its last reference.
type tensor struct {
	gpu   *testsnap.GPU
	addr  uint64
	bytes int64
	refs  int // variables, calls and graphs that hold it
	half  bool
	grad  bool    // requires_grad
	graph []*node // of a loss: all operators that led to it
}

func newProcess(r *recorder, s script) *process {
	return &process{recorder: r, script: s, vars: map[string]*tensor{}, workspaces: map[workspace]bool{}}
}

type exception struct{ error }

// raise raises an exception if err is not nil.
func raise(err error) {
	if err != nil {
		panic(exception{err})
	}
}

// catch runs body up to the first exception, and returns that.
func catch(body func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case exception:
			err = e.error
		default:
			panic(e)
		}
	}()
	body()
	return nil
}

// inside runs body below Python frames, outermost first.
func (p *process) inside(body func(), calls ...snapshot.FrameText) {
	depth := len(p.python)
	p.python = append(p.python, calls...)
	defer func() { p.python = p.python[:depth] }()
	body()
}

// at runs body as a line of the script.
func (p *process) at(text string, body func()) {
	frame, err := p.script.frame(text)
	raise(err)
	p.inside(body, frame)
}

// main runs body inside the script's main().
func (p *process) main(body func()) { p.at("main()", body) }

// on runs body with another current stream.
func (p *process) on(stream allocator.Stream, body func()) {
	before := p.stream
	p.stream = stream
	defer func() { p.stream = before }()
	body()
}

// onGPU runs body with another current device.
func (p *process) onGPU(g *testsnap.GPU, body func()) {
	before := p.gpu
	p.gpu = g
	defer func() { p.gpu = before }()
	body()
}

// make allocates a tensor that an operator returns.
func (p *process) make(bytes int64, op string) *tensor { return p.allocate(bytes, operator(op)) }

// allocate makes a tensor with one reference, called from the given C++ frames.
func (p *process) allocate(bytes int64, native []snapshot.FrameText) *tensor {
	p.advance(12)
	p.Caller = p.stackOf(mallocFrames, native)
	p.Freed = false
	addr, err := p.gpu.Alloc(bytes, p.stream)
	raise(err)
	if p.Freed {
		p.ledger.retries++
	}
	x := &tensor{gpu: p.gpu, addr: addr, bytes: bytes, refs: 1}
	p.made = append(p.made, x)
	return x
}

// hold adds a reference to a tensor, and returns it.
func hold(x *tensor) *tensor {
	x.refs++
	return x
}

// drop releases a reference to each tensor, in Python; nil is None.
func (p *process) drop(tensors ...*tensor) { p.release(pythonDrops, tensors...) }

// release is drop with the given C++ frames.
func (p *process) release(native []snapshot.FrameText, tensors ...*tensor) {
	for _, x := range tensors {
		if x == nil {
			continue
		}
		if x.refs--; x.refs > 0 {
			continue
		}
		p.advance(3)
		p.Caller = p.stackOf(freeFrames, native)
		raise(x.gpu.Free(x.addr))
		for _, n := range x.graph {
			p.release(native, n.saved...)
		}
	}
}

// set binds a variable, dropping its old value.
func (p *process) set(name string, x *tensor) {
	before := p.vars[name]
	p.vars[name] = x
	p.drop(before)
}

// forget drops variables, as at the end of a function.
func (p *process) forget(names ...string) {
	for _, name := range names {
		p.set(name, nil)
	}
}

// assign is a line that binds a variable to the result of an operator.
func (p *process) assign(name, text string, bytes int64, op string) {
	p.at(text, func() { p.set(name, p.make(bytes, op)) })
}

// randn is a line that binds a variable to random numbers.
func (p *process) randn(name, text string, elements int64) {
	p.assign(name, text, elements*floatBytes, "randn")
}

// emptyCache is torch.cuda.empty_cache().
func (p *process) emptyCache() {
	p.inside(func() {
		p.Caller = p.stackOf(gatherFrames, native("THCPModule_emptyCache(_object*, _object*)"))
		p.gpu.EmptyCache()
	}, py(site+"cuda/memory.py", 224, "empty_cache"))
}

func total(tensors []*tensor) (bytes int64) {
	for _, x := range tensors {
		bytes += x.bytes
	}
	return bytes
}

// script is the Python that a process runs: the frames of its lines by their
// text, without indentation and trailing comments. So the frames stay right when a
// line moves. Text that occurs on several lines has no frame.
type script map[string]snapshot.FrameText

// openScript reads files of the examples; folder is where they pretend to be.
func openScript(folder string, names ...string) (script, error) {
	s := script{}
	for _, name := range names {
		text, err := examples.Python.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s.add(path.Join(folder, path.Base(name)), string(text))
	}
	return s, nil
}

func (s script) add(file, text string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		code, _, _ := strings.Cut(line, "  #")
		code = strings.TrimSpace(code)
		if _, taken := s[code]; taken {
			s[code] = snapshot.FrameText{}
		} else {
			s[code] = py(file, int32(i+1), functionAt(lines, i))
		}
	}
}

func (s script) frame(text string) (snapshot.FrameText, error) {
	f, is := s[text]
	if !is || f.Line == 0 {
		return f, fmt.Errorf("not one line of the script is %q", text)
	}
	return f, nil
}

// functionAt returns the function that encloses a line.
func functionAt(lines []string, at int) string {
	indent := indentation(lines[at])
	for i := at; i >= 0 && indent > 0; i-- {
		line := lines[i]
		if strings.TrimSpace(line) == "" || indentation(line) >= indent {
			continue
		}
		indent = indentation(line)
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "def "); is {
			name, _, _ = strings.Cut(name, "(")
			return name
		}
	}
	return "<module>"
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
