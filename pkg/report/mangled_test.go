package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// What the viewer's bundle shortens is no key of a report or of the chart's
// options: the viewer would ask for a key that is not there.
func TestMangledKeys(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "assets", "viewer", "mangled.txt"))
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	addKeys(keys, reflect.TypeFor[Report]())
	chart, err := chartOptions()
	if err != nil {
		t.Fatal(err)
	}
	var options any
	if err := json.Unmarshal(chart, &options); err != nil {
		t.Fatal(err)
	}
	addOptions(keys, options)
	for _, key := range []string{"schema", "diagnosis", "renderItem"} {
		if !keys[key] {
			t.Errorf("%q was not found among the keys", key)
		}
	}
	for _, name := range strings.Fields(string(text)) {
		if keys[name] {
			t.Errorf("%q is a key", name)
		}
	}
}

func addKeys(keys map[string]bool, t reflect.Type) {
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Pointer:
		addKeys(keys, t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "" {
				keys[key] = true
			}
			addKeys(keys, t.Field(i).Type)
		}
	}
}

func addOptions(keys map[string]bool, value any) {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			keys[key] = true
			addOptions(keys, inner)
		}
	case []any:
		for _, inner := range value {
			addOptions(keys, inner)
		}
	}
}
