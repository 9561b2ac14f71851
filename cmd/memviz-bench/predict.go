package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/memviz-go/memviz/pkg/units"
)

const predictText = "memviz predict"

// eventsPerStep is how many events a training step of memviz-gen's program has.
const eventsPerStep = 435

// predictSizes are the sizes of the two recordings that a third is predicted from.
var predictSizes = [2]int64{128, 256}

// predictBenchmark measures a prediction from two recordings against stats of one.
type predictBenchmark struct {
	noHooks
	memviz string
}

// parse reads the number of events of a recording.
func (*predictBenchmark) parse(size string) (*input, error) {
	events, err := parseSize(size, map[string]int{"": 1, "k": 1e3, "m": 1e6}, 20e6)
	return &input{name: size, events: events, steps: max(2, events/eventsPerStep)}, err
}

func (b *predictBenchmark) start(_ context.Context, p *programs) error {
	b.memviz = p.memviz
	return nil
}

// generateSizes makes the two recordings of an input and sets its path to the larger one.
func (p *programs) generateSizes(ctx context.Context, in *input) (err error) {
	for i, x := range predictSizes {
		in.path = filepath.Join(p.dir, fmt.Sprintf("%s-%d.pickle", in.name, x))
		in.sized[i] = fmt.Sprintf("%d=%s", x, in.path)
		if _, err := runProgram(ctx, p.gen, "-o", in.path, "-x", strconv.FormatInt(x, 10), "--steps",
			strconv.Itoa(in.steps), "step"); err != nil {
			return err
		}
	}
	in.bytes, err = sizeOf(in.path)
	return err
}

func (b *predictBenchmark) measure(ctx context.Context, in *input, r *results) error {
	for _, subject := range []struct {
		name string
		args []string
	}{
		{stats, []string{"stats", in.path}},
		{predictText, []string{"predict", in.sized[0], in.sized[1], "--at", "512"}},
	} {
		used, err := runProgram(ctx, b.memviz, subject.args...)
		if err != nil {
			return err
		}
		r.addUsage(in, subject.name, used)
	}
	return nil
}

func (*predictBenchmark) report(r *results) ([]*table, []budget) {
	measured := r.table("Measured, medians", []string{stats, predictText}, func(in *input) string {
		return fmt.Sprintf("two of %s events, %s each", units.Count(in.events), units.Bytes(in.bytes))
	}, r.figure(wall, units.Duration, 1e6), r.figure(cpu, units.Duration, 1e6), r.figure(memory, units.Bytes, 1))
	var budgets []budget
	for _, in := range r.inputs {
		budgets = append(budgets, budget{"predict from two, " + in.name + " events: wall / stats of one",
			r.ratio(in.name, predictText, stats, wall), 3, ""})
	}
	return []*table{measured}, budgets
}
