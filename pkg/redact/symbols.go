package redact

import (
	"slices"
	"strings"
	"sync"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
)

// function redacts the name of a function, given its unredacted file.
func (w *worker) function(file, name string) string {
	switch {
	case !w.Names:
		return w.withoutPaths(name)
	case w.isKept(file) || isPublicFile(file):
		return name
	case stacks.ReadFrame(file, "").Python():
		return w.python(name)
	}
	return w.symbol(name, isOwnNative(file))
}

// python redacts the parts of a qualified name, such as Trainer.step.<locals>.inner.
func (w *worker) python(name string) string {
	parts := strings.Split(name, ".")
	for i, part := range parts {
		if !isWhole(part) && !commonFunctions[part] {
			parts[i] = w.word(kindFunction, part)
		}
	}
	return strings.Join(parts, ".")
}

// symbol redacts what is not public in the name of a C or C++ function. A qualified name
// such as at::native::add_kernel is public if its first part is; public identifiers
// without a namespace are in public.go.
func (w *worker) symbol(name string, own bool) string {
	var b strings.Builder
	var outer []bool // for each open bracket: whether the qualified name before it is public
	public := false  // whether the current qualified name is
	for i := 0; i < len(name); {
		c := name[i]
		switch {
		case isLetter(c):
			end := i
			for end < len(name) && (isLetter(name[end]) || isDigit(name[end])) {
				end++
			}
			word := name[i:end]
			isNamespace := strings.HasPrefix(name[end:], "::")
			if !strings.HasSuffix(name[:i], "::") {
				public = isPublicWord(word, isNamespace) && (!own || strings.HasPrefix(name[i:], dispatched))
			}
			if public || isPublicWord(word, false) && (!own || cppWords[word] || isRead(word)) || isWhole(word) ||
				ruleIdentifiers()[word] {
				b.WriteString(word)
			} else {
				b.WriteString(w.identifier(word, isNamespace))
			}
			if i = end; word == "operator" {
				for i < len(name) && strings.IndexByte("<>=!+-*/%&|^~[]", name[i]) >= 0 {
					b.WriteByte(name[i])
					i++
				}
			}
			continue
		case c == ' ' || c == ',' || c == '*' || c == '&':
			public = false // another qualified name follows
		case strings.IndexByte("<([{", c) >= 0:
			outer = append(outer, public)
		case strings.IndexByte(">)]}", c) >= 0:
			public = false
			if n := len(outer); n > 0 {
				public, outer = outer[n-1], outer[:n-1]
			}
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

func isLetter(c byte) bool {
	return c == '_' || c == '$' || c == '~' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// dispatched is the prefix of the operators of torch's dispatcher, which rules match.
const dispatched = "at::_ops::"

// isRead reports whether rules match an identifier alone, such as THPVariable_to or
// _PyGC_Collect.
func isRead(word string) bool { return stacks.ReadFrame("", word) != stacks.ReadFrame("", "x") }

// isPublicWord reports whether an identifier is public; isNamespace: it begins a qualified
// name.
func isPublicWord(word string, isNamespace bool) bool {
	if isNamespace {
		return publicNamespaces[word]
	}
	if cppWords[word] || publicSymbols[word] {
		return true
	}
	for _, prefix := range publicSymbolPrefixes {
		if strings.HasPrefix(word, prefix) {
			return true
		}
	}
	return false
}

// isWhole reports whether the analysis looks for exactly this name.
func isWhole(name string) bool {
	_, is := slices.BinarySearch(stacks.Words().Whole, name)
	return name == "" || is
}

// word returns the pseudonym of a file, a folder or a function, with the parts that the
// analysis looks for: a prefix in front, all others after it.
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

// joined joins two words with an underscore.
func joined(a, b string) string { return strings.TrimSuffix(a, "_") + "_" + strings.TrimPrefix(b, "_") }

// symbolParts are the parts of C++ names that the analysis looks for: anywhere in an
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

// ruleIdentifiers are the C++ identifiers that the analysis looks for.
var ruleIdentifiers = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, part := range stacks.Words().Symbols {
		for name := range strings.SplitSeq(strings.TrimSuffix(part, "::"), "::") {
			names[name] = true
		}
	}
	return names
})

// identifier returns the pseudonym of a C++ identifier, with the parts that the analysis
// looks for.
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
