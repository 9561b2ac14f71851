package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	whatifanswer "github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/units"
	"github.com/memviz-go/memviz/pkg/whatif"
)

func whatifCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		settings []whatif.Setting
		capacity recording.GivenCapacity
		gpus     int
	}
	o.needsAddresses = true
	return &cli.Command{
		Name:      "whatif",
		Usage:     "predict the same run with other allocator settings, and with changes of the training",
		ArgsUsage: "SNAPSHOT...",
		Description: "A model of PyTorch's allocator serves the recorded requests again: first with the\n" +
			"recorded settings, which must reproduce every recorded address, then with others.\n" +
			"Without --set, it tries the settings that usually help, and changes of the training,\n" +
			"such as checkpointing the block that repeats, each as an edit of the requests. With a\n" +
			"limit, it names the cheapest change that makes everything fit.\n\n" +
			"    memviz whatif oom.pickle\n" +
			"    memviz whatif --set expandable_segments:True oom.pickle\n" +
			"    memviz whatif --capacity 24GiB --fail-if 'saved>10GiB' oom.pickle",
		Flags: o.flags(t, "whatif", "saved>10GiB",
			listOption("set", "predict this `SETTING` of PYTORCH_CUDA_ALLOC_CONF, such as max_split_size_mb:128,...",
				&o.settings, parseSetting),
			capacityFlag(t, &o.capacity),
			option("gpus", "", "share optimizer state, gradients and parameters over `N` GPUs", &o.gpus, severalGPUs),
			o.deviceFlag(),
		),
		Action: o.asks(t, func(in []answer.Input) (*sheet.Sheet, error) {
			return whatifanswer.Answer(in, whatifanswer.Options{Settings: o.settings, Capacity: o.capacity.Bytes,
				GPUs: o.gpus})
		}),
	}
}

// maxGPUs is more than any job has.
const maxGPUs = 1 << 16

// severalGPUs parses a number of GPUs to share memory between.
func severalGPUs(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 2 || n > maxGPUs {
		return 0, fmt.Errorf("%q is not a whole number from 2 to %s", text, units.Count(maxGPUs))
	}
	return n, nil
}

func parseSetting(text string) (whatif.Setting, error) {
	s, err := whatif.Parse(text)
	switch {
	case errors.Is(err, allocator.ErrUnknownOption):
		return s, fmt.Errorf("%q: %w; known are %s", text, err, strings.Join(allocator.Options(), ", "))
	case err != nil:
		return s, fmt.Errorf("%q: %w", text, err)
	}
	return s, nil
}
