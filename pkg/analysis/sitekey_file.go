package analysis

import "strings"

// generatedFile stands for every file whose name changes from run to run.
const generatedFile = "<generated>"

// portableFile is the part of a slashed Python file name that other machines
// and runs have too: the path inside an installed package, the standard library
// or torch, else the last two parts.
func portableFile(file string) string {
	if isNotebookCell(file) || isGeneratedFile(file) || strings.HasPrefix(file, "<") {
		return generatedFile
	}
	for _, folder := range []string{"/site-packages/", "/dist-packages/"} {
		if _, inside, found := cutLast(file, folder); found {
			return inside
		}
	}
	for _, folder := range []string{"/lib/python3", "/lib64/python3"} {
		if _, version, found := cutLast(file, folder); found {
			if _, inside, found := strings.Cut(version, "/"); found {
				return inside
			}
		}
	}
	if isTorch(file) { // in a source tree
		_, inside, _ := cutLast("/"+file, "/torch/")
		return "torch/" + inside
	}
	return lastParts(file, 2)
}

// cutLast is strings.Cut around the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// lastParts are the last n parts of a slashed path.
func lastParts(path string, n int) string {
	i := len(path)
	for ; n > 0 && i >= 0; n-- {
		i = strings.LastIndexByte(path[:i], '/')
	}
	return path[i+1:]
}

// baseFile is the last part of a slashed path.
func baseFile(path string) string { return lastParts(path, 1) }
