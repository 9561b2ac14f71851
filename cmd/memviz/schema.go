package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

func schemaCommand() *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print the JSON Schema of what a command prints with --format json",
		ArgsUsage: "[COMMAND]",
		Description: "Without a command it prints which ones have a schema.\n\n" +
			"    memviz schema\n" +
			"    memviz schema stats",
		Action: schema,
	}
}

func schema(c *cli.Context) error {
	switch c.NArg() {
	case 0:
		_, err := fmt.Fprintln(c.App.Writer, strings.Join(answer.Schemas(), "\n"))
		return err
	case 1:
		text, ok := answer.Schema(c.Args().First())
		if !ok {
			return misused(c, "%q has no schema; %s have", c.Args().First(), strings.Join(answer.Schemas(), ", "))
		}
		_, err := c.App.Writer.Write(text)
		return err
	}
	return misused(c, "schema takes one command")
}
