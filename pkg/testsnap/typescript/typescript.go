// Package typescript writes TypeScript declarations for the JSON of Go types, with the comments
// of their fields. The viewer's modules are checked against them, so that no module copies a
// struct by hand.
package typescript

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

const module = "github.com/memviz-go/memviz/"

// Golden compares the declarations of some types, and of all types they use, with the named
// file in assets/viewer/types; -update writes it.
func Golden(t *testing.T, name string, roots ...reflect.Type) {
	t.Helper()
	w := &writer{root: testkit.Root(t), pkg: roots[0].PkgPath(), own: map[string]bool{},
		seen: map[reflect.Type]bool{}, parsed: map[string]map[string]*ast.File{}}
	for _, file := range w.files(roots[0]) {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				w.own[spec.Name.Name] = true
			}
			return true
		})
	}
	for _, root := range roots {
		w.reference(root)
	}
	for len(w.waiting) > 0 && w.err == nil {
		next := w.waiting[0]
		w.waiting = w.waiting[1:]
		w.declare(next)
	}
	if w.err != nil {
		t.Fatal(w.err)
	}
	text := "// Written by `go test ./" + strings.TrimPrefix(w.pkg, module) + " -update` from the Go types of the same names.\n" + w.text.String()
	testkit.GoldenFile(t, filepath.Join(w.root, "assets", "viewer", "types", name), []byte(text))
}

// writer writes a declaration of each type that it meets.
type writer struct {
	root    string
	text    strings.Builder
	waiting []reflect.Type
	seen    map[reflect.Type]bool
	pkg     string
	own     map[string]bool                 // types of the package
	parsed  map[string]map[string]*ast.File // by package and file
	err     error
}

// nameOf returns the name of a type, without the part that marks view models in Go, and with
// its package if the package being written has another type of that name.
func (w *writer) nameOf(t reflect.Type) string {
	name := capital(strings.TrimSuffix(t.Name(), "Model"))
	if t.PkgPath() != w.pkg && w.own[t.Name()] {
		name = capital(path.Base(t.PkgPath())) + name
	}
	return name
}

func capital(name string) string { return strings.ToUpper(name[:1]) + name[1:] }

// reference returns the TypeScript for a use of a type.
func (w *writer) reference(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32:
		return "number"
	case reflect.String:
		if values := w.constants(t); len(values) > 0 {
			return strings.Join(values, " | ")
		}
		return "string"
	case reflect.Pointer:
		return w.reference(t.Elem())
	case reflect.Slice:
		return w.elements(t.Elem(), "[]")
	case reflect.Array:
		if t.Len() > 4 {
			return w.elements(t.Elem(), "[]")
		}
		element := w.reference(t.Elem())
		if t.Elem().Kind() == reflect.Pointer {
			element += " | null"
		}
		return "[" + strings.Join(slices.Repeat([]string{element}, t.Len()), ", ") + "]"
	case reflect.Struct:
		if !w.seen[t] {
			w.seen[t] = true
			w.waiting = append(w.waiting, t)
		}
		return w.nameOf(t)
	}
	w.err = cmp.Or(w.err, fmt.Errorf("%s has no type in TypeScript", t))
	return "unknown"
}

func (w *writer) elements(t reflect.Type, brackets string) string {
	element := w.reference(t)
	if strings.Contains(element, " | ") {
		element = "(" + element + ")"
	}
	return element + brackets
}

func (w *writer) declare(t reflect.Type) {
	fmt.Fprintf(&w.text, "\nexport interface %s {\n", w.nameOf(t))
	w.fields(t)
	w.text.WriteString("}\n")
}

// fields declares the fields of a struct, embedded ones included.
func (w *writer) fields(t reflect.Type) {
	comments := w.comments(t)
	for i := range t.NumField() {
		field := t.Field(i)
		key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case key == "-" || !field.IsExported():
			continue
		case field.Anonymous && key == "":
			w.fields(field.Type)
			continue
		}
		optional, null := "", ""
		if options == "omitempty" {
			optional = "?"
		} else if field.Type.Kind() == reflect.Pointer {
			null = " | null"
		}
		if comment := comments[field.Name]; comment != "" {
			fmt.Fprintf(&w.text, "  /** %s */\n", comment)
		}
		fmt.Fprintf(&w.text, "  %s%s: %s%s;\n", key, optional, w.reference(field.Type), null)
	}
}

// files returns the sources of the package of a type.
func (w *writer) files(t reflect.Type) map[string]*ast.File {
	files, known := w.parsed[t.PkgPath()]
	if known || w.err != nil {
		return files
	}
	files = map[string]*ast.File{}
	paths, err := filepath.Glob(filepath.Join(w.root, strings.TrimPrefix(t.PkgPath(), module), "*.go"))
	for _, file := range paths {
		if err == nil {
			files[file], err = parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		}
	}
	w.parsed[t.PkgPath()], w.err = files, cmp.Or(w.err, err)
	return files
}

// comments returns the comments of the fields of a struct, on one line each.
func (w *writer) comments(t reflect.Type) map[string]string {
	comments := map[string]string{}
	for _, file := range w.files(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is || spec.Name.Name != t.Name() {
				return true
			}
			for _, field := range spec.Type.(*ast.StructType).Fields.List {
				text := strings.Join(strings.Fields(field.Doc.Text()+" "+field.Comment.Text()), " ")
				for _, name := range field.Names {
					comments[name.Name] = text
				}
			}
			return false
		})
	}
	return comments
}

// constants returns the values of the constants of a string type.
func (w *writer) constants(t reflect.Type) (values []string) {
	if !strings.HasPrefix(t.PkgPath(), module) {
		return nil
	}
	for _, file := range w.files(t) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is {
				return true
			}
			if of, is := spec.Type.(*ast.Ident); is && of.Name == t.Name() {
				for _, value := range spec.Values {
					if literal, is := value.(*ast.BasicLit); is && literal.Kind == token.STRING {
						text, _ := strconv.Unquote(literal.Value)
						values = append(values, "'"+text+"'")
					}
				}
			}
			return true
		})
	}
	slices.Sort(values)
	return values
}
