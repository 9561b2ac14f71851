package main

import (
	"math"
	"strings"
	"testing"
)

func same(a, b float64) bool { return !known(a) && !known(b) || math.Abs(a-b) < 1e-9 }

func TestPercentile(t *testing.T) {
	twenty := make([]float64, 20)
	for i := range twenty {
		twenty[i] = float64(20 - i) // 20 down to 1
	}
	for _, c := range []struct {
		samples []float64
		p, want float64
	}{
		{nil, 0.95, unknown},
		{[]float64{7}, 0.95, 7},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{3, 1, 2}, 1, 3},
		{twenty, 0.95, 19},
		{twenty, 0.96, 20},
		{twenty, 0.01, 1},
	} {
		if got := percentile(c.samples, c.p); !same(got, c.want) {
			t.Errorf("the %v percentile of %v is %v, want %v", c.p, c.samples, got, c.want)
		}
	}
	if twenty[0] != 20 {
		t.Error("percentile sorts its argument")
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		samples []float64
		want    float64
	}{
		{nil, unknown},
		{[]float64{5}, 5},
		{[]float64{5, 1}, 3},
		{[]float64{9, 1, 2}, 2},
	} {
		if got := median(c.samples); !same(got, c.want) {
			t.Errorf("the median of %v is %v, want %v", c.samples, got, c.want)
		}
	}
}

// TestMedianRatio: a run in which everything took twice as long changes nothing.
func TestMedianRatio(t *testing.T) {
	for _, c := range []struct {
		of, to []float64
		want   float64
	}{
		{[]float64{1, 2, 1}, []float64{2, 4, 2}, 0.5},
		{[]float64{1, 9, 3}, []float64{1, 1, 1}, 3},
		{nil, nil, unknown},
		{[]float64{1}, nil, unknown},
		{[]float64{1}, []float64{0}, unknown},
	} {
		if got := medianRatio(c.of, c.to); !same(got, c.want) {
			t.Errorf("%v to %v is %v, want %v", c.of, c.to, got, c.want)
		}
	}
}

func TestWorst(t *testing.T) {
	for _, c := range []struct {
		figures []float64
		want    float64
	}{
		{nil, unknown},
		{[]float64{1, 3, 2}, 3},
		{[]float64{1, unknown, 2}, unknown},
		{[]float64{unknown, 2}, unknown},
	} {
		if got := worst(c.figures...); !same(got, c.want) {
			t.Errorf("the worst of %v is %v, want %v", c.figures, got, c.want)
		}
	}
}

func TestVerdict(t *testing.T) {
	for measured, want := range map[float64]string{0.7: "held", 0.71: "NOT HELD"} {
		if got := (budget{measured: measured, limit: 0.7}).verdict(); got != want {
			t.Errorf("%v, at most 0.7: %s, want %s", measured, got, want)
		}
	}
	if got := (budget{measured: unknown, limit: 0.7}).verdict(); got != "not measured" {
		t.Errorf("an unknown figure is %s", got)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0.00 s", 0.456: "0.46 s", 9.99: "9.99 s", 9.999: "10.0 s", 12.34: "12.3 s",
		99.96: "100 s", 1234.5: "1234 s"} {
		if got := number(v, " s"); got != want {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
	if got := number(unknown, " s"); got != "-" {
		t.Errorf("an unknown figure is %q", got)
	}
}

// filesMeasured has two runs of every reader on files of these sizes in MB; the second
// run took twice as long. Figures are per MB.
func filesMeasured(t *testing.T, seconds, bytes map[string]float64, htmlPerEvent float64, sizes ...string) *results {
	r := &results{samples: map[measure][]float64{}}
	for _, size := range sizes {
		in, err := (&fileBenchmark{}).parse(size)
		if err != nil {
			t.Fatal(err)
		}
		mb := float64(in.events / eventsPerMB)
		in.bytes = int64(mb * 1e6)
		r.inputs = append(r.inputs, in)
		for _, reader := range readers {
			r.add(in, reader, wall, seconds[reader]*mb, 2*seconds[reader]*mb)
			r.add(in, reader, memory, bytes[reader]*mb, bytes[reader]*mb)
		}
		r.add(in, trace, output, shellBytes+htmlPerEvent*float64(in.events))
	}
	return r
}

var (
	secondsPerMB = map[string]float64{sha256sum: 0.01, pythonPickleNG: 0.1, stats: 0.004, digest: 0.0042,
		trace: 0.0095}
	bytesPerMB = map[string]float64{pythonPickleNG: 4e6, stats: 0.3e6, digest: 0.31e6, trace: 0.44e6}
)

// checkBudgets compares the measured values, in the order of the budgets.
func checkBudgets(t *testing.T, budgets []budget, want []string) {
	t.Helper()
	if len(budgets) != len(want) {
		t.Fatalf("%d budgets, want %d", len(budgets), len(want))
	}
	for i, b := range budgets {
		if got := number(b.measured, b.unit) + " " + b.verdict(); got != want[i] {
			t.Errorf("%s: %s, want %s", b.name, got, want[i])
		}
	}
}

func TestFileBudgets(t *testing.T) {
	r := filesMeasured(t, secondsPerMB, bytesPerMB, 3.6, "10MB", "100MB", "1GB")
	checkBudgets(t, fileBudgets(r), []string{
		"0.40 held", "1.05 held", "1.03 held", "0.95 NOT HELD", "0.10 held", "0.11 held", "0.44 held",
		"3.60 B NOT HELD", "10.0x held", "10.0x held",
	})
	missing := make([]string, 10)
	for i := range missing {
		missing[i] = "- not measured"
	}
	checkBudgets(t, fileBudgets(filesMeasured(t, secondsPerMB, bytesPerMB, 3, "10MB")), missing)
}

func pageMeasured(name string) *results {
	in := &input{name: name, bytes: 43 << 20}
	r := &results{inputs: []*input{in}, samples: map[measure][]float64{}}
	for interaction, ms := range map[string][]float64{
		interactive: {1200}, view: {90, 90, 90}, wheel: {20, 20, 20}, drag: {16, 16, 50}, hover: {1, 2, 3},
		spaceWheel: {30, 40, 30}, spaceDrag: {20}, spaceClose: {17},
	} {
		r.add(in, interaction, millis, ms...)
	}
	return r
}

// TestJobBudgets: seconds, and decimal megabytes.
func TestJobBudgets(t *testing.T) {
	r := &results{inputs: []*input{{name: "1024"}, {name: "4096"}}, samples: map[measure][]float64{}}
	r.add(r.inputs[0], ranksPage, cpu, 1.5)
	r.add(r.inputs[0], ranksPage, memory, 151e6)
	r.add(r.inputs[0], ranksPage, output, 5e6)
	r.add(r.inputs[1], ranksPage, output, 1.9e6)
	_, budgets := (*jobBenchmark)(nil).report(r)
	var got []string
	for _, b := range budgets {
		got = append(got, b.verdict()+" "+number(b.measured, b.unit))
	}
	if want := "held 1.50 s, NOT HELD 151 MB, held 1.90 MB"; strings.Join(got, ", ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestPredictBudgets: a prediction may take three times as long as stats of one recording.
func TestPredictBudgets(t *testing.T) {
	r := &results{inputs: []*input{{name: "1M"}, {name: "2M"}}, samples: map[measure][]float64{}}
	for i, seconds := range []float64{1.2, 1.8} {
		r.add(r.inputs[i], stats, wall, 0.5)
		r.add(r.inputs[i], predictText, wall, seconds)
	}
	_, budgets := (*predictBenchmark)(nil).report(r)
	checkBudgets(t, budgets, []string{"2.40 held", "3.60 NOT HELD"})
}

// TestPageBudgets: a frame is the slower of wheel and drag; a view is not a frame.
func TestPageBudgets(t *testing.T) {
	const missing = "- not measured"
	checkBudgets(t, pageBudgets(pageMeasured("1M")), []string{
		"1.20 s NOT HELD", missing, "20.0 ms held", "50.0 ms NOT HELD", missing, missing, missing, "3.00 ms held",
		"30.0 ms held", "17.0 ms held", missing,
	})
	checkBudgets(t, pageBudgets(pageMeasured("5M")), []string{
		missing, "1.20 s held", missing, missing, "20.0 ms held", "50.0 ms held", missing, missing,
		missing, missing, "30.0 ms held",
	})
}

func TestWriteTables(t *testing.T) {
	in := &input{name: "1GB"}
	r := &results{inputs: []*input{in, {name: "µ"}}}
	sample := r.table("Sizes", []string{"x"}, func(in *input) string { return "detail of " + in.name },
		column{"much", func(in *input, subject string) string { return subject + in.name }})
	sample.notes = []string{"A note."}
	for markdown, want := range map[bool]string{false: `Sizes

  input  measured       much
  1GB    detail of 1GB
         x              x1GB
  µ      detail of µ
         x                xµ

  A note.

Empty

  a
`, true: `**Sizes**

| input | measured | much |
|:--- |:--- | ---:|
| 1GB | detail of 1GB |  |
|  | x | x1GB |
| µ | detail of µ |  |
|  | x | xµ |

A note.

**Empty**

| a |
| ---:|
`} {
		var b strings.Builder
		if err := writeTables(&b, markdown, sample, &table{title: "Empty", header: []string{"a"}}); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("got\n%s\nwant\n%s", b.String(), want)
		}
	}
}

// TestTablesFit limits every table to the width of a terminal.
func TestTablesFit(t *testing.T) {
	files, fileBudgets := (&fileBenchmark{}).report(filesMeasured(t, secondsPerMB, bytesPerMB, 3, "100MB", "1GB"))
	pages, pageBudgets := (&pageBenchmark{}).report(pageMeasured(adversarial))
	var b strings.Builder
	if err := writeTables(&b, false, append(append(files, pages...), budgetTable(fileBudgets),
		budgetTable(pageBudgets))...); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimSpace(line))); n > 98 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

func TestParseSizes(t *testing.T) {
	for size, want := range map[string]string{"10": "10MB", "10MB": "10MB", "500mb": "500MB", "1GB": "1GB", "3gb": "3GB",
		"1500MB": "1500MB", "": "", "MB": "", "-1": "", "0": "", "1TB": "", "99GB": ""} {
		in, err := (&fileBenchmark{}).parse(size)
		if (err == nil) != (want != "") || err == nil && in.name != want {
			t.Errorf("%q is %+v (%v), want %s", size, in, err, want)
		}
	}
	for size, want := range map[string]int{"64": 64, "1k": 1024, "64k": 65536, "65k": 0, "1M": 0, "": 0, "0": 0} {
		in, err := (&jobBenchmark{}).parse(size)
		if (err == nil) != (want > 0) || err == nil && in.ranks != want {
			t.Errorf("%q is %+v (%v), want %d ranks", size, in, err, want)
		}
	}
	for size, want := range map[string]int{"20k": 60_000, "1M": 3_000_000, "77": 231, adversarial: 3_000_000, "": 0,
		"k": 0, "-5": 0, "50M": 0, "1G": 0} {
		in, err := (&pageBenchmark{}).parse(size)
		if (err == nil) != (want > 0) || err == nil && (in.events != want || in.name != size) {
			t.Errorf("%q is %+v (%v), want %d events", size, in, err, want)
		}
	}
}
