package main

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/whatif"
)

func whatifCommand() *cli.Command {
	return &cli.Command{
		Name:      "whatif",
		Usage:     "predict the same run under other allocator settings",
		ArgsUsage: "SNAPSHOT...",
		Description: "The recorded requests are served again by a model of PyTorch's allocator: first\n" +
			"under the recorded settings, which has to give every recorded address, then\n" +
			"under others. Without --set, those that are usually worth trying.\n\n" +
			"    memviz whatif oom.pickle\n" +
			"    memviz whatif --set expandable_segments:True oom.pickle\n" +
			"    memviz whatif --capacity 24GiB --fail-if 'saved>10GiB' oom.pickle",
		Flags: answerFlags("saved>10GiB",
			&cli.GenericFlag{Name: "set", Value: &settingsFlag{},
				Usage: "predict this `SETTING` of PYTORCH_CUDA_ALLOC_CONF, such as max_split_size_mb:128,...; may " +
					"be repeated"},
			capacityFlag, deviceFlag),
		Action: func(c *cli.Context) error {
			capacity, err := capacity(c)
			if err != nil {
				return err
			}
			asked, err := settings(c)
			if err != nil {
				return err
			}
			return answeredOf(c, func(in []answer.Input) (*answer.Sheet, error) {
				return answer.WhatIf(in, answer.WhatIfOptions{Settings: asked, Capacity: capacity})
			})
		},
	}
}

// settingsFlag keeps the values of a flag whole: other lists of flags are cut at
// commas, which settings have.
type settingsFlag struct{ values []string }

func (f *settingsFlag) Set(value string) error {
	f.values = append(f.values, value)
	return nil
}

func (f *settingsFlag) String() string { return strings.Join(f.values, " ") }

// settings are the values of --set.
func settings(c *cli.Context) ([]whatif.Setting, error) {
	flag, _ := c.Generic("set").(*settingsFlag)
	if flag == nil {
		return nil, nil
	}
	var list []whatif.Setting
	for _, text := range flag.values {
		s, err := whatif.Parse(text)
		switch {
		case errors.Is(err, allocator.ErrUnknownOption):
			return nil, misused(c, "--set %q: %v; known are %s", text, err, strings.Join(allocator.Options(), ", "))
		case err != nil:
			return nil, misused(c, "--set %q: %v", text, err)
		}
		list = append(list, s)
	}
	return list, nil
}
