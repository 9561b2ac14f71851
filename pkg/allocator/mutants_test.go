package allocator

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mutant is the allocator with one rule broken: in file, old is replaced by new.
type mutant struct{ rule, file, old, new string }

// mutants break every rule that decides an address or a driver call, one at a time.
var mutants = []mutant{
	{"minimum block 256", "rounding.go", "minBlockSize    = 512", "minBlockSize    = 256"},
	{"exactly 1 MiB goes to the large pool", "pool.go", "rounded <= smallSize", "rounded < smallSize"},
	{"large split already at rest = 1 MiB", "alloc.go", "rest > smallSize", "rest >= smallSize"},
	{"large split from 512 B", "alloc.go", "rest > smallSize", "rest >= minBlockSize"},
	{"small split only above 512 B", "alloc.go", "return rest >= minBlockSize", "return rest > minBlockSize"},
	{"expandable splits like the large pool", "alloc.go", "snapshot.SizeClassSmall || a.settings.Expandable",
		"snapshot.SizeClassSmall"},
	{"exactly 10 MiB gets 20 MiB", "rounding.go", "rounded < minLargeAlloc", "rounded <= minLargeAlloc"},
	{"10 MiB instead of 20 MiB segments", "settings.go", "return largeBuffer\n\t}\n\treturn s.LargeSegmentSize",
		"return 10 * mib\n\t}\n\treturn s.LargeSegmentSize"},
	{"large segments not rounded to 2 MiB", "rounding.go", "return roundUp(rounded, roundLarge)", "return rounded"},
	{"large segments rounded to 20 MiB", "rounding.go", "return roundUp(rounded, roundLarge)",
		"return roundUp(rounded, largeBuffer)"},
	{"ties by highest address", "pool.go", "k.addr < o.addr", "k.addr > o.addr"},
	{"first fit by address", "pool.go", "return key{b.stream, b.size, b.addr}", "return key{b.stream, 0, b.addr}"},
	{"no merge with next", "block.go", "a.join(b, b.next)", ""},
	{"no merge with prev", "block.go", "a.join(b, b.prev)", ""},
	{"remainder handed out instead of the front", "alloc.go", "b = a.splitFront(b, size)",
		"a.splitFront(b, b.size-size)"},
	{"release small pool first", "release.go", "a.releaseFree(&a.shared.large)\n\ta.releaseFree(&a.shared.small)",
		"a.releaseFree(&a.shared.small)\n\ta.releaseFree(&a.shared.large)"},
	{"release skips the small pool", "release.go", "\ta.releaseFree(&a.shared.small)\n", ""},
	{"expandable: no room rule in the search", "alloc.go", "b.room() >= best.room()", "true"},
	{"expandable: ignore the free block before the frontier", "expandable.go", "b.prev != nil && b.prev.state == free",
		"false"},
	{"expandable: map the whole request", "expandable.go", "min(r.size-b.size, b.next.size)",
		"min(r.size, b.next.size)"},
	{"expandable: no limit on the reservation", "expandable.go", "if s := a.settings.SegmentReserve; s > 0 {", "if false {\n\t\ts := int64(1)"},
	{"expandable: 2 MiB pages in the large pool", "rounding.go", "\treturn s.largeSegment()\n}",
		"\treturn smallBuffer\n}"},
	{"unmap rounds outwards", "expandable.go", "begin := roundUp(int64(b.addr-space.addr), space.page)",
		"begin := roundDown(int64(b.addr-space.addr), space.page)"},
	{"streams share free blocks", "pool.go", "return key{b.stream, b.size, b.addr}", "return key{0, b.size, b.addr}"},

	{"max_split_size: limit inclusive", "alloc.go", "size < limit", "size <= limit"},
	{"max_split_size: block at the limit serves", "alloc.go", "b.size >= limit", "b.size > limit"},
	{"oversize release: largest first", "release.go", "b.size >= r.size", "false"},
	{"garbage is collected without a fraction", "release.go", "a.limited && a.settings.GCThreshold > 0",
		"a.settings.GCThreshold > 0"},
	{"garbage: strictly older than the mean", "release.go", "float64(p.age(b)) >= mean", "float64(p.age(b)) > mean"},
	{"the limit counts the request, not the segment", "alloc.go", "a.Reserved()+size > a.allowed",
		"a.Reserved()+r.size > a.allowed"},
	{"pending blocks can be used at once", "free.go", "len(b.usedBy) > 0", "false"},
	{"a retry does not wait for streams", "release.go", "\ta.finishEvents()\n", ""},
	{"private pools are released in use", "privatepool.go", "if p.users > 0 {", "if false {"},
}

// TestMutants builds and tests every mutant: one that passes is a rule that no
// test holds. It takes minutes, so it has to be asked for.
func TestMutants(t *testing.T) {
	if os.Getenv("MEMVIZ_MUTANTS") == "" {
		t.Skip("set MEMVIZ_MUTANTS to test the tests; that takes some minutes")
	}
	for _, m := range mutants {
		t.Run(m.rule, func(t *testing.T) {
			command := exec.Command("go", "test", "-short", "-count=1", "-timeout", "60s", "-overlay", m.overlay(t),
				"-run", "Vectors|Naive|FuzzAllocator|Test", "-skip", "TestMutants", ".")
			out, err := command.CombinedOutput()
			failed := regexp.MustCompile(`(?m)^--- FAIL: (\w+)|^panic: `).FindAllStringSubmatch(string(out), -1)
			if err == nil || len(failed) == 0 {
				t.Fatalf("no test fails: %v\n%s", err, out)
			}
			var names []string
			for _, f := range failed {
				names = append(names, f[1])
			}
			t.Logf("fails %s", strings.Join(names, ", "))
		})
	}
}

// overlay is a file that makes go build the mutant.
func (m mutant) overlay(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile(m.file)
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(source), m.old, m.new, 1)
	if broken == string(source) {
		t.Fatalf("%s does not have %q", m.file, m.old)
	}
	folder := t.TempDir()
	changed := filepath.Join(folder, m.file)
	original, err := filepath.Abs(m.file)
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{changed: []byte(broken), changed + ".json": list} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return changed + ".json"
}
