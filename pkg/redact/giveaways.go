package redact

import (
	"regexp"
	"slices"
	"strings"
)

// giveaways are what texts give away beside the names of code, by what it is. A
// pattern's first group, if it has one, is what counts. The first rule that
// fits a piece of a text wins, so the sure ones come first.
var giveaways = []struct {
	kind    Giveaway
	pattern *regexp.Regexp
}{
	{Secret, regexp.MustCompile(`\b(?:hf|sk|pk|ghp|gho|ghs|github_pat|glpat|xox[abp])[_-][A-Za-z0-9_-]{16,}`)},
	{Secret, regexp.MustCompile(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{Secret, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*`)}, // a web token
	{Secret, regexp.MustCompile(`(?i)(?:password|passwd|token|secret|api_?key)["']?\s*[=:]\s*["']?([^\s"',;]{4,})`)},
	{Secret, regexp.MustCompile(`\b[0-9a-fA-F]{32,}\b`)},
	{Secret, regexp.MustCompile(`\b[A-Za-z0-9+]{40,}={0,2}`)},
	{Email, regexp.MustCompile(`\b[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b`)},
	{User, regexp.MustCompile(`(?:/home|/Users|[A-Za-z]:[\\/]Users)[\\/]([\w.@ -]+?)(?:[\\/"'\s:]|$)`)},
	{User, regexp.MustCompile(`/(?:nfs|gpfs|lustre|scratch|fsx|mnt)(?:/[\w.-]+)*?/(?:home|users?)/([\w.-]+)`)},
	{User, regexp.MustCompile(`/(?:torchinductor|ray|tmp|pytorch_triton)_([a-z][\w.-]*)/`)},
	{Host, regexp.MustCompile(`\b(?:[a-z][a-z0-9-]*\.)+(?:local|lan|internal|intranet|corp|cluster|svc|edu|com|net|org|io|ai|dev|cloud)\b`)},
	{Host, regexp.MustCompile(`\b(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}\b`)},
	{Host, regexp.MustCompile(`\b(?:ip-\d+(?:-\d+){3}|(?:node|gpu|host|worker|compute|login)[-_]?\d{1,5}(?:-\d+)*)\b`)},
	{Host, regexp.MustCompile(`\b[a-z][a-z0-9+]{1,9}://([\w.-]+)`)},
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
	for _, rule := range giveaways {
		text = rule.pattern.ReplaceAllStringFunc(text, func(piece string) string {
			groups := slices.DeleteFunc(rule.pattern.FindStringSubmatch(piece), func(s string) bool { return s == "" })
			if len(groups) == 0 {
				return piece
			}
			if what := groups[len(groups)-1]; !pseudonym.MatchString(what) && !(rule.kind == User && commonFolders[what]) {
				found(rule.kind, what)
			}
			if rule.kind == User || rule.kind == Email {
				return piece // paths may hold several
			}
			return strings.Repeat(" ", len(piece))
		})
	}
}
