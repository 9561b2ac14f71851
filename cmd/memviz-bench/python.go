package main

import (
	"context"
	"os/exec"
	"strings"
)

// python is an interpreter on this machine.
type python struct{ path, version string }

// findPython looks for python3, behind the scripts that version managers put
// in its place. There may be none.
func findPython(ctx context.Context) (python, bool) {
	const ask = "import platform, sys; print(sys.executable); print(platform.python_version())"
	out, err := exec.CommandContext(ctx, "python3", "-c", ask).Output()
	if err != nil {
		return python{}, false
	}
	path, version, ok := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return python{path, version}, ok
}

// The yardsticks, as anyone may type them.
const (
	loadPickle            = "import pickle, sys; pickle.load(open(sys.argv[1], 'rb'))"
	loadPickleUncollected = "import gc; gc.disable(); " + loadPickle
)
