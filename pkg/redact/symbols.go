package redact

import "strings"

// symbol renames what is nobody's own in the name of a C or C++ function. A path
// such as at::native::add_kernel is public if its first part is; an identifier
// alone is if everybody has it (symbols_public.go).
func (w *worker) symbol(name string) string {
	var b strings.Builder
	var outer []bool // of each open bracket: whether the path in front of it is public
	public := false  // the path that is open
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
				public = isPublicWord(word, isNamespace)
			}
			if public || isPublicWord(word, false) || isWhole(word) || ruleIdentifiers()[word] {
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
			public = false // what follows is another path
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

// isPublicWord reports whether everybody has an identifier; isNamespace: it
// begins a path.
func isPublicWord(word string, isNamespace bool) bool {
	if isNamespace {
		return publicNamespaces[word]
	}
	if publicSymbols[word] {
		return true
	}
	for _, prefix := range publicSymbolPrefixes {
		if strings.HasPrefix(word, prefix) {
			return true
		}
	}
	return false
}
