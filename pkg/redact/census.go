package redact

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Census collects the distinct texts of each kind that a user may not want to share:
// those that Options with Paths and Names would change. Pseudonyms are not among them.
type Census struct {
	w     *worker
	files map[string]bool // names of snapshots
	paths map[string]bool // files of code, and paths in texts
	names map[string]bool // functions
	texts map[string]bool // annotations, metadata, compile contexts

	giveaways  map[Giveaway]map[string]bool
	pseudonyms map[string]bool
	public     map[string]bool // names that redaction leaves
}

// NewCensus returns an empty census.
func NewCensus() *Census {
	set := func() map[string]bool { return map[string]bool{} }
	return &Census{
		w:     newWorker(&Options{Paths: true, Names: true}),
		files: set(), paths: set(), names: set(), texts: set(), pseudonyms: set(), public: set(),
		giveaways: map[Giveaway]map[string]bool{Secret: set(), Email: set(), User: set(), Host: set()},
	}
}

// withoutPseudonyms removes the pseudonyms from a text and counts them.
func (c *Census) withoutPseudonyms(text string) string {
	if !containsAny(text, pseudonymHints) {
		return text
	}
	return pseudonym.ReplaceAllStringFunc(text, func(found string) string {
		c.pseudonyms[found] = true
		return ""
	})
}

// File counts the name of a snapshot.
func (c *Census) File(name string) {
	rest := c.withoutPseudonyms(name)
	if rest = rankWords.ReplaceAllString(rest, ""); strings.Trim(strings.TrimSuffix(rest, extension(rest)),
		"_/") != "" && name != "standard input" {
		c.files[name] = true
	}
	c.look(name)
}

// Function counts a function and its file.
func (c *Census) Function(file, name string) {
	c.code(file, c.w.file, c.paths)
	c.code(name, func(text string) string { return c.w.function(file, text) }, c.names)
}

// code counts a text that redaction would change.
func (c *Census) code(text string, rename func(string) string, to map[string]bool) {
	if text == "" || c.public[text] || to[text] {
		return
	}
	c.withoutPseudonyms(text)
	switch masked := rename(text); {
	case masked == text:
		c.public[text] = true
	case c.hidden(masked) > c.hidden(text):
		to[text] = true
	}
	c.look(text)
}

// hidden counts the pseudonyms in a text. Redaction would replace them again.
func (c *Census) hidden(text string) int {
	if !containsAny(text, pseudonymHints) {
		return 0
	}
	return len(pseudonym.FindAllString(text, -1))
}

// Text counts a text that a person wrote.
func (c *Census) Text(text string) {
	if publicText.MatchString(text) { // torch's own numbers such as 0/0/1 are not a path
		c.look(text)
		return
	}
	if rest := c.withoutPseudonyms(text); rest != "" && strings.Trim(rest, "#") != "" && !c.isPublicText(rest) {
		c.texts[text] = true
	}
	c.Prose(text)
}

// Setting counts an allocator setting that has words which torch does not write.
func (c *Census) Setting(key, value string) {
	for text, masked := range map[string]string{key: c.w.settingKey(key), value: c.w.setting(value)} {
		if c.hidden(masked) > c.hidden(text) {
			c.Text(text)
		}
		c.look(text)
	}
}

// Operator counts an operator or an autograd node. Nodes with a number are torch's own.
func (c *Census) Operator(name string) {
	c.code(name, func(text string) string {
		if torchOperator.MatchString(text) {
			return text
		}
		return c.w.symbol(text, false)
	}, c.names)
}

var torchOperator = regexp.MustCompile(`^(aten::\w+|\w*Backward\d+)?$`)

// isPublicText reports whether a text without its pseudonyms is torch's own.
func (c *Census) isPublicText(rest string) bool {
	label, found := strings.CutSuffix(rest, "#")
	return found && publicLabels[label] || c.w.text(rest) == rest
}

// Prose counts what a sentence of memviz reveals, as it may quote a text.
func (c *Census) Prose(text string) {
	if strings.ContainsAny(text, `/\`) {
		for _, path := range pathInText.FindAllString(text, -1) {
			c.code(path, c.w.path, c.paths)
		}
	}
	c.look(text)
}

// look counts what a text reveals.
func (c *Census) look(text string) {
	giveawaysIn(text, func(kind Giveaway, what string) { c.giveaways[kind][what] = true })
}

// Files, Paths, Names and Texts are the distinct texts of a kind, sorted.
func (c *Census) Files() []string { return ordered(c.files) }
func (c *Census) Paths() []string { return ordered(c.paths) }
func (c *Census) Names() []string { return ordered(c.names) }
func (c *Census) Texts() []string { return ordered(c.texts) }

// Of returns the distinct texts of a kind of giveaway, sorted.
func (c *Census) Of(kind Giveaway) []string { return ordered(c.giveaways[kind]) }

// Pseudonyms is the number of distinct pseudonyms.
func (c *Census) Pseudonyms() int { return len(c.pseudonyms) }

// Public is the number of distinct names that redaction leaves.
func (c *Census) Public() int { return len(c.public) }

func ordered(set map[string]bool) []string {
	list := slices.Sorted(maps.Keys(set))
	if list == nil {
		return []string{}
	}
	return list
}
