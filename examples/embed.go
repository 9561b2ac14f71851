// Package examples holds the Python of the stories in this folder: the train.py
// that tells each of them, and what those share.
package examples

import "embed"

// Python are the scripts, by their paths in this folder.
//
//go:embed *.py */*.py
var Python embed.FS
