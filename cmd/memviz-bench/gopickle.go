package main

import "github.com/nlpodyssey/gopickle/pickle"

// loadThroughGopickle reads a pickle the way a Go program would without memviz.
// It may only see files that memviz-gen wrote: gopickle trusts its input.
func loadThroughGopickle(path string) error {
	_, err := pickle.Load(path)
	return err
}
