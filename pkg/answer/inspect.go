package answer

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/units"
)

// InspectAnswer is what a report holds that somebody may not want to pass on.
// Lists have each text once; pseudonyms and public names are in none.
type InspectAnswer struct {
	Schema      string   `json:"schema"`
	File        string   `json:"file"`
	Program     string   `json:"program"`            // that wrote the report
	Redacted    []string `json:"redacted,omitempty"` // what the report says stands under other names
	Bytes       int64    `json:"bytes"`              // of the file
	Files       []string `json:"files"`              // names of snapshots
	Paths       []string `json:"paths"`
	Names       []string `json:"names"` // functions
	Texts       []string `json:"texts"` // annotations, metadata, compile contexts
	Users       []string `json:"users"` // by the folders they have
	Hosts       []string `json:"hosts"` // names and addresses of machines
	Emails      []string `json:"emails"`
	Secrets     []string `json:"secrets"`   // what looks like a key or a token
	Addresses   int      `json:"addresses"` // of tensors on the device, and handles of streams
	Times       int      `json:"times"`
	FirstTime   string   `json:"first_time"` // when the recording began, in UTC; empty without times
	Pseudonyms  int      `json:"pseudonyms"`
	PublicNames int      `json:"public_names"` // of torch, Python and packages that everybody has
	// scripts and styles of another memviz, or of somebody else; not looked into
	ForeignScripts int `json:"foreign_scripts"`
}

// Inspected is what is known of a report.
type Inspected struct {
	Name             string
	Bytes            int64
	Program          string
	Redacted         []string
	Census           *redact.Census
	Addresses, Times int
	FirstTime        string
	Foreign          int
}

// Inspect says what a report holds. rows bounds how many examples people see.
func Inspect(in *Inspected, rows int) *Sheet {
	c := in.Census
	v := &InspectAnswer{
		Schema: schemaName("inspect"), File: units.Printable(in.Name), Program: units.Printable(in.Program),
		Redacted: in.Redacted, Bytes: in.Bytes,
		Files: c.Files(), Paths: c.Paths(), Names: c.Names(), Texts: c.Texts(),
		Users: c.Of(redact.User), Hosts: c.Of(redact.Host), Emails: c.Of(redact.Email), Secrets: c.Of(redact.Secret),
		Addresses: in.Addresses, Times: in.Times, FirstTime: in.FirstTime,
		Pseudonyms: c.Pseudonyms(), PublicNames: c.Public(), ForeignScripts: in.Foreign,
	}
	s := &Sheet{value: v}
	s.heading("%s holds %s", name(v.File), v.inShort())
	s.note("%s, written by %s; redacted: %s", units.FileSize(v.Bytes), name(v.Program), joinedOrNothing(v.Redacted))
	s.put(v.table(rows))
	if v.FirstTime != "" {
		s.say("The recording began at %s.", name(v.FirstTime))
	}
	s.say("%s and %s do not reveal who wrote the code.", units.Plural(v.Pseudonyms, "pseudonym", "pseudonyms"),
		units.Plural(v.PublicNames, "public name", "public names"))
	if v.ForeignScripts > 0 {
		s.say("%s not of this memviz. What such code holds is not listed here; memviz trace regenerates the report "+
			"without it.",
			units.Plural(v.ForeignScripts, "script or style is", "scripts or styles are"))
	}
	if len(v.found()) > 0 {
		s.note("memviz trace --redact all, run on the snapshot, replaces names by pseudonyms; --omit " +
			"addresses,times leaves those out.")
	}
	return s
}

// kinds are the lists of texts with their titles.
func (v *InspectAnswer) kinds() []inspectedKind {
	return []inspectedKind{
		{"secrets", v.Secrets}, {"users", v.Users}, {"hosts", v.Hosts}, {"emails", v.Emails}, {"files", v.Files},
		{"paths", v.Paths}, {"names", v.Names}, {"texts", v.Texts},
	}
}

type inspectedKind struct {
	what  string
	texts []string
}

// found are the titles of the kinds of which the report holds texts.
func (v *InspectAnswer) found() []string {
	var kinds []string
	for _, k := range v.kinds() {
		if len(k.texts) > 0 {
			kinds = append(kinds, k.what)
		}
	}
	return kinds
}

// inShort lists the kinds of texts and numbers that the report holds.
func (v *InspectAnswer) inShort() string {
	kinds := v.found()
	if v.Addresses > 0 {
		kinds = append(kinds, "addresses")
	}
	if v.Times > 0 {
		kinds = append(kinds, "times")
	}
	return joinedOrNothing(kinds)
}

func joinedOrNothing(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}

// table has the first rows texts of each kind.
func (v *InspectAnswer) table(rows int) *sheetTable {
	t := newTable(words(""), figures(""), paths(""))
	for _, k := range v.kinds() {
		if len(k.texts) == 0 {
			t.row(k.what, "0", "")
			continue
		}
		for i, text := range k.texts[:min(len(k.texts), max(rows, 1))] {
			if i == 0 {
				t.row(k.what, units.Count(len(k.texts)), name(text))
			} else {
				t.row("", "", name(text))
			}
		}
	}
	t.row("addresses", units.Count(v.Addresses), "")
	t.row("times", units.Count(v.Times), "")
	return t
}
