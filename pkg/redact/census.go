package redact

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Census is what texts hold that somebody may not want to pass on: each kind has
// its distinct texts. What Options with Paths and Names would leave is not among
// them, and neither are pseudonyms.
type Census struct {
	w     *worker
	files map[string]bool // names of snapshots
	paths map[string]bool // files of code, and paths in texts
	names map[string]bool // functions
	texts map[string]bool // annotations, metadata, compile contexts

	giveaways  map[Giveaway]map[string]bool
	pseudonyms map[string]bool
	public     map[string]bool // names that everybody has
}

// NewCensus is of nothing.
func NewCensus() *Census {
	set := func() map[string]bool { return map[string]bool{} }
	return &Census{
		w:     newWorker(&Options{Paths: true, Names: true}),
		files: set(), paths: set(), names: set(), texts: set(), pseudonyms: set(), public: set(),
		giveaways: map[Giveaway]map[string]bool{Secret: set(), Email: set(), User: set(), Host: set()},
	}
}

// withoutPseudonyms hides what is hidden already, so that only what is still
// there is looked at.
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

// Function counts a function and the file that it is in.
func (c *Census) Function(file, name string) {
	c.code(file, c.w.file, c.paths)
	c.code(name, func(text string) string { return c.w.function(file, text) }, c.names)
}

// code counts a text that renaming would change.
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

// hidden is how many parts of a text are pseudonyms, which renaming would replace
// by pseudonyms again.
func (c *Census) hidden(text string) int {
	if !containsAny(text, pseudonymHints) {
		return 0
	}
	return len(pseudonym.FindAllString(text, -1))
}

// Text counts a text that somebody wrote.
func (c *Census) Text(text string) {
	if publicText.MatchString(text) { // numbers of torch's own such as 0/0/1 are no path
		c.look(text)
		return
	}
	if rest := c.withoutPseudonyms(text); rest != "" && strings.Trim(rest, "#") != "" && !c.isPublicText(rest) {
		c.texts[text] = true
	}
	c.Prose(text)
}

// Setting counts a setting of the allocator of which torch does not write every
// word.
func (c *Census) Setting(key, value string) {
	for text, masked := range map[string]string{key: c.w.settingKey(key), value: c.w.setting(value)} {
		if c.hidden(masked) > c.hidden(text) {
			c.Text(text)
		}
		c.look(text)
	}
}

// Operator counts an operator or a node of autograd, of which those with a number
// are torch's.
func (c *Census) Operator(name string) {
	c.code(name, func(text string) string {
		if torchOperator.MatchString(text) {
			return text
		}
		return c.w.symbol(text)
	}, c.names)
}

var torchOperator = regexp.MustCompile(`^(aten::\w+|\w*Backward\d+)?$`)

// isPublicText reports whether what pseudonyms leave of a text is torch's own.
func (c *Census) isPublicText(rest string) bool {
	label, found := strings.CutSuffix(rest, "#")
	return found && publicLabels[label] || c.w.text(rest) == rest
}

// Prose counts what a sentence of ours gives away, which may quote a text.
func (c *Census) Prose(text string) {
	if strings.ContainsAny(text, `/\`) {
		for _, path := range pathInText.FindAllString(text, -1) {
			c.code(path, c.w.path, c.paths)
		}
	}
	c.look(text)
}

// look counts what a text gives away.
func (c *Census) look(text string) {
	giveawaysIn(text, func(kind Giveaway, what string) { c.giveaways[kind][what] = true })
}

// Files, Paths, Names and Texts are the distinct ones, in order.
func (c *Census) Files() []string { return ordered(c.files) }
func (c *Census) Paths() []string { return ordered(c.paths) }
func (c *Census) Names() []string { return ordered(c.names) }
func (c *Census) Texts() []string { return ordered(c.texts) }

// Of are the distinct ones of a kind, in order.
func (c *Census) Of(kind Giveaway) []string { return ordered(c.giveaways[kind]) }

// Pseudonyms is how many there are.
func (c *Census) Pseudonyms() int { return len(c.pseudonyms) }

// Public is how many names everybody has.
func (c *Census) Public() int { return len(c.public) }

func ordered(set map[string]bool) []string {
	list := slices.Sorted(maps.Keys(set))
	if list == nil {
		return []string{}
	}
	return list
}
