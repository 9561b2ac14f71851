package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Description: "    memviz man | man -l -\n" +
			"    memviz man > memviz.1",
		Action: man,
	}
}

// manIndent is how far a manual page indents what it shows as it is.
const manIndent = 7

// man has urfave/cli write the page. Of a command it takes only the usage text,
// so that is made to hold the description.
func man(c *cli.Context) error {
	for _, command := range c.App.Commands {
		usage := strings.TrimSpace(c.App.Name + " " + command.Name + " " + command.ArgsUsage)
		command.UsageText = usage + "\n\n" + paragraphs(command.Description, "", answer.Width-manIndent)
	}
	page, err := c.App.ToManWithSection(1)
	if err != nil {
		return fmt.Errorf("cannot write the manual page: %w", err)
	}
	_, err = io.WriteString(c.App.Writer, page)
	return err
}
