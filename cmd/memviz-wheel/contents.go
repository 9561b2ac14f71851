package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/memviz-go/memviz/cmd/internal/build"
	"github.com/memviz-go/memviz/cmd/internal/components"
)

// module is the Python module. The distribution is torch-memviz, spelled like the module
// in file names.
const module = "torch_memviz"

// contents is the part that all wheels of a version share.
type contents struct {
	version string // as Python writes it, such as 0.2.0rc1
	time    time.Time
	sources map[string][]byte // the files of the module, by their paths in the archive
	info    map[string][]byte // METADATA and licences, by their paths in dist-info
}

// readContents reads the contents from a checkout, for wheels with binaries of these targets.
func readContents(ctx context.Context, source *build.Source, targets []build.Target) (*contents, error) {
	version, err := pythonVersion(source.Version)
	if err != nil {
		return nil, err
	}
	c := &contents{version, source.Time, map[string][]byte{}, map[string][]byte{}}
	python := filepath.Join(source.Dir, "assets", "python")
	err = fs.WalkDir(os.DirFS(python), module, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && isSource(name) {
			c.sources[name], err = os.ReadFile(filepath.Join(python, name))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	memviz, others, err := components.Find(ctx, source, targets)
	if err != nil {
		return nil, err
	}
	if c.info["licenses/LICENSE"], err = os.ReadFile(filepath.Join(source.Dir, "LICENSE")); err != nil {
		return nil, err
	}
	c.info["licenses/NOTICES"] = components.Notices(others)
	readme, err := os.ReadFile(filepath.Join(python, "README.md"))
	if err != nil {
		return nil, err
	}
	c.info["METADATA"] = metadata(version, licencesOf(memviz, others), readme)
	return c, nil
}

// isSource excludes the files that Python and editors leave beside the module's own.
func isSource(name string) bool { return path.Ext(name) == ".py" || path.Base(name) == "py.typed" }

var semantic = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?$`)

// pythonVersion converts a semantic version to Python's form.
func pythonVersion(version string) (string, error) {
	m := semantic.FindStringSubmatch(version)
	if m == nil {
		return "", fmt.Errorf("the version %q has no form in Python; 0.1.0 and 0.2.0-rc.1 have one", version)
	}
	return m[1] + map[string]string{"": "", "alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3], nil
}

// licencesOf returns the licences of everything in the wheel, as an SPDX expression.
func licencesOf(memviz *components.Component, others []*components.Component) string {
	all := slices.Clone(memviz.Licences)
	for _, c := range others {
		all = append(all, c.Licences...)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), " AND ")
}

// metadata returns the METADATA file, which PyPI shows and pip reads.
func metadata(version, licences string, readme []byte) []byte {
	return fmt.Appendf(nil, `Metadata-Version: 2.4
Name: torch-memviz
Version: %s
Summary: See what PyTorch kept in GPU memory, and when, and why
Keywords: pytorch,cuda,rocm,memory,profiler,snapshot,out-of-memory,leak
Project-URL: Source, https://github.com/memviz-go/memviz
License-Expression: %s
License-File: LICENSE
License-File: NOTICES
Classifier: Development Status :: 4 - Beta
Classifier: Framework :: IPython
Classifier: Framework :: Jupyter
Classifier: Intended Audience :: Developers
Classifier: Intended Audience :: Science/Research
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Artificial Intelligence
Classifier: Topic :: Software Development :: Debuggers
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown

%s`, version, licences, readme)
}
