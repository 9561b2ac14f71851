package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// exitInterrupted is how shells number the end by SIGINT.
const exitInterrupted = 130

// unfinished are files that are being written. When the program is interrupted
// they go, so that nothing half-written is left behind.
var unfinished struct {
	sync.Mutex
	names map[string]bool
}

// began notes a file that is being written.
func began(name string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.names == nil {
		unfinished.names = map[string]bool{}
	}
	unfinished.names[name] = true
}

// finished forgets it.
func finished(name string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.names, name)
}

// cleanUpOnInterrupt ends the program at once when it is asked to.
func cleanUpOnInterrupt() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-asked
		unfinished.Lock() // for ever: no file may be begun any more
		for name := range unfinished.names {
			os.Remove(name)
		}
		os.Exit(exitInterrupted)
	}()
}
