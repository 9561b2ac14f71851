package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: "    memviz man | man -l -\n" +
			"    memviz man > /usr/local/share/man/man1/memviz.1",
		Action: man,
	}
}

func man(c *cli.Context) error {
	page, err := c.App.ToManWithSection(1)
	if err != nil {
		return fmt.Errorf("cannot write the manual page: %w", err)
	}
	_, err = io.WriteString(c.App.Writer, page)
	return err
}
