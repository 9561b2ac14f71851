package answer

import (
	"embed"
	"strings"
)

// schemas are the JSON Schemas of the answers, written by a test out of the Go
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

// devices is the answer of a question that is asked of each device.
type devices[T any] struct {
	Schema   string         `json:"schema"`
	Redacted []string       `json:"redacted,omitempty"` // what stands under other names: paths, names, prefixes
	Salvaged []SalvagedFile `json:"salvaged,omitempty"` // files that were read in part; left out when all were read whole
	Devices  []T            `json:"devices"`
}

// newDevices has an empty list, which scripts can loop over.
func newDevices[T any](schema string) *devices[T] { return &devices[T]{Schema: schema, Devices: []T{}} }
