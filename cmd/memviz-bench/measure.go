package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// usage is what one run of a program took.
type usage struct {
	wall, cpu time.Duration // cpu is user and system time
	peak      int64         // highest resident bytes; 0 where the system does not say
	peakBound bool          // the peak is lower than that, by how much cannot be seen
	output    int64         // bytes written to standard output, or to the file it was to write
}

// measure runs a program to its end.
func measure(ctx context.Context, program string, args ...string) (usage, error) {
	command := exec.CommandContext(ctx, program, args...)
	var stdout counter
	var stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	began := time.Now()
	err := command.Run()
	wall := time.Since(began)
	if err != nil {
		return usage{}, fmt.Errorf("%s: %w\n%s", strings.Join(command.Args, " "), err, stderr.Bytes())
	}
	state := command.ProcessState
	u := usage{wall: wall, cpu: state.UserTime() + state.SystemTime(), output: int64(stdout)}
	u.peak, u.peakBound = peakOf(state)
	return u, nil
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
