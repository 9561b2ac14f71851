package redact

import (
	"regexp"
	"slices"
	"strings"
)

// giveaway is a rule. Patterns are slow, so a text is searched first for its
// hints, one of which stands, but for its case, in every text that fits; a rule
// without any is about long words.
type giveaway struct {
	kind    Giveaway
	hints   []string
	pattern *regexp.Regexp
}

// giveaways are what texts give away beside the names of code, by what it is. A
// pattern's first group, if it has one, is what counts. The first rule that
// fits a piece of a text wins, so the sure ones come first.
var giveaways = []giveaway{
	{Secret, []string{"hf_", "hf-", "sk_", "sk-", "pk_", "pk-", "gh", "glpat", "xox"},
		regexp.MustCompile(`\b(?:hf|sk|pk|ghp|gho|ghs|github_pat|glpat|xox[abp])[_-][A-Za-z0-9_-]{16,}`)},
	{Secret, []string{"akia", "asia"},
		regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{Secret, []string{"eyj"}, // a web token
		regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*`)},
	{Secret, []string{"passw", "token", "secret", "apikey", "api_key", "ſ"},
		regexp.MustCompile(`(?i)(?:password|passwd|token|secret|api_?key)["']?\s*[=:]\s*["']?([^\s"',;]{4,})`)},
	{Secret, nil, regexp.MustCompile(`\b[0-9a-fA-F]{32,}\b`)},
	{Secret, nil, regexp.MustCompile(`\b[A-Za-z0-9+]{40,}={0,2}`)},
	{Email, []string{"@"},
		regexp.MustCompile(`\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b`)},
	{User, []string{"home", "users"},
		regexp.MustCompile(`(?:/home|/Users|[A-Za-z]:[\\/]Users)[\\/]([\w.@ -]+?)(?:[\\/"'\s:]|$)`)},
	{User, []string{"/home/", "/user"},
		regexp.MustCompile(`/(?:nfs|gpfs|lustre|scratch|fsx|mnt)(?:/[\w.-]+)*?/(?:home|users?)/([\w.-]+)`)},
	{User, []string{"/torchinductor_", "/ray_", "/tmp_", "/pytorch_triton_"},
		regexp.MustCompile(`/(?:torchinductor|ray|tmp|pytorch_triton)_([a-z][\w.-]*)/`)},
	{Host, []string{".local", ".lan", ".int", ".corp", ".cl", ".svc", ".edu", ".com", ".net", ".org", ".io", ".ai",
		".dev"},
		regexp.MustCompile(
			`\b(?:[a-z][a-z0-9-]*\.)+(?:local|lan|internal|intranet|corp|cluster|svc|edu|com|net|org|io|ai|dev|cloud)\b`,
		)},
	{Host, []string{"."},
		regexp.MustCompile(`\b(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}\b`)},
	{Host, []string{"ip-", "node", "gpu", "host", "worker", "compute", "login"},
		regexp.MustCompile(`\b(?:ip-\d+(?:-\d+){3}|(?:node|gpu|host|worker|compute|login)[-_]?\d{1,5}(?:-\d+)*)\b`)},
	{Host, []string{"://"},
		regexp.MustCompile(`\b[a-z][a-z0-9+]{1,9}://([\w.-]+)`)},
}

// Giveaway is what a piece of a text gives away.
type Giveaway string

const (
	Secret Giveaway = "secrets" // a token or a key, by its looks
	Email  Giveaway = "emails"
	User   Giveaway = "users"
	Host   Giveaway = "hosts"
)

// giveawaysIn are the pieces of a text that give something away. Pseudonyms do not.
func giveawaysIn(text string, found func(Giveaway, string)) {
	lower := strings.ToLower(text)
	for i := range giveaways {
		if rule := &giveaways[i]; rule.hints == nil && hasLongWord(text) || containsAny(lower, rule.hints) {
			text = rule.takenFrom(text, found)
		}
	}
}

// takenFrom finds what fits the rule in a text, and gives the text without it.
func (g *giveaway) takenFrom(text string, found func(Giveaway, string)) string {
	return g.pattern.ReplaceAllStringFunc(text, func(piece string) string {
		groups := slices.DeleteFunc(g.pattern.FindStringSubmatch(piece), func(s string) bool { return s == "" })
		if len(groups) == 0 {
			return piece
		}
		if what := groups[len(groups)-1]; !pseudonym.MatchString(what) && !(g.kind == User && commonFolders[what]) {
			found(g.kind, what)
		}
		if g.kind == User || g.kind == Email {
			return piece // paths may hold several
		}
		return strings.Repeat(" ", len(piece))
	})
}

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// hasLongWord reports whether as many letters and digits stand side by side as
// in a key.
func hasLongWord(text string) bool {
	const least = 32
	for run, i := 0, 0; i < len(text); i++ {
		if c := text[i]; c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c == '+' {
			run++
		} else {
			run = 0
		}
		if run == least {
			return true
		}
	}
	return false
}
