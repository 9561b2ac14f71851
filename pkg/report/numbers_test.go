package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/holders"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestNumbers: what the page's JSON says of a recording, the commands say in
// theirs, for all examples. The keys that both have are compared as they are, and
// the texts of the page with texts made of a command's numbers.
func TestNumbers(t *testing.T) {
	seen := map[string]int{} // so that each comparison has happened
	for _, file := range testkit.Snapshots(t) {
		t.Run(filepath.Base(filepath.Dir(file))+" "+filepath.Base(file), func(t *testing.T) {
			s, err := snapshot.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			in := answer.NewInput(file, s)
			page := objectsOf(t, recording.New("memviz test", []answer.Input{in}, true).Files[0].Devices)
			command := askAll(t, in)
			for i := range page {
				n := numbers{t, page[i], seen}
				n.totals(command["stats"][i])
				n.growth(command["leaks"][i])
				n.topSite(command["site"][i])
				n.families(command["family"][i])
				n.failures(command["oom"][i])
				n.predicted(command["whatif"][i])
			}
		})
	}
	for _, what := range []string{"totals", "growth", "leak", "no leak", "site", "families", "failure", "no failure",
		"capacity", "predicted"} {
		if seen[what] == 0 {
			t.Errorf("no recording has what is compared as %q", what)
		}
	}
}

type object = map[string]any

// numbers is one device of the page.
type numbers struct {
	*testing.T
	page object
	seen map[string]int
}

// askAll is what the commands say in JSON of each device.
func askAll(t *testing.T, in answer.Input) map[string][]object {
	t.Helper()
	list := []answer.Input{in}
	devices := func(s *sheet.Sheet, err error) []object {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := s.Write(&text, sheet.JSON, sheet.Look{}); err != nil {
			t.Fatal(err)
		}
		var v struct{ Devices []object }
		if err := json.Unmarshal(text.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		return v.Devices
	}
	top := func(by holders.By) []object {
		return devices(top.Answer(list, top.Options{Grouping: holders.Grouping{By: by}}))
	}
	oom, err := oom.Answer(list, oom.Options{})
	leaks, leaksErr := leaks.Answer(list, leaks.Options{Rows: 5})
	whatIf, whatIfErr := whatif.Answer(list, whatif.Options{})
	return map[string][]object{
		"stats": devices(stats.Answer(list, stats.Options{}), nil),
		"leaks": devices(leaks, leaksErr), "oom": devices(oom, err), "whatif": devices(whatIf, whatIfErr),
		"site": top(holders.BySite), "family": top(holders.ByFamily),
	}
}

func objectsOf(t *testing.T, v any) (list []object) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// same holds keys of two objects against each other.
func (n numbers) same(what string, page, command object, keys ...string) {
	n.Helper()
	n.seen[what]++
	for _, key := range keys {
		if a, b := page[key], command[key]; a == nil || fmt.Sprint(a) != fmt.Sprint(b) {
			n.Errorf("%s: %s is %v on the page, and %v", what, key, a, b)
		}
	}
}

// says holds a text of the page against one that is made of a command's numbers.
func (n numbers) says(what string, got any, want string) {
	n.Helper()
	n.seen[what]++
	if text := strings.ReplaceAll(got.(string), "\u00a0", " "); !strings.Contains(text, want) {
		n.Errorf("%s: the page says %q, without %q", what, text, want)
	}
}

func (n numbers) answer(i int) object { return n.page["answers"].([]any)[i].(object) }

func number(v any) int64 { return int64(v.(float64)) }

func amount(v any) string { return units.Bytes(number(v)) }

func (n numbers) totals(stats object) {
	n.same("totals", n.page, stats, "device", "events", "allocations", "baseline_bytes", "peak_bytes", "peak_state",
		"final_bytes", "live_at_end", "reserved_baseline_bytes", "reserved_peak_bytes", "reserved_at_peak_bytes",
		"reserved_final_bytes", "oom_events")
	if adds := stats["adds_up"].(bool); !adds && n.page["verdict"].(object)["ok"].(bool) {
		n.Error("the page says that it adds up")
	}
	n.says("totals", n.answer(0)["value"], amount(stats["peak_bytes"]))
}

func (n numbers) growth(leaks object) {
	growth, known := leaks["growth"].(object)
	if !known {
		return
	}
	card := n.answer(1)
	n.says("growth", card["value"], units.Change(number(growth["bytes"])))
	n.says("growth", card["small"], "since ")
	n.same("growth", card["evidence"].(object), growth, "from", "to")
	if leaks["steps"].(float64) != growth["steps"].(float64)+2 {
		n.Errorf("growth over %v steps of %v", growth["steps"], leaks["steps"])
	}
	if suspects := leaks["suspects"].([]any); len(suspects) > 0 {
		first := suspects[0].(object)
		n.says("leak", card["line"], " keeps "+amount(first["bytes_per_step"])+" more each ")
		n.says("leak", card["detail"], amount(first["bytes_live"]))
	} else if leaks["limit"] == "" {
		want := "no call site keeps more"
		if (leaks["unexplained"] == nil || leaks["steps"].(float64) < 8) &&
			!strings.Contains(card["line"].(string), "more data") {
			want = "no growth of a call site seen in"
		}
		n.says("no leak", card["line"], want)
	}
}

func (n numbers) topSite(top object) {
	for _, row := range top["rows"].([]any) {
		if row := row.(object); row["key"] != "" && n.answer(2)["mood"] == "known" {
			n.says("site", n.answer(2)["line"], fmt.Sprintf(": %s, %s, %s", amount(row["bytes"]),
				units.Share(number(row["bytes"]), number(top["active_bytes"])),
				units.Plural(number(row["allocations"]), "tensor", "tensors")))
			return
		}
	}
}

func (n numbers) families(top object) {
	held := map[string]int64{}
	for _, row := range top["rows"].([]any) {
		held[row.(object)["key"].(string)] = number(row.(object)["bytes"])
	}
	for _, part := range n.answer(0)["bar"].([]any) {
		part := part.(object)
		if key := recording.Legend[number(part["family"])].Family.Key(); held[key] != number(part["bytes"]) {
			n.Errorf("%s holds %v on the page, and %d", key, part["bytes"], held[key])
		}
		n.seen["families"]++
	}
}

func (n numbers) failures(oom object) {
	card, list := n.answer(3), oom["ooms"].([]any)
	if len(list) == 0 {
		if n.page["events"].(float64) > 1 {
			n.says("no failure", card["line"], units.Bytes(max(0, number(n.page["reserved_at_peak_bytes"])-
				number(n.page["peak_bytes"])))+" reserved but not requested")
		}
		return
	}
	failures := n.page["failures"].([]any)
	for i, o := range list {
		n.same("failure", failures[i].(object), o.(object), "state", "evidence", "free_bytes")
	}
	last := list[len(list)-1].(object)
	n.says("failure", card["value"], "Asked "+amount(last["requested_bytes"]))
	n.says("failure", card["small"], amount(last["device_free_bytes"])+" free on the device")
	n.same("capacity", n.page["capacity"].(object), object{"bytes": oom["capacity_least_bytes"]}, "bytes")
}

func (n numbers) predicted(whatIf object) {
	predicted, known := n.page["predicted"].(object)
	if !known {
		return
	}
	keys := []string{"setting", "reserved_peak_bytes", "fragmentation_peak_bytes", "driver_calls", "failure_state"}
	n.same("predicted", predicted, whatIf, "lower_bound_bytes")
	n.same("predicted", predicted["reference"].(object), whatIf["reference"].(object), keys...)
	for _, mine := range predicted["settings"].([]any) {
		for _, theirs := range whatIf["settings"].([]any) {
			if mine, theirs := mine.(object), theirs.(object); mine["setting"] == theirs["setting"] {
				n.same("predicted", mine, theirs, keys...)
			}
		}
	}
}
