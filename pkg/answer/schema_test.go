package answer

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	reflector "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/replay"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// emptyAnswers are the answers of all commands, by command.
func emptyAnswers() map[string]any {
	return map[string]any{
		"stats": newDevices[DeviceStats]("stats"),
		"top":   newDevices[TopDevice]("top"),
		"leaks": newDevices[LeaksDevice]("leaks"),
		"oom":   newDevices[OOMDevice]("oom"),
		"diff":  newDevices[DiffDevice]("diff"),
		"ranks": &RanksAnswer{},

		"events":   newDevices[EventsDevice]("events"),
		"segments": newDevices[SegmentsDevice]("segments"),
		"inspect":  &InspectAnswer{},
		"whatif":   newDevices[WhatIfDevice]("whatif"),
		"predict":  newDevices[PredictDevice]("predict"),
		"version":  &VersionAnswer{},
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
	for _, command := range Schemas() {
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
	if of != reflect.TypeFor[Anomalies]() {
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

// fits holds an answer's JSON against the schema of its command.
func fits(t *testing.T, command string, s *Sheet) {
	t.Helper()
	var answer bytes.Buffer
	if err := s.Write(&answer, JSON, Look{}); err != nil {
		t.Fatal(err)
	}
	fitsSchema(t, command, answer.Bytes())
}

func fitsSchema(t *testing.T, command string, answer []byte) {
	t.Helper()
	text, ok := Schema(command)
	if !ok {
		t.Fatalf("%s has no schema; there are %s", command, strings.Join(slices.Sorted(slices.Values(Schemas())), ", "))
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("memviz %s: %v\n%s", command, err, answer)
	}
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
		in := NewInput("snapshot", s)
		list = append(list, job.DigestOf(in.Recordings[0]))
	}
	for i := range list {
		var text bytes.Buffer
		if err := job.WriteDigests(&text, &list[i]); err != nil {
			t.Fatal(err)
		}
		fitsSchema(t, "digest", text.Bytes())
	}
}
