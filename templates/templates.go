// Package templates embeds the HTML templates of the report.
//
// [Report] holds two halves of one document: "head" opens it, up to and with
// the readable summary and the viewer's frame, and "tail" closes it with the
// scripts. The caller writes the data that the viewer reads between them. Both
// get a value with the fields of pkg/report's Page.
package templates

import (
	"embed"
	"html/template"
)

//go:embed *.html.tmpl
var files embed.FS

// Report is the page.
var Report = template.Must(template.ParseFS(files, "*.html.tmpl"))
