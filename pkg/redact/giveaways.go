package redact

import (
	"regexp"
	"slices"
	"strings"
)

// giveaway is a rule. Patterns are slow, so a text is first searched for the hints: every
// matching text has one of them, in either case. A rule without hints is tried on texts
// with a long word.
type giveaway struct {
	kind    Giveaway
	hints   []string
	pattern *regexp.Regexp
}

// giveaways find what texts reveal besides names of code. The last group of a pattern
// that matched, if it has any, is what is reported. The first rule that matches a piece of
// text wins, so the most certain ones come first.
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
			`\b(?:[a-z][a-z0-9-]*\.)+` +
				`(?:local|lan|internal|intranet|corp|cluster|svc|edu|com|net|org|io|ai|dev|cloud)\b`,
		)},
	{Host, []string{"."},
		regexp.MustCompile(`\b(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}\b`)},
	{Host, []string{"ip-", "node", "gpu", "host", "worker", "compute", "login"},
		regexp.MustCompile(`\b(?:ip-\d+(?:-\d+){3}|(?:node|gpu|host|worker|compute|login)[-_]?\d{1,5}(?:-\d+)*)\b`)},
	{Host, []string{"://"},
		regexp.MustCompile(`\b[a-z][a-z0-9+]{1,9}://([\w.-]+)`)},
}

// Giveaway is a kind of private information in a text.
type Giveaway string

const (
	Secret Giveaway = "secrets" // looks like a token or a key
	Email  Giveaway = "emails"
	User   Giveaway = "users"
	Host   Giveaway = "hosts"
)

// giveawaysIn calls found for each piece of a text that reveals something.
func giveawaysIn(text string, found func(Giveaway, string)) {
	lower := strings.ToLower(text)
	for i := range giveaways {
		if rule := &giveaways[i]; rule.hints == nil && hasLongWord(text) || containsAny(lower, rule.hints) {
			text = rule.takenFrom(text, found)
		}
	}
}

// takenFrom calls found for each match of the rule in a text, and returns the text without
// the matches.
func (g *giveaway) takenFrom(text string, found func(Giveaway, string)) string {
	return g.pattern.ReplaceAllStringFunc(text, func(piece string) string {
		groups := slices.DeleteFunc(g.pattern.FindStringSubmatch(piece), func(s string) bool { return s == "" })
		if len(groups) == 0 {
			return piece
		}
		if what := groups[len(groups)-1]; !pseudonym.MatchString(what) && !(g.kind == User && commonFolders[what]) &&
			!(g.hints == nil && isLongName(what)) {
			found(g.kind, what)
		}
		if g.kind == User || g.kind == Email {
			return piece // paths may hold several
		}
		return strings.Repeat(" ", len(piece))
	})
}

// isLongName reports whether a long word is a name, not a key: letters with few digits,
// only at the end, such as ScaledDotProductEfficientAttentionBackward0, or a file of
// torch.compile, which is named after its content. Of random keys of 40 letters and
// digits one in 1,500 has no digit before its last three characters.
func isLongName(word string) bool {
	letters := strings.TrimRightFunc(word, func(r rune) bool { return r < 0x80 && isDigit(byte(r)) })
	if len(word)-len(letters) <= 3 && !strings.ContainsAny(letters, "0123456789+=") {
		return true
	}
	return compiledFile.MatchString(word)
}

// compiledFile is c and a SHA-256 in base 32.
var compiledFile = regexp.MustCompile(`^c[a-z2-7]{51}$`)

func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// hasLongWord reports whether a text has as many letters and digits in a row as a key.
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
