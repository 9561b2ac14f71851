package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/report"
	"github.com/memviz-go/memviz/pkg/units"
)

// capacityFlag says what no file says.
var capacityFlag = &cli.StringFlag{Name: "capacity",
	Usage: "the device has `SIZE` of memory, such as 80GiB, or is the card of that name, such as H100"}

// capacity is the value of --capacity in bytes, 0 if it is not given.
func capacity(c *cli.Context) (int64, error) {
	given, err := givenCapacity(c)
	return given.Bytes, err
}

// givenCapacity is the value of --capacity: a size, or what PyTorch reports for
// a card.
func givenCapacity(c *cli.Context) (report.GivenCapacity, error) {
	text := c.String("capacity")
	if text == "" {
		return report.GivenCapacity{}, nil
	}
	bytes, err := units.ParseBytes(text)
	if n, bare := strconv.ParseFloat(text, 64); bare == nil && n > 0 {
		return report.GivenCapacity{}, misused(c, "--capacity: %q has no unit; write it like 80GiB", text)
	} else if err == nil && bytes > 0 {
		return report.GivenCapacity{Bytes: bytes}, nil
	}
	if gpu, ok := oom.FindGPU(text); ok {
		return report.GivenCapacity{Bytes: gpu.Bytes, GPU: gpu.Name}, nil
	}
	return report.GivenCapacity{}, misused(c, "--capacity: %q is no size such as 80GiB, and none of %s", text,
		strings.Join(oom.GPUNames(), ", "))
}

// drawCapacity puts the line on the page, and says where it cannot stand.
func drawCapacity(c *cli.Context, document *report.Document, given report.GivenCapacity) {
	for _, r := range document.Capacity(given) {
		fmt.Fprintf(c.App.ErrWriter,
			"memviz: --capacity %s is left aside for %s: the recording shows that it has %s or more\n",
			units.Bytes(given.Bytes), r.Snapshot.DeviceLabel(r.Device.ID),
			units.Bytes(oom.CapacityOf(r.Device, 0).AtLeast))
	}
}
