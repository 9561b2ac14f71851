package redact

import (
	"slices"
	"strings"
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
)

// isWhole reports whether a rule goes by a name as a whole.
func isWhole(name string) bool {
	_, is := slices.BinarySearch(stacks.Words().Whole, name)
	return name == "" || is
}

// word is the pseudonym of a file, a folder or a function, with the parts that
// rules go by: the beginning in front, all others behind.
func (w *worker) word(k kind, name string) string {
	words := stacks.Words()
	b := w.p.of(k, name)
	for _, prefix := range words.Prefixes {
		if strings.HasPrefix(name, prefix) {
			b = joined(prefix, b)
			break
		}
	}
	for _, part := range words.Within {
		if strings.Contains(name, part) && !strings.Contains(b, part) {
			b = joined(b, part)
		}
	}
	lower := strings.ToLower(name)
	for _, part := range words.AnyCase {
		if strings.Contains(lower, part) && !strings.Contains(b, part) {
			b = joined(b, part)
		}
	}
	return b
}

// joined is two words with an underscore between.
func joined(a, b string) string { return strings.TrimSuffix(a, "_") + "_" + strings.TrimPrefix(b, "_") }

// symbolParts are the parts of C++ names that rules go by: anywhere in an
// identifier, and at the end of a namespace.
var symbolParts = sync.OnceValue(func() (parts struct{ within, namespaces []string }) {
	for _, part := range stacks.Words().Symbols {
		name, namespace := strings.CutSuffix(part, "::")
		switch {
		case strings.Contains(name, "::"): // see ruleIdentifiers
		case namespace:
			parts.namespaces = append(parts.namespaces, name)
		default:
			parts.within = append(parts.within, name)
		}
	}
	return parts
})

// ruleIdentifiers are the identifiers that rules go by as they are.
var ruleIdentifiers = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, part := range stacks.Words().Symbols {
		for name := range strings.SplitSeq(strings.TrimSuffix(part, "::"), "::") {
			names[name] = true
		}
	}
	return names
})

// identifier is the pseudonym of a C++ identifier that somebody chose.
func (w *worker) identifier(name string, isNamespace bool) string {
	b := w.p.of(kindSymbol, name)
	for _, part := range symbolParts().within {
		if strings.Contains(name, part) {
			b = joined(b, part)
		}
	}
	if isNamespace {
		for _, part := range symbolParts().namespaces {
			if strings.HasSuffix(name, part) {
				b = joined(b, part)
			}
		}
	}
	return b
}
