package codec

import (
	"sync"

	"github.com/memviz-go/memviz/pkg/answer"
)

// Search finds out, while other work goes on, what takes one core long: where the tensors of
// each file lay, and what its events are beyond its allocations.
type Search struct {
	files            []foundInFile
	compared, placed sync.WaitGroup
}

// foundInFile is what was found in a file, by device.
type foundInFile struct {
	spaces  []*deviceSpace
	differs []*differences
}

// StartSearch begins a search of files. It runs beside its caller.
func StartSearch(in []answer.Input) *Search {
	s := &Search{files: make([]foundInFile, len(in))}
	s.compared.Go(func() {
		for i := range in {
			s.files[i].differs = findAllDifferences(&in[i])
		}
	})
	s.placed.Go(func() {
		for i := range in {
			s.files[i].spaces = findSpaces(&in[i])
		}
	})
	return s
}

// in waits for what is found in file number i.
func (s *Search) in(i int) *foundInFile {
	s.compared.Wait()
	s.placed.Wait()
	return &s.files[i]
}
