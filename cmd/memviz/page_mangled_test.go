package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageMangled: no property that the bundle shortens is one of the browser's,
// since the page would ask it for a name that it does not know.
func TestPageMangled(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "assets", "viewer", "mangled.txt"))
	if err != nil {
		t.Fatal(err)
	}
	names, err := json.Marshal(append(strings.Fields(string(text)),
		"textContent")) // which is one, to see that it is found
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, chromium(t), writeReport(t, example("training-loop")), "", 1440, 900)
	known := eval[[]string](p, `(() => {
		const known = new Set(), seen = new Set([echarts, memviz]);
		const look = (value) => {
			for (; value instanceof Object && !seen.has(value); value = Object.getPrototypeOf(value)) {
				seen.add(value);
				for (const name of Object.getOwnPropertyNames(value)) known.add(name);
			}
		};
		for (const name of Object.getOwnPropertyNames(window))
			if (name !== 'echarts' && name !== 'memviz')
				for (const value of [window[name], window[name]?.prototype]) look(value);
		return %s.filter((name) => known.has(name));
	})()`, names)
	if len(known) != 1 || known[0] != "textContent" {
		t.Errorf("these are names of the browser too: %q", known)
	}
}
