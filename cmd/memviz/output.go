package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// writeFile makes the file at path out of what write writes, all of it or none:
// it goes to a temporary name beside path and is renamed when it is complete.
// It never replaces one of the inputs.
func writeFile(path string, inputs []string, write func(io.Writer) error) (size int64, err error) {
	if err := refuseInput(path, inputs); err != nil {
		return 0, err
	}
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d.tmp", filepath.Base(path), os.Getpid()))
	tmp, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return 0, fmt.Errorf("cannot write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			tmp.Close()
			os.Remove(name)
			err = fmt.Errorf("cannot write %s: %w", path, err)
		}
	}()
	if err := write(tmp); err != nil {
		return 0, err
	}
	if size, err = tmp.Seek(0, io.SeekCurrent); err != nil {
		return 0, err
	}
	if err := tmp.Close(); err != nil {
		return 0, err
	}
	return size, os.Rename(name, path)
}

func refuseInput(path string, inputs []string) error {
	out, err := os.Stat(path)
	if err != nil {
		return nil // there is nothing to replace
	}
	if out.IsDir() {
		return fmt.Errorf("cannot write %s: it is a directory; name a file in it", path)
	}
	for _, input := range inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("cannot write %s: it is the snapshot itself; choose another name with -o", path)
		}
	}
	return nil
}
