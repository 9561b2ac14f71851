package report

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// contentPolicy is the Content-Security-Policy of a page that runs exactly the
// given scripts and styles and asks for nothing from anywhere.
func contentPolicy(scripts, styles []string) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + hashes(scripts),
		"style-src " + hashes(styles),
		"img-src data: blob:",
		"worker-src blob:",
		"base-uri 'none'",
		"form-action 'none'",
	}, "; ")
}

func hashes(texts []string) string {
	sources := make([]string, len(texts))
	for i, text := range texts {
		sum := sha256.Sum256([]byte(text))
		sources[i] = "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return strings.Join(sources, " ")
}
