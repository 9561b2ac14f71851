// Command memviz turns PyTorch GPU memory snapshots into reports.
package main

import (
	"os"
	"runtime/debug"
)

func main() {
	if os.Getenv("GOGC") == "" {
		// Nearly all memory is columns without pointers, so the collector has
		// next to nothing to scan and may run often: a third less at the peak.
		debug.SetGCPercent(10)
	}
	cleanUpOnInterrupt()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
