package answer

import (
	"embed"
	"maps"
	"strings"

	"github.com/memviz-go/memviz/pkg/replay"
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

// devices is the JSON of an answer with an entry for each device.
type devices[T any] struct {
	Schema string `json:"schema"` // a change of meaning is a new number
	Provenance
	Devices []T `json:"devices"`
}

// newDevices is an answer of a command whose list of devices is empty, not null.
func newDevices[T any](command string) *devices[T] {
	return &devices[T]{Schema: schemaName(command), Devices: []T{}}
}

func schemaName(command string) string { return "memviz." + command + "/1" }

// Subject says which device of which recording a JSON object is about.
type Subject struct {
	File   string `json:"file"`
	Device int    `json:"device"`
	Trust
}

func newSubject(in *Input, d *replay.Device) Subject {
	return Subject{in.FileName(), int(d.ID), newTrust(d.AddsUp(), d.Anomalies)}
}

// Trust says in JSON whether the numbers of a device can be trusted.
type Trust struct {
	AddsUp    bool      `json:"adds_up"`   // the replay ends exactly in the final segments, and every event is explained
	Anomalies Anomalies `json:"anomalies"` // what a true recording does not have
}

// Anomalies counts anomalies by the key of their kind, and all of them as "total".
type Anomalies map[string]int

func newTrust(addsUp bool, counts replay.Anomalies) Trust {
	t := Trust{addsUp, Anomalies{"total": counts.Total()}}
	for kind, n := range counts {
		t.Anomalies[replay.Anomaly(kind).Kind().Key] = n
	}
	return t
}

// and is the trust in a comparison of two devices.
func (t Trust) and(other Trust) Trust {
	both := Trust{t.AddsUp && other.AddsUp, maps.Clone(t.Anomalies)}
	for key, n := range other.Anomalies {
		both.Anomalies[key] += n
	}
	return both
}
