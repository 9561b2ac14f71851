// Package answer has what the answers to all questions share: the [Input] that is asked, the JSON
// of its [Devices], the [Moment] that a question is about, a [Condition] on the figures of an
// answer, and the JSON Schemas of all of them.
//
// A folder below holds the answer to one question: the types of its JSON, whose comments become
// the descriptions in its schema, and every sentence of its text. Its function Answer returns a
// [sheet.Sheet], which is written as text, Markdown or JSON.
package answer

import (
	"bufio"
	"bytes"
	"embed"
	"strings"

	"github.com/memviz-go/memviz/pkg/answer/sheet"
)

// schemas are the JSON Schemas of the answers. TestSchemas writes them from the Go
// types and their comments.
//
//go:embed schemas/*.json
var schemas embed.FS

// Schema is the JSON Schema of a command's answer, and whether there is one.
func Schema(command string) ([]byte, bool) {
	text, err := schemas.ReadFile("schemas/" + command + ".json")
	return text, err == nil
}

// Schemas are the commands whose answers have a JSON Schema.
func Schemas() []string {
	entries, _ := schemas.ReadDir("schemas")
	commands := make([]string, len(entries))
	for i, e := range entries {
		commands[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	return commands
}

// Devices is the JSON of an answer with an entry for each device.
type Devices[T any] struct {
	Schema string `json:"schema"` // a change of meaning is a new number
	Provenance
	Devices []T `json:"devices"`
}

// NewDevices is an answer of a command whose list of devices is empty, not null.
func NewDevices[T any](command string) *Devices[T] {
	return &Devices[T]{Schema: SchemaName(command), Devices: []T{}}
}

// WriteJSON writes one device after the other, because all of them in one text may take
// several times the memory of the snapshot.
func (d *Devices[T]) WriteJSON(w *bufio.Writer) error {
	var head bytes.Buffer
	if err := sheet.WriteIndented(&head, Devices[T]{d.Schema, d.Provenance, []T{}}, ""); err != nil {
		return err
	}
	const end = "]\n}"
	w.WriteString(strings.TrimSuffix(head.String(), end))
	separator := "\n    "
	for i := range d.Devices {
		w.WriteString(separator)
		if err := sheet.WriteIndented(w, d.Devices[i], "    "); err != nil {
			return err
		}
		separator = ",\n    "
	}
	if len(d.Devices) > 0 {
		w.WriteString("\n  ")
	}
	_, err := w.WriteString(end + "\n")
	return err
}

func (d *Devices[T]) Figures() any { return d }

// SchemaName names what the JSON of a command means. A change of meaning is a new
// number.
func SchemaName(command string) string {
	if command == "ranks" {
		return "memviz.ranks/2"
	}
	return "memviz." + command + "/1"
}
