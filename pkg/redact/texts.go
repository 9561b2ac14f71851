package redact

import (
	"regexp"
	"strings"

	"github.com/memviz-go/memviz/pkg/analysis/steps"
)

// text redacts a text that a person wrote: an annotation, metadata, a compile context.
func (w *worker) text(text string) string {
	switch {
	case !w.Names:
		return w.withoutPaths(text)
	case text == "" || publicText.MatchString(text) || steps.IsName(text):
		return text
	}
	// Torch's own annotations name a class after #; steps are found by what is before it.
	if before, class, found := strings.Cut(text, "#"); found && publicLabels[before] {
		if name, method, _ := strings.Cut(class, "."); optimizers[name] &&
			method == strings.TrimPrefix(before, "Optimizer.") {
			return text
		}
		return before + "#" + w.p.of(kindText, class)
	}
	return w.p.of(kindText, text)
}

// publicText matches texts that torch itself writes.
var publicText = regexp.MustCompile(`^(N/A|\d+(/\d+)*|Torch-Compiled Region: \d+/\d+(_\d+)?|ProfilerStep#\d+|` +
	`Optimizer\.(step|zero_grad)|` +
	`enumerate\(DataLoader\)#_(Single|Multi)Process(ing)?DataLoaderIter\.__next__)$`)

// publicLabels precede the # of torch's own annotations.
var publicLabels = map[string]bool{
	"Optimizer.step": true, "Optimizer.zero_grad": true, "ProfilerStep": true, "enumerate(DataLoader)": true,
}

// optimizers are torch's own classes.
var optimizers = set("ASGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "Muon", "NAdam",
	"RAdam", "RMSprop", "Rprop", "SGD", "SparseAdam")

// withoutPaths redacts the paths in a text.
func (w *worker) withoutPaths(text string) string {
	if !w.Paths {
		return text
	}
	return pathInText.ReplaceAllStringFunc(text, func(found string) string {
		if w.isKept(found) {
			return found
		}
		return w.path(found)
	})
}

// pathInText matches two folders or more, or a file in a folder.
var pathInText = regexp.MustCompile(`(?:\b[A-Za-z]:|~)?(?:[/\\][\w.@+~-]+){2,}|` +
	`[\w.@~-]+(?:[/\\][\w.@+~-]+)*[/\\][\w@+~-]+\.[A-Za-z]\w*`)

// key redacts a key, or the name of an action, that torch does not write.
func (w *worker) key(key string) string {
	if !w.Names {
		return w.withoutPaths(key)
	}
	if key == "(others)" { // written by package snapshot, see Oddities
		return key
	}
	return w.p.of(kindKey, key)
}

// settingKey redacts the parts of an allocator setting's key that torch does not write.
func (w *worker) settingKey(key string) string {
	if !w.Names {
		return w.withoutPaths(key)
	}
	parts := strings.Split(key, ".")
	for i, part := range parts {
		if !settingWords[part] && !number.MatchString(part) {
			parts[i] = w.p.of(kindKey, part)
		}
	}
	return strings.Join(parts, ".")
}

// setting redacts the words of an allocator setting's value that torch does not know.
// Options and numbers decide where blocks go, so they stay.
func (w *worker) setting(value string) string {
	if !w.Names {
		return w.withoutPaths(value)
	}
	return settingWord.ReplaceAllStringFunc(value, func(word string) string {
		if settingWords[word] || number.MatchString(word) {
			return word
		}
		return w.p.of(kindText, word)
	})
}

var (
	settingWord = regexp.MustCompile(`[^\s,:;=\[\]>]+`)
	number      = regexp.MustCompile(`^[+-]?[0-9]{1,19}(\.[0-9]{1,19})?([eE][+-]?[0-9]{1,3})?$`)
)
