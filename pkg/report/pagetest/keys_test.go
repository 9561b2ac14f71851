package pagetest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// keyed is a page on which a line of the list of keys is tried, and what it shows.
type keyed struct {
	*page
	*recording
}

// keyTry tries a line of the list of keys on a page that shows a hash.
type keyTry struct {
	hash string
	try  func(k keyed)
}

// keyList is what "?" shows: what is pressed, and what it does.
func keyList(p *page) [][2]string {
	p.t.Helper()
	p.press("?")
	list := eval[[][2]string](p,
		"[...document.querySelectorAll('#keys[open] .keys p')].map(e => [e.children[0].textContent.trim(), "+
			"e.children[1].textContent])")
	p.press("\u001b")
	return list
}

// TestKeys presses every key, and makes every gesture, that the list of keys has:
// a line that is not tried here fails.
func TestKeys(t *testing.T) {
	t.Parallel()
	r, report := load(t, example(t, "out-of-memory")), exampleReport(t, "out-of-memory")
	list := keyList(open(t, report, ""))
	if len(list) < 30 {
		t.Fatalf("the list of keys is %q", list)
	}
	listed := map[string]string{}
	for _, line := range list {
		listed[line[0]] = line[1]
	}
	for name, tries := range map[string]map[string]keyTry{"move": keysThatMove, "go": keysThatGo, "find": keysThatFind,
		"select": keysThatSelect, "show": keysThatShow, "take away": keysThatTakeAway} {
		for key := range tries {
			if _, is := listed[key]; !is {
				t.Errorf("%s is tried and not in the list of keys", key)
			}
			delete(listed, key)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, report, "")
			for _, key := range slices.Sorted(maps.Keys(tries)) {
				t.Run(strings.ReplaceAll(key, "/", "slash"), func(t *testing.T) {
					p.t = t
					p.goTo("%s", tries[key].hash)
					tries[key].try(keyed{p, r})
				})
			}
			p.t = t
		})
	}
	for key, does := range listed {
		t.Errorf("%s (%s) is in the list of keys and not tried", key, does)
	}
}

// shown requires the states that the plot shows, to the hundredth of one.
func (k keyed) shown(g geometry, from, to float64) {
	k.t.Helper()
	if !near(g.From, from, 0.01) || !near(g.To, to, 0.01) {
		k.t.Errorf("shown is %.2f to %.2f, want %.2f to %.2f", g.From, g.To, from, to)
	}
}

// address requires values of the hash, written as key=value; key= is one that is not there.
func (k keyed) address(want ...string) {
	k.t.Helper()
	for _, pair := range want {
		key, value, _ := strings.Cut(pair, "=")
		if got := k.hash(key); got != value {
			k.t.Errorf("in the address %s is %q, want %q", key, got, value)
		}
	}
}

// oom is the state before the request that failed.
func (k keyed) oom() int { return slices.Index(k.d.Events.Action, snapshot.OOM) }

// focused is the label of the field that has the keyboard, or "".
func (k keyed) focused() string {
	return eval[string](k.page,
		"document.activeElement instanceof HTMLInputElement ? document.activeElement.getAttribute('aria-label') ?? "+
			"'field' : ''")
}
