package answer

import "runtime"

// VersionAnswer says which memviz this is.
type VersionAnswer struct {
	Schema  string `json:"schema"`
	Version string `json:"version"` // without "v"; "devel" for a build from a checkout
	Commit  string `json:"commit"`  // that it was built from, with "-dirty" if files differed; empty if unknown
	Go      string `json:"go"`      // version of the compiler
	OS      string `json:"os"`      // as Go names it: linux, darwin, windows
	Arch    string `json:"arch"`    // as Go names it: amd64, arm64
}

// Version says which memviz this is. The commit may be empty.
func Version(version, commit string) *Sheet {
	v := &VersionAnswer{
		Schema: schemaName("version"), Version: version, Commit: commit,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	s := &Sheet{value: v}
	s.heading("memviz %s", v.Version)
	if commit == "" {
		s.note("%s, %s/%s", v.Go, v.OS, v.Arch)
	} else {
		s.note("commit %s, %s, %s/%s", v.Commit, v.Go, v.OS, v.Arch)
	}
	return s
}
