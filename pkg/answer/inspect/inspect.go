// Package inspect answers what a report holds that somebody may not want to pass on.
package inspect

import (
	"strings"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/units"
)

// Contents is what a report holds that somebody may not want to pass on.
// Lists have each text once; pseudonyms and public names are in none.
type Contents struct {
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

// Report is what is known of a report.
type Report struct {
	Name             string
	Bytes            int64
	Program          string
	Redacted         []string
	Census           *redact.Census
	Addresses, Times int
	FirstTime        string
	Foreign          int
}

// Answer says what a report holds. rows bounds how many examples people see.
func Answer(in *Report, rows int) *sheet.Sheet {
	c := in.Census
	v := &Contents{
		Schema: answer.SchemaName("inspect"), File: units.Printable(in.Name), Program: units.Printable(in.Program),
		Redacted: in.Redacted, Bytes: in.Bytes,
		Files: c.Files(), Paths: c.Paths(), Names: c.Names(), Texts: c.Texts(),
		Users: c.Of(redact.User), Hosts: c.Of(redact.Host), Emails: c.Of(redact.Email), Secrets: c.Of(redact.Secret),
		Addresses: in.Addresses, Times: in.Times, FirstTime: in.FirstTime,
		Pseudonyms: c.Pseudonyms(), PublicNames: c.Public(), ForeignScripts: in.Foreign,
	}
	s := &sheet.Sheet{Value: v}
	s.Heading("%s holds %s", sheet.Name(v.File), v.inShort())
	s.Note("%s, written by %s; redacted: %s", units.FileSize(v.Bytes), sheet.Name(v.Program),
		joinedOrNothing(v.Redacted))
	s.Put(v.table(rows))
	if v.FirstTime != "" {
		s.Say("The recording began at %s.", sheet.Name(v.FirstTime))
	}
	s.Say("%s and %s do not reveal who wrote the code.", units.Plural(v.Pseudonyms, "pseudonym", "pseudonyms"),
		units.Plural(v.PublicNames, "public name", "public names"))
	if v.ForeignScripts > 0 {
		s.Say("%s not of this memviz. What such code holds is not listed here; memviz trace regenerates the report "+
			"without it.",
			units.Plural(v.ForeignScripts, "script or style is", "scripts or styles are"))
	}
	if len(v.found()) > 0 {
		s.Note("memviz trace --redact all, run on the snapshot, replaces names by pseudonyms; --omit " +
			"addresses,times leaves those out.")
	}
	return s
}

// kinds are the lists of texts with their titles.
func (v *Contents) kinds() []inspectedKind {
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
func (v *Contents) found() []string {
	var kinds []string
	for _, k := range v.kinds() {
		if len(k.texts) > 0 {
			kinds = append(kinds, k.what)
		}
	}
	return kinds
}

// inShort lists the kinds of texts and numbers that the report holds.
func (v *Contents) inShort() string {
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
func (v *Contents) table(rows int) *sheet.Table {
	t := sheet.NewTable(sheet.Words(""), sheet.Figures(""), sheet.Paths(""))
	for _, k := range v.kinds() {
		if len(k.texts) == 0 {
			t.Row(k.what, "0", "")
			continue
		}
		for i, text := range k.texts[:min(len(k.texts), max(rows, 1))] {
			if i == 0 {
				t.Row(k.what, units.Count(len(k.texts)), sheet.Name(text))
			} else {
				t.Row("", "", sheet.Name(text))
			}
		}
	}
	t.Row("addresses", units.Count(v.Addresses), "")
	t.Row("times", units.Count(v.Times), "")
	return t
}
