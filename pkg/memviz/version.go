package memviz

import (
	"runtime/debug"
	"strings"
	"sync"
)

const modulePath = "github.com/memviz-go/memviz"

// Releases stamp these by the linker's -X; cmd/internal/build names them.
var stampedVersion, stampedCommit string

// Version is the version of memviz, without a leading "v": the release's, or else the
// module's as known to "go install" and go.mod, or else "devel".
func Version() string { return built().version }

// Commit is the commit that memviz was built from; "-dirty" follows if files differed from
// it. It is empty if unknown: "go install memviz@v0.1.0" records only the version.
func Commit() string { return built().commit }

// Program names this version in reports, as in "memviz 0.1.0".
func Program() string { return "memviz " + Version() }

type build struct{ version, commit string }

var built = sync.OnceValue(func() build {
	if stampedVersion != "" {
		return build{stampedVersion, stampedCommit}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: devel}
	}
	return buildOf(info)
})

const devel = "devel"

// buildOf reads the build information that Go embeds in programs.
func buildOf(info *debug.BuildInfo) build {
	if info.Main.Path != modulePath { // another program that imports this package
		for _, dependency := range info.Deps {
			if dependency.Path == modulePath && dependency.Replace == nil {
				return build{version: number(dependency.Version)}
			}
		}
		return build{version: devel}
	}
	b := build{version: number(info.Main.Version)}
	var dirty bool
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.commit = setting.Value
		case "vcs.modified":
			dirty = setting.Value == "true"
		}
	}
	if dirty {
		b.commit += "-dirty"
	}
	return b
}

// number returns a module version without its "v".
func number(version string) string {
	if version == "" || version == "(devel)" {
		return devel
	}
	return strings.TrimPrefix(version, "v")
}
