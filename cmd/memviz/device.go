package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// deviceFlag limits an answer to one device.
var deviceFlag = &cli.IntFlag{Name: "device", Value: -1, DefaultText: "all",
	Usage: "only the device with this `ORDINAL`"}

// onlyDevice leaves the device that was asked for, if one was. Snapshots without
// it drop out, unless that is all of them.
func onlyDevice(c *cli.Context, in []answer.Input) ([]answer.Input, error) {
	if !c.IsSet(deviceFlag.Name) {
		return in, nil
	}
	id := c.Int(deviceFlag.Name)
	var left []answer.Input
	for i := range in {
		if in[i].Only(snapshot.DeviceID(id)) {
			left = append(left, in[i])
		}
	}
	if len(left) == 0 {
		return nil, fmt.Errorf("there is no device %d with events or segments", id)
	}
	return left, nil
}
