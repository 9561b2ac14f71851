package main

import (
	"fmt"
	"strconv"
	"strings"
)

// eventsPerMB makes a snapshot of the training shape about as large as its name.
const eventsPerMB = 5_300

// parseMegabytes reads the size of a snapshot: "10MB", "1GB", and "10" for
// megabytes. It is a name in decimal units; what is measured is the file.
func parseMegabytes(text string) (int, error) {
	number, factor := strings.ToUpper(text), 1
	if rest, ok := strings.CutSuffix(number, "GB"); ok {
		number, factor = rest, 1000
	} else {
		number = strings.TrimSuffix(number, "MB")
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n*factor > 20_000 {
		return 0, fmt.Errorf("the size %q is not 1MB to 20GB", text)
	}
	return n * factor, nil
}

// nameMegabytes is the size as people say it: "500 MB", "1 GB".
func nameMegabytes(mb int) string {
	if mb%1000 == 0 {
		return fmt.Sprintf("%d GB", mb/1000)
	}
	return fmt.Sprintf("%d MB", mb)
}

// scene is what a page has to show.
type scene struct {
	name        string
	shape       string // of memviz-gen
	allocations int
	live        int // at the same time
}

// eventsPerAllocation are the alloc, the free's request and its completion.
const eventsPerAllocation = 3

// parseScene reads "20k", "1M", a number of allocations, or "adversarial".
func parseScene(text string) (scene, error) {
	if text == adversarial {
		return scene{name: adversarial, shape: "adversarial", allocations: 1_000_000, live: 100_000}, nil
	}
	number, factor := text, 1
	if rest, ok := strings.CutSuffix(text, "k"); ok {
		number, factor = rest, 1000
	} else if rest, ok := strings.CutSuffix(text, "M"); ok {
		number, factor = rest, 1_000_000
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n*factor > 20_000_000 {
		return scene{}, fmt.Errorf("%q is not %q or a number of allocations up to 20M", text, adversarial)
	}
	return scene{name: text, shape: "training-shaped", allocations: n * factor, live: 9_500}, nil
}

const adversarial = "adversarial"

// parseAll reads what was asked for, or what is usual where nothing was.
func parseAll[T any](asked, usual []string, parse func(string) (T, error)) ([]T, error) {
	if len(asked) == 0 {
		asked = usual
	}
	all := make([]T, len(asked))
	for i, text := range asked {
		var err error
		if all[i], err = parse(text); err != nil {
			return nil, err
		}
	}
	return all, nil
}
