package answer

import (
	"runtime"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
)

// Build says which memviz this is.
type Build struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // without "v"; "devel" for a build from a checkout
	Commit  string `json:"commit"`  // that it was built from, with "-dirty" if files differed; empty if unknown
	Go      string `json:"go"`      // version of the compiler
	OS      string `json:"os"`      // as Go names it: linux, darwin, windows
	Arch    string `json:"arch"`    // as Go names it: amd64, arm64
}

// Version says which memviz this is. The commit may be empty.
func Version(version, commit string) *sheet.Sheet {
	v := &Build{
		Schema: SchemaName("version"), Version: version, Commit: commit,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	s := &sheet.Sheet{Value: v}
	s.Heading("memviz %s", v.Version)
	if commit == "" {
		s.Note("%s, %s/%s", v.Go, v.OS, v.Arch)
	} else {
		s.Note("commit %s, %s, %s/%s", v.Commit, v.Go, v.OS, v.Arch)
	}
	return s
}
