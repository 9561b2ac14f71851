package main

import (
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/memviz-go/memviz/pkg/answer"
)

// Help fits a terminal: urfave/cli sets every flag in one line, however long.
func init() { cli.HelpPrinter = printHelp }

func printHelp(w io.Writer, template string, data any) {
	cli.HelpPrinterCustom(w, template, data, map[string]any{
		"wrapAt": func() int { return answer.Width }, "paragraphs": paragraphs, "options": options,
	})
}

const appHelp = `{{.Name}} - {{.Usage}}

USAGE:
   {{.HelpName}} COMMAND [options] ARGUMENTS

{{paragraphs .Description}}
COMMANDS:{{template "visibleCommandTemplate" .}}

OPTIONS:
{{options .VisibleFlags}}
Read more of a command with: {{.HelpName}} COMMAND --help
`

const commandHelp = `{{wrap .HelpName 0}} - {{wrap .Usage 3}}

USAGE:
   {{.HelpName}} [options]{{if .ArgsUsage}} {{.ArgsUsage}}{{end}}

{{paragraphs .Description}}
OPTIONS:
{{options .VisibleFlags}}`

// helpIndent stands before all but headings.
const helpIndent = "   "

// paragraphs fills the lines of a description. Lines that are indented are to be
// copied, and stay.
func paragraphs(text string) string {
	var b strings.Builder
	var open []string
	flush := func() {
		if len(open) > 0 {
			b.WriteString(helpIndent + fill(strings.Join(open, " "), len(helpIndent)) + "\n")
			open = nil
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			open = append(open, line)
			continue
		}
		flush()
		if line != "" {
			line = helpIndent + line
		}
		b.WriteString(line + "\n")
	}
	flush()
	return b.String()
}

// optionColumn is where the meaning of a flag begins.
const optionColumn = 24

// options are flags and what they mean, in two columns.
func options(flags []cli.Flag) string {
	var b strings.Builder
	for _, flag := range flags {
		names, usage, _ := strings.Cut(flag.String(), "\t")
		names, _, _ = strings.Cut(names, " [ ") // the flag once more: it may be repeated
		names = helpIndent + names
		if len(names)+2 > optionColumn {
			names += "\n"
		}
		pad := optionColumn - len(names[strings.LastIndexByte(names, '\n')+1:])
		usage = strings.TrimSuffix(usage, " (default: false)")
		b.WriteString(names + strings.Repeat(" ", pad) + fill(usage, optionColumn) + "\n")
	}
	return b.String()
}

// fill breaks a text between words, so that it fits behind an offset.
func fill(text string, offset int) string {
	var b strings.Builder
	column := offset
	for i, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+width > answer.Width:
			b.WriteString("\n" + strings.Repeat(" ", offset))
			column = offset
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += width
	}
	return b.String()
}
