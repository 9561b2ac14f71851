package export

import (
	"bufio"
	"regexp"
	"slices"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// JSON Lines have an object on each line, all with the same keys.
var jsonlFormat = &Format{Name: "jsonl", Takes: []Option{AtOption, TableOption}, write: writeJSONL, isOurs: isJSONL}

// isJSONL reports whether the first object begins with the leading columns of a table.
func isJSONL(head []byte) bool {
	match := leadingKeys.FindSubmatch(head)
	return match != nil && slices.ContainsFunc(Tables, func(t *Table) bool {
		return t.columns[0].name == string(match[1]) && t.columns[1].name == string(match[2])
	})
}

var leadingKeys = regexp.MustCompile(`^\{"file":` + jsonText + `,"device":-?\d+,"(\w+)":(?:\d+|null|` + jsonText +
	`),"(\w+)":`)

// jsonText matches a string of JSON.
const jsonText = `"(?:[^"\\]|\\.)*"`

func writeJSONL(w *bufio.Writer, in []answer.Input, o *Options) error {
	var line object
	var lines []string
	list, err := recordings(in, o)
	if err != nil {
		return err
	}
	for _, r := range list {
		for row := range o.Table.rows(r) {
			line.reset()
			line.text("file", r.in.FileName())
			line.number("device", int64(r.Device.ID))
			for i := range row {
				v, c := &row[i], o.Table.columns[i]
				switch {
				case !v.known, c.kind == site && r.sites()[v.n].name == "":
					line.null(c.name)
				case c.kind == text:
					line.text(c.name, v.text)
				case c.kind == site:
					line.text(c.name, r.sites()[v.n].name)
				case c.kind == stack:
					lines = r.stackLines(lines[:0], snapshot.StackID(v.n))
					line.texts(c.name, lines)
				case c.kind == truth:
					line.truth(c.name, v.n != 0)
				default:
					line.number(c.name, v.n)
				}
			}
			w.Write(line.end())
			if err := w.WriteByte('\n'); err != nil {
				return err // nobody is reading
			}
		}
	}
	return nil
}
