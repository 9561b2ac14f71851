//go:build !linux

package main

import "os"

// peakOf returns unknown: other systems count in other units, if at all.
func peakOf(*os.ProcessState) float64 { return unknown }
