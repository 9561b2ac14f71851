package pagetest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/units"
)

// TestAnnotatedAndPinned shows what torch 2.14 records: texts of tensors on their cards, in the search and in
// exports, all as the replay has them; and pinned host memory, of which nothing is said that is of GPUs.
func TestAnnotatedAndPinned(t *testing.T) {
	t.Parallel()
	s := testsnap.Annotated()
	in := answer.NewInput("annotated.pickle", s)
	gpu, host := in.Devices[0], in.Devices[1]
	notes := gpu.Notes(s)
	p := open(t, reportOf(t, "annotated.pickle", s), "")

	const card = `[...document.querySelectorAll('#pinned dt')].find((e) => e.textContent === 'metadata')
		?.nextElementSibling`
	const unfold = "(() => {const all = %s?.querySelector('button'); all?.click(); return !!all})()"
	texts := map[string]int{}
	for i := range gpu.Allocations {
		want := notes.Of(&gpu.Allocations[i])
		if want != "" {
			texts[want] = i
		}
		p.goTo("#sel=%d", i)
		if isLong := eval[bool](p, unfold, card); isLong != (len(want) > 120) {
			t.Errorf("tensor %d: its card has a button for all of the text: %t; it has %d bytes", i, isLong, len(want))
		}
		if got := eval[string](p, "%s?.textContent ?? ''", card); got != units.Printable(want) {
			t.Errorf("tensor %d: the card says %q, want %q", i, got, want)
		}
	}
	if len(texts) != 5 {
		t.Fatalf("annotations %v", texts)
	}
	for text, i := range texts {
		if query := text[:min(len(text), 18)]; !strings.ContainsAny(query, "/") {
			want, _ := (&recording{d: gpu}).find(func(a *replay.Allocation) bool {
				return strings.Contains(notes.Of(a), query)
			})
			got := eval[found](p, "memviz.search(%q)", query)
			if got.Allocations != want.Allocations || got.First == nil || *got.First != i {
				t.Errorf("%q finds %+v, want %+v", query, got, want)
			}
		}
	}
	eval[found](p, "memviz.search('')")
	var saved struct {
		Tensors []struct {
			Tensor   int
			Metadata *string
		}
	}
	if err := json.Unmarshal(p.export("Tensors", "JSON", "annotated-cuda-0-peak-tensors.json"), &saved); err != nil {
		t.Fatal(err)
	}
	if len(saved.Tensors) != len(gpu.Allocations) {
		t.Errorf("%d tensors are saved", len(saved.Tensors))
	}
	for _, tensor := range saved.Tensors {
		want := notes.Of(&gpu.Allocations[tensor.Tensor])
		if tensor.Metadata == nil && want != "" || tensor.Metadata != nil && *tensor.Metadata != want {
			t.Errorf("tensor %d is saved with %v, want %q", tensor.Tensor, tensor.Metadata, want)
		}
	}

	p.goTo("#d=-1&sel=1&v=map&at=end")
	p.shows(units.Bytes(host.Totals.PeakBytes))
	text := strings.ToLower(plainSpaces(eval[string](p, "document.body.innerText")))
	requireWords(t, "the page of host memory", text, "rounded", "pinned", "returnable", "offload",
		"1 free was recorded late")
	for _, word := range []string{"unknown", "empty_cache", "rounding", "because", "not requested", "small"} {
		if strings.Contains(text, word) {
			t.Errorf("the page of host memory says %q:\n%s", word, text)
		}
	}
	var sum int64
	for _, row := range readCSV(t, p.export("Table", "CSV", "annotated-pinned-end-table.csv")) {
		sum += number(t, row["bytes"])
	}
	if sum != host.Totals.FinalBytes {
		t.Errorf("the table of host memory holds %d bytes at the end, the replay %d", sum, host.Totals.FinalBytes)
	}
}
