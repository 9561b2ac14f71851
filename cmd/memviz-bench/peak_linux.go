package main

import (
	"os"
	"regexp"
	"strconv"
	"syscall"
)

var highWaterMark = regexp.MustCompile(`(?m)^VmHWM:\s*(\d+) kB$`)

// peakOf returns the peak resident memory in bytes of a process that has ended.
// Linux starts a child's count at the peak of the memory it shared with us before
// exec, so the peak of a child that stayed below ours is unknown.
func peakOf(state *os.ProcessState) float64 {
	used, ok := state.SysUsage().(*syscall.Rusage)
	status, err := os.ReadFile("/proc/self/status") // getrusage would include our own parent's peak in the same way
	match := highWaterMark.FindSubmatch(status)
	if !ok || err != nil || match == nil {
		return unknown
	}
	if own, err := strconv.ParseInt(string(match[1]), 10, 64); err != nil || used.Maxrss <= own {
		return unknown
	}
	return float64(used.Maxrss << 10)
}
