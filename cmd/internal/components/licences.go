package components

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

type licenceText struct {
	name string // slashed path within the component
	text []byte
}

var licenceName = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents|authors)([.-].*)?$`)

// addTexts adds the licences in the folder of a package and above it, up to the root.
func (c *Component) addTexts(root, dir string) error {
	for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !licenceName.MatchString(entry.Name()) {
				continue
			}
			if err := c.addText(root, filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(c.texts, func(a, b licenceText) int { return cmp.Compare(a.name, b.name) })
	return nil
}

func (c *Component) addText(root, file string) error {
	name, err := filepath.Rel(root, file)
	if err != nil {
		return err
	}
	name = filepath.ToSlash(name)
	if slices.ContainsFunc(c.texts, func(t licenceText) bool { return t.name == name }) {
		return nil
	}
	text, err := os.ReadFile(file)
	c.texts = append(c.texts, licenceText{name, bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))})
	return err
}

// permissive are the licences whose terms a release fulfils by holding their texts.
var permissive = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "Unlicense"}

// identify finds the licences of a component. It is an error if there are none, or any
// that is not known to be permissive: somebody has to review it.
func (c *Component) identify() error {
	found := map[string]bool{}
	for _, text := range c.texts {
		for _, match := range licensecheck.Scan(text.text).Match {
			if !match.IsURL && match.ID != "Google-Patents" && match.ID != "GooglePatentsFile" {
				found[match.ID] = true
			}
		}
	}
	c.Licences = slices.Sorted(maps.Keys(found))
	if len(c.Licences) == 0 {
		return fmt.Errorf("%s has no recognizable licence", c.URL)
	}
	for _, licence := range c.Licences {
		if !slices.Contains(permissive, licence) {
			return fmt.Errorf("%s is under %s; see whether memviz may hold it, then add the licence to permissive",
				c.URL, licence)
		}
	}
	return nil
}
