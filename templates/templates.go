// Package templates embeds the HTML templates of the report.
//
// [Report] holds two halves of one document. "head" opens it and holds the readable
// summary, the viewer's frame and the scripts; "tail" closes it. The caller writes
// the data that the viewer reads between them. Both get a value with the fields of
// pkg/report's Page.
package templates

import (
	"embed"
	"html/template"
)

//go:embed *.html.tmpl
var files embed.FS

// Report is the page.
var Report = template.Must(template.ParseFS(files, "*.html.tmpl"))
