package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	predictanswer "github.com/memviz-go/memviz/pkg/answer/predict"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/whatif/predict"
)

func predictCommand(t *terminal) *cli.Command {
	var o struct {
		answerOptions
		predict  predictanswer.Options
		capacity recording.GivenCapacity
		page     predictedPage
	}
	o.needsAddresses, o.needsEach, o.sideBySide = true, true, true
	return &cli.Command{
		Name:      "predict",
		Usage:     "predict the memory for another batch size or sequence length",
		ArgsUsage: "X1=SNAPSHOT X2=SNAPSHOT...",
		Description: "Two or more recordings of one program, each with the size X that it was made at,\n" +
			"show how every request depends on X. A model of PyTorch's allocator serves the\n" +
			"requests at another X. Recordings that cannot be compared are refused.\n" +
			"With --capacity, a size fits if no request fails even at the upper bound of the predicted\n" +
			"reserved memory, and may fit if none fails at the lower one.\n\n" +
			"    memviz predict 128=128.pickle 256=256.pickle --at 512,1024\n" +
			"    memviz predict 128=128.pickle 256=256.pickle --largest --capacity 80GiB\n" +
			"    memviz predict 128=128.pickle 256=256.pickle --at 512 -o predicted.html\n\n" +
			"-o writes a report of the simulated run. With --against 256 it writes a page that compares\n" +
			"the recording at 256 with it.",
		Flags: o.flags(t, "predict", "reserved_peak>80GiB", append([]cli.Flag{
			option("at", "", "predict runs at these `SIZES`, such as 512,1024", &o.predict.At, parseSizes),
			capacityFlag(t, &o.capacity),
			&cli.BoolFlag{Name: "largest", Usage: "find the largest X that fits the capacity",
				Destination: &o.predict.Largest},
			option("multiple-of", "", "find the largest X among multiples of `N`", &o.predict.MultipleOf, parseSize),
			&cli.BoolFlag{Name: "force", Destination: &o.predict.Force,
				Usage: "predict from recordings that are refused, where that is possible, with bounds"},
			o.deviceFlag(),
		}, o.page.flags()...)...),
		Action: action(t, func(args []string) error {
			o.predict.Capacity = o.capacity.Bytes
			sizes, files, err := sizedArguments(args)
			switch {
			case err != nil:
				return err
			case o.predict.Largest && o.predict.Capacity == 0:
				return misuse("--largest needs --capacity")
			case o.predict.MultipleOf > 0 && !o.predict.Largest:
				return misuse("--multiple-of is about --largest, which is not given")
			case len(o.predict.At) == 0 && !o.predict.Largest:
				return misuse("say at which sizes: --at 512,1024, or --largest --capacity 80GiB")
			}
			if err := o.page.check(t, o.predict.At, sizes, files); err != nil {
				return err
			}
			return o.answer(t, files, func(in []answer.Input) (*sheet.Sheet, error) {
				if len(in) != len(sizes) {
					return nil, misuse("each X=SNAPSHOT names one snapshot; %d were named and %d read", len(sizes),
						len(in))
				}
				sized := make([]predictanswer.SizedInput, len(in))
				for i := range in {
					sized[i] = predictanswer.SizedInput{X: sizes[i], Input: &in[i]}
				}
				if o.page.path == "" {
					return predictanswer.Answer(sized, o.predict)
				}
				said, run, err := predictanswer.AnswerAndRun(sized, o.predict)
				if err != nil {
					return nil, err
				}
				return said, o.page.write(t, run, sized, o.capacity)
			})
		}),
	}
}

// sizedArguments splits arguments such as 128=a.pickle.
func sizedArguments(args []string) (sizes []int64, files []string, err error) {
	if len(args) < 2 || len(args) > predict.MaxRecordings {
		return nil, nil, misuse("predict needs from 2 to %d recordings, each with its size: 128=a.pickle "+
			"256=b.pickle",
			predict.MaxRecordings)
	}
	for _, arg := range args {
		text, file, found := strings.Cut(arg, "=")
		if !found || file == "" {
			return nil, nil, misuse("%q has no size; write it like 128=%s", arg, arg)
		}
		x, err := parseSize(text)
		if err != nil {
			return nil, nil, misuse("%q: %v", arg, err)
		}
		sizes, files = append(sizes, x), append(files, file)
	}
	return sizes, files, nil
}

// parseSize parses the size of a run, such as a batch size or a sequence length.
func parseSize(text string) (int64, error) {
	x, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	switch {
	case x > predict.MaxX: // also where err says that it is out of range
		return 0, fmt.Errorf("%q is more than %d, up to which sizes are predicted", text, predict.MaxX)
	case err != nil || x < 1:
		return 0, fmt.Errorf("%q is not a whole number above zero", text)
	}
	return x, nil
}

// mostSizes limits how many sizes are predicted at once.
const mostSizes = 100

func parseSizes(text string) (sizes []int64, err error) {
	for item := range strings.SplitSeq(text, ",") {
		x, err := parseSize(item)
		if err != nil {
			return nil, err
		}
		sizes = append(sizes, x)
	}
	if len(sizes) > mostSizes {
		return nil, fmt.Errorf("%d sizes are more than %d", len(sizes), mostSizes)
	}
	return sizes, nil
}
