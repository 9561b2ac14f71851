package answer_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	reflector "github.com/invopop/jsonschema"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/diff"
	"github.com/memviz-go/memviz/pkg/answer/events"
	"github.com/memviz-go/memviz/pkg/answer/inspect"
	"github.com/memviz-go/memviz/pkg/answer/leaks"
	"github.com/memviz-go/memviz/pkg/answer/oom"
	"github.com/memviz-go/memviz/pkg/answer/predict"
	"github.com/memviz-go/memviz/pkg/answer/ranks"
	"github.com/memviz-go/memviz/pkg/answer/segments"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/answer/stats"
	"github.com/memviz-go/memviz/pkg/answer/top"
	"github.com/memviz-go/memviz/pkg/answer/trust"
	"github.com/memviz-go/memviz/pkg/answer/whatif"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestRedactedIsSaid: every answer for programs says what was redacted, and fits its schema with
// it, but for two: one quotes the report, one is not about snapshots.
func TestRedactedIsSaid(t *testing.T) {
	for command, value := range emptyAnswers() {
		s := &sheet.Sheet{Value: value}
		answer.MarkRedacted(s, snapshot.Redaction{Paths: true, Names: true, Prefixes: true})
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if command == "inspect" || command == "version" {
			continue
		}
		if command != "ranks" { // whose lists are null here
			answertest.Fits(t, command, s)
		}
		if !strings.Contains(string(text), `"redacted":["paths","names","prefixes"]`) ||
			!strings.Contains(string(answertest.Written(t, s, sheet.Text)), "redacted") {
			t.Errorf("%s says %s", command, text)
		}
	}
}

// emptyAnswers are the answers of all commands, by command.
func emptyAnswers() map[string]any {
	return map[string]any{
		"stats": answer.NewDevices[stats.Device]("stats"),
		"top":   answer.NewDevices[top.Device]("top"),
		"leaks": answer.NewDevices[leaks.Device]("leaks"),
		"oom":   answer.NewDevices[oom.Device]("oom"),
		"diff":  answer.NewDevices[diff.Device]("diff"),
		"ranks": &ranks.Comparison{},

		"events":   answer.NewDevices[events.Device]("events"),
		"segments": answer.NewDevices[segments.Device]("segments"),
		"inspect":  &inspect.Contents{},
		"whatif":   answer.NewDevices[whatif.Device]("whatif"),
		"predict":  answer.NewDevices[predict.Device]("predict"),
		"version":  &answer.Build{},
	}
}

// TestSchemas holds the schemas against the types, whose comments are their
// descriptions. -update writes them again.
func TestSchemas(t *testing.T) {
	r := reflector.Reflector{DoNotReference: true, ExpandedStruct: true, Anonymous: true}
	r.Mapper = schemaOfAnomalies
	describe(t, &r, ".")
	publish := func(command, title string, schema *reflector.Schema) {
		schema.ID = reflector.ID("https://github.com/memviz-go/memviz/schemas/" + command)
		schema.Title = title
		text, err := json.MarshalIndent(schema, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte(`\n`), []byte(" ")) // the lines of a comment
		testkit.GoldenFile(t, filepath.Join("schemas", command+".json"), append(text, '\n'))
	}
	values := emptyAnswers()
	for command, value := range values {
		publish(command, "memviz "+command+" --format json", r.Reflect(value))
	}
	// A file that cannot be read has a digest without numbers, so few fields are required.
	lines := reflector.Reflector{DoNotReference: true, ExpandedStruct: true, Anonymous: true,
		RequiredFromJSONSchemaTags: true}
	describe(t, &lines, "../job")
	publish("digest", "each line of memviz digest", lines.Reflect(&job.Digest{}))
	for _, command := range answer.Schemas() {
		if _, ok := values[command]; !ok && command != "digest" {
			t.Errorf("schemas/%s.json belongs to no answer", command)
		}
	}
}

// describe makes descriptions of the comments on the types and fields of a folder, without
// their names in Go.
func describe(t *testing.T, r *reflector.Reflector, folder string) {
	t.Helper()
	if err := r.AddGoComments("github.com/memviz-go/memviz/pkg/answer", folder); err != nil {
		t.Fatal(err)
	}
	for key, comment := range r.CommentMap {
		name := key[strings.LastIndex(key, ".")+1:]
		text, named := strings.CutPrefix(comment, name+" ")
		if !named {
			continue
		}
		for _, verb := range []string{"is ", "are "} {
			text = strings.TrimPrefix(text, verb)
		}
		r.CommentMap[key] = strings.ToUpper(text[:1]) + text[1:]
	}
}

// schemaOfAnomalies is the schema of Anomalies, with the keys and words of the
// table of kinds; it is nil for other types.
func schemaOfAnomalies(of reflect.Type) *reflector.Schema {
	if of != reflect.TypeFor[trust.Anomalies]() {
		return nil
	}
	s := &reflector.Schema{Type: "object", Properties: reflector.NewProperties(),
		AdditionalProperties: reflector.FalseSchema}
	add := func(key, description string) {
		s.Properties.Set(key, &reflector.Schema{Type: "integer", Description: description})
		s.Required = append(s.Required, key)
	}
	add("total", "of every kind")
	for i := range (replay.Anomalies{}) {
		kind := replay.Anomaly(i).Kind()
		add(kind.Key, kind.Many)
	}
	return s
}

// TestDigestFits holds digests against their schema, which no command of this package
// prints.
func TestDigestFits(t *testing.T) {
	list := []job.Digest{{Schema: job.DigestSchema, Error: "it is empty"}}
	for _, path := range testkit.Examples(t) {
		s, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		in := answer.NewInput("snapshot", s)
		list = append(list, job.DigestOf(in.Recordings[0]))
	}
	for i := range list {
		var text bytes.Buffer
		if err := job.WriteDigests(&text, &list[i]); err != nil {
			t.Fatal(err)
		}
		answertest.FitsSchema(t, "digest", text.Bytes())
	}
}
