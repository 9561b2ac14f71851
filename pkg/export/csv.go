package export

import (
	"bufio"
	"encoding/csv"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/units"
)

var csvFormat = &Format{Name: "csv", Takes: []Option{AtOption, TableOption}, write: writeCSV, isOurs: isCSV}

// isCSV reports whether the first line begins with the leading columns of a table.
func isCSV(head []byte) bool {
	line, _, _ := strings.Cut(string(head), "\n")
	return slices.ContainsFunc(Tables, func(t *Table) bool {
		return strings.HasPrefix(line+",", strings.Join(t.header()[:leadingColumns], ",")+",")
	})
}

func writeCSV(w *bufio.Writer, in []answer.Input, o *Options) error {
	c := csv.NewWriter(w)
	if err := c.Write(o.Table.header()); err != nil {
		return err
	}
	list, err := recordings(in, o)
	if err != nil {
		return err
	}
	var cells []string
	for _, r := range list {
		subject := []string{csvText(r.in.FileName()), strconv.Itoa(int(r.Device.ID))}
		for row := range o.Table.rows(r) {
			cells = append(cells[:0], subject...)
			for i := range row {
				cells = append(cells, r.csvCell(o.Table.columns[i].kind, &row[i]))
			}
			if err := c.Write(cells); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// csvCell returns a value as a cell, which is empty if there is no value.
func (r *recording) csvCell(k kind, v *value) string {
	switch {
	case !v.known:
		return ""
	case k == text:
		return csvText(v.text)
	case k == site:
		return csvText(r.sites()[v.n].name)
	case k == truth:
		return strconv.FormatBool(v.n != 0)
	case k == stack:
		return csvText(strings.Join(r.stackLines(nil, snapshot.StackID(v.n)), stackSeparator))
	}
	return strconv.FormatInt(v.n, 10)
}

// stackSeparator separates the frames of a stack, as in the keys of memviz top.
const stackSeparator = " < "

// formula matches the start of a text that a spreadsheet may interpret as a formula. The export of
// the page guards the same texts (assets/viewer/kit/escape.js).
var formula = regexp.MustCompile("^ *[=+\\-@\u2212\uff0b\uff0d\uff1d\uff20]")

// csvText returns a text from a snapshot as a cell. Spreadsheets show a text after an apostrophe
// unchanged.
func csvText(s string) string {
	s = units.Printable(s) // leaves no white space but plain spaces
	if formula.MatchString(s) {
		return "'" + s
	}
	return s
}
