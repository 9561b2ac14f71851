package main

import (
	"os"
	"regexp"
	"strconv"
	"syscall"
)

var highWaterMark = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)

// peakOf is the highest resident memory in bytes of a process that has ended.
// Linux starts the account of a child with the peak of the memory it shared
// before exec, which is ours: of a child that stayed below that nothing is known.
func peakOf(state *os.ProcessState) float64 {
	used, ok := state.SysUsage().(*syscall.Rusage)
	status, err := os.ReadFile("/proc/self/status") // getrusage would include what started us in the same way
	match := highWaterMark.FindSubmatch(status)
	if !ok || err != nil || match == nil {
		return unknown
	}
	if own, err := strconv.ParseInt(string(match[1]), 10, 64); err != nil || used.Maxrss <= own {
		return unknown
	}
	return float64(used.Maxrss << 10)
}
