package redact

import (
	_ "embed" // for the standard library's names
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
)

// file redacts the name of a source file.
func (w *worker) file(file string) string {
	cut := w.stripped(file)
	switch {
	case !w.Paths || w.isKept(file):
		return cut
	case file == "" || file == "??":
		return file
	case strings.HasPrefix(file, "<") && strings.Contains(file, ">"):
		return w.generated(file)
	}
	return w.path(cut)
}

// stripped returns a file name without a prefix of Options.Strip. It keeps the prefix if
// the analysis would read the name differently without it.
func (w *worker) stripped(file string) string {
	for _, folder := range w.strip {
		if rest, is := strings.CutPrefix(slashed(file), folder); is && rest != "" {
			if rest = file[len(file)-len(rest):]; stacks.ReadFrame(rest, "") == stacks.ReadFrame(file, "") {
				return rest
			}
		}
	}
	return file
}

// path redacts the parts of a path before its public part.
func (w *worker) path(name string) string {
	parts := strings.Split(slashed(name), "/")
	public := publicFrom(parts)
	at := 0
	var b strings.Builder
	for i, part := range parts {
		last := i == len(parts)-1
		switch {
		case i >= public:
			b.WriteString(part)
		case i > 0 && isHome(parts[i-1]) && !last && !isWhole(part):
			b.WriteString(w.word(kindFolder, part)) // a person, even if called src
		default:
			b.WriteString(w.part(part, last))
		}
		if at += len(part); !last {
			b.WriteByte(name[at]) // the separator as it was
			at++
		}
	}
	return b.String()
}

// part redacts one part of a path.
func (w *worker) part(part string, last bool) string {
	if isWhole(part) || commonFolders[part] && !last || commonFiles[part] || drive.MatchString(part) ||
		pythonFolder.MatchString(part) {
		return part
	}
	if last {
		ext := extension(part)
		return w.word(kindFile, strings.TrimSuffix(part, ext)) + ext
	}
	return w.word(kindFolder, part)
}

// isHome reports whether the folders in a folder are named after people.
func isHome(folder string) bool { return folder == "home" || folder == "Users" }

var (
	drive        = regexp.MustCompile(`^[A-Za-z]:$`)
	pythonFolder = regexp.MustCompile(`^python3(\.\d{1,2})?$`)
)

// extension returns the extension of a file's name, if it is a common one.
func extension(name string) string {
	zipped := ""
	if ext := path.Ext(name); ext == ".gz" || ext == ".zst" {
		name, zipped = strings.TrimSuffix(name, ext), ext
	}
	if ext := path.Ext(name); commonExtensions[ext] {
		return ext + zipped
	}
	return zipped
}

// generated redacts what replaces the file name of code without a file.
func (w *worker) generated(file string) string {
	for _, begin := range generatedNames {
		rest, is := strings.CutPrefix(file, begin)
		switch {
		case !is:
			continue
		case rest == "", generatedRest.MatchString(rest), begin == "<frozen " &&
			publicModule(strings.TrimSuffix(rest, ">")):
			return file
		}
		return begin + w.word(kindFile, rest) + ">"
	}
	return "<" + w.word(kindFile, file) + ">"
}

// generatedRest matches numbers.
var generatedRest = regexp.MustCompile(`^(line: )?[0-9.:-]*>?[0-9.]*$`)

// publicModule reports whether a module with dots in its name is Python's own.
func publicModule(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	return standardModules[first]
}

// publicFrom returns the index from which on all parts of a path are public; len(parts)
// if none are.
func publicFrom(parts []string) int {
	for i := len(parts) - 2; i > 0; i-- {
		next := parts[i+1]
		switch {
		case parts[i] == "site-packages", parts[i] == "dist-packages":
			if publicPackages[strings.TrimSuffix(next, ".py")] {
				return i
			}
			return len(parts) // not a public package
		case pythonFolder.MatchString(parts[i]) && parts[i-1] == "lib" && isStandard(parts[i+1:]):
			return i
		}
	}
	if last := len(parts) - 1; nativeFiles[nativeNumber.ReplaceAllString(parts[last], ".")] {
		return last
	}
	return len(parts)
}

// isStandard reports whether what follows lib/python3.x is a module of the standard
// library: a file, or a file in one of its packages.
func isStandard(parts []string) bool {
	last := len(parts) - 1
	name := strings.TrimSuffix(strings.TrimSuffix(parts[last], ".pyc"), ".py")
	if last == 0 {
		return standardModules[name]
	}
	return standardFiles()[strings.Join(parts[:last], "/")+"/"+name]
}

// standardFiles are the modules in the packages of the standard library, as folder/name.
var standardFiles = sync.OnceValue(func() map[string]bool {
	files := map[string]bool{}
	for line := range strings.Lines(standardLibrary) {
		words := strings.Fields(line)
		for _, name := range words[1:] {
			files[words[0]+"/"+name] = true
		}
	}
	return files
})

// standardLibrary has a line for each folder of the standard libraries of Python 3.6 to
// 3.13, without their tests, with the names of the modules in it.
//
//go:embed stdlib.txt
var standardLibrary string

// isOwnNative reports whether C or C++ code is in a file that is known, and is neither
// torch's nor Python's nor the system's. Then its namespaces do not show its owner.
func isOwnNative(file string) bool {
	path := slashed(file)
	folder, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folder, name = path[:i+1], path[i+1:]
	}
	switch {
	case path == "" || path == "??", strings.HasPrefix(name, "tmpxft_"), strings.HasSuffix(name, ".o"),
		strings.HasSuffix(name, ".so"):
		return false // unknown
	case folder == "":
		return !nativeFiles[nativeNumber.ReplaceAllString(name, ".")]
	case strings.HasPrefix(folder, "./"): // as the C library's files have it
		return !nativeFiles[name]
	}
	return !isPublicFile(file) && !nativeFolder.MatchString(folder)
}

// nativeFolder is where the code of torch, CPython, and the libraries of C and C++ lies.
var nativeFolder = regexp.MustCompile(`/(aten/src|torch/csrc|torch/include|c10|caffe2|libstdc\+\+-v3|` +
	`(cp|p)ython[^/]*(/work)?(/build-static)?/(Python|Objects|Modules|Include)|glibc[^/]*)/`)

// nativeNumber matches the number that torch's build adds to the names of files that it
// splits.
var nativeNumber = regexp.MustCompile(`_[0-9]{1,2}\.`)

// isPublicFile reports whether the functions in a file are public.
func isPublicFile(file string) bool {
	if strings.HasPrefix(file, "<frozen ") {
		return publicModule(strings.TrimSuffix(strings.TrimPrefix(file, "<frozen "), ">"))
	}
	parts := strings.Split(slashed(file), "/")
	return publicFrom(parts) < len(parts)-1
}

// fileName redacts the file name of a snapshot, except for the parts that name its rank.
func (w *worker) fileName(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		rank := strings.Join(rankWords.FindAllString(part, -1), "_")
		if rank != "" {
			rank += "_"
		}
		if i < len(parts)-1 {
			parts[i] = rank + w.p.of(kindFolder, part)
			continue
		}
		ext := extension(part)
		parts[i] = rank + w.p.of(kindFile, strings.TrimSuffix(part, ext)) + ext
	}
	return strings.Join(parts, "/")
}

// rankWords match the parts of a file's name that name a rank.
var rankWords = regexp.MustCompile(`(?i)(?:rank|tp|dp|pp|ep|gpu|device|worker)[_.-]?\d{1,9}`)
