package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// query exports inputs as a database, has sqlite3 check it, and runs a query.
func query(t testing.TB, in []answer.Input, sql string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "snap.sqlite")
	if err := os.WriteFile(path, write(t, sqliteFormat, in, Options{}), 0o600); err != nil {
		t.Fatal(err)
	}
	return testkit.SQLite(t, path, sql)
}

// sqlNumbers are numbers of memviz stats in SQL.
var sqlNumbers = []struct{ name, sql string }{
	{"events", "SELECT count(*) FROM events WHERE recording = r.id"},
	{"oom_events", "SELECT count(*) FROM events WHERE recording = r.id AND action = 'oom'"},
	{"allocations", "SELECT count(*) FROM allocations WHERE recording = r.id"},
	{"baseline_bytes", "SELECT coalesce(sum(bytes), 0) FROM allocations WHERE recording = r.id AND start IS NULL"},
	{"peak_bytes", "SELECT coalesce(sum(bytes), 0) FROM live_at_peak WHERE recording = r.id"},
	{"peak_state", "SELECT min(state) FROM curve WHERE recording = r.id AND active_bytes = r.peak_bytes"},
	{"final_bytes", "SELECT coalesce(sum(bytes), 0) FROM live_at_end WHERE recording = r.id"},
	{"live_at_end", "SELECT count(*) FROM live_at_end WHERE recording = r.id"},
	{"reserved_peak_bytes", "SELECT max(reserved_bytes) FROM curve WHERE recording = r.id"},
	{"reserved_baseline_bytes", "SELECT reserved_bytes FROM curve WHERE recording = r.id AND state = 0"},
	{"reserved_final_bytes", "SELECT reserved_bytes FROM curve WHERE recording = r.id ORDER BY state DESC LIMIT 1"},
	{"reserved_at_peak_bytes", "SELECT reserved_bytes FROM curve WHERE recording = r.id AND state = r.peak_state"},
	{"segments", "SELECT count(*) FROM segments WHERE recording = r.id"},
}

// TestSQLite: queries and the totals both give the numbers of memviz stats.
func TestSQLite(t *testing.T) {
	eachSnapshot(t, func(t *testing.T, in []answer.Input) {
		var want, sums, totals []string
		for _, n := range sqlNumbers {
			sums = append(sums, "("+n.sql+")")
			totals = append(totals, "r."+n.name)
		}
		for _, stats := range statsOf(t, in) {
			var numbers []string
			for _, n := range sqlNumbers {
				numbers = append(numbers, fmt.Sprint(stats[n.name]))
			}
			want = append(want, strings.Join(numbers, "|"))
		}
		both := append(append([]string{}, want...), want...)
		got := query(t, in, "SELECT "+strings.Join(sums, ",")+" FROM recordings r; SELECT "+strings.Join(totals, ",")+
			" FROM recordings r")
		if got != strings.Join(both, "\n") {
			t.Errorf("got\n%s\nwant\n%s", got, strings.Join(both, "\n"))
		}
	})
}

// TestReferences: following references gives the same values as the rows of a CSV.
func TestReferences(t *testing.T) {
	in := append(input(testsnap.Training()), input(withNames("one", "two"))...)
	in[1].Name = "second.pickle"
	var want []string
	for _, row := range csvRows(t, in, Options{}) {
		want = append(want, strings.Join([]string{row["file"], row["allocation"], row["site"], row["stack"]}, "|"))
	}
	got := query(t, in, `SELECT r.file, a.allocation, s.site, coalesce((SELECT group_concat(line, ' < ')
		FROM (SELECT line FROM stack_lines l WHERE l.stack = a.stack ORDER BY depth)), '')
		FROM allocations a JOIN recordings r ON r.id = a.recording LEFT JOIN sites s ON s.id = a.site ORDER BY a.id`)
	if got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
	// An event is of an allocation of its own recording, with the address of both.
	got = query(t, in, `SELECT count(*), sum(a.recording = e.recording AND a.address = e.address)
		FROM events e JOIN allocations a ON a.id = e.allocation`)
	if n, same, _ := strings.Cut(got, "|"); n != same || n == "0" {
		t.Errorf("%s of %s events are of an allocation at their address", same, n)
	}
}
