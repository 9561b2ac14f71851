package main

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// peakOf is the highest resident memory of a process that has ended, in bytes.
// Linux begins the account of a child with the peak of the memory that it
// shared before exec, ours: a child that stayed below is only known to be no
// larger than that.
func peakOf(state *os.ProcessState) (peak int64, bound bool) {
	used, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return used.Maxrss << 10, used.Maxrss <= ownPeakKiB()
}

// ownPeakKiB reads VmHWM: getrusage would add what started us in the same way.
func ownPeakKiB() int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib
		}
	}
	return 0
}
