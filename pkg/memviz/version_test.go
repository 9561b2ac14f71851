package memviz

import (
	"runtime/debug"
	"testing"
)

func TestBuildOf(t *testing.T) {
	ours := func(version string) debug.Module { return debug.Module{Path: modulePath, Version: version} }
	for name, test := range map[string]struct {
		info debug.BuildInfo
		want build
	}{
		"go install at a version": {debug.BuildInfo{Main: ours("v1.2.3")}, build{version: "1.2.3"}},
		"go run":                  {debug.BuildInfo{Main: ours("(devel)")}, build{version: "devel"}},
		"go build in a checkout": {
			debug.BuildInfo{Main: ours("v1.2.4-0.20261122133318-0816218aaaaa+dirty"), Settings: []debug.BuildSetting{
				{Key: "vcs.revision", Value: "0816218"}, {Key: "vcs.modified", Value: "true"}}},
			build{"1.2.4-0.20261122133318-0816218aaaaa+dirty", "0816218-dirty"},
		},
		"another program": {
			debug.BuildInfo{
				Main: debug.Module{Path: "example.org/tool", Version: "v9.0.0"},
				Deps: []*debug.Module{{Path: "example.org/other", Version: "v3.0.0"},
					{Path: modulePath, Version: "v1.2.3"}},
				// This commit is the other program's.
				Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "1111111"}},
			},
			build{version: "1.2.3"},
		},
		"another program with a copy": {
			debug.BuildInfo{
				Main: debug.Module{Path: "example.org/tool", Version: "v9.0.0"},
				Deps: []*debug.Module{{Path: modulePath, Version: "v1.2.3", Replace: &debug.Module{Path: "../memviz"}}},
			},
			build{version: "devel"},
		},
	} {
		if got := buildOf(&test.info); got != test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
