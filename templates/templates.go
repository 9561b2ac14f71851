// Package templates embeds the HTML templates of the report.
//
// [Pages] has a template for each kind of page: "recording", "compare" and "job". It opens
// the document and holds the readable summary, the viewer's frame and the scripts;
// "tail" closes the document. The caller writes the data that the viewer reads between
// them. All are executed with the fields of pkg/report's Page; "job" has Jobs instead of
// Summaries.
package templates

import (
	"embed"
	"html/template"
)

//go:embed *.html.tmpl
var files embed.FS

// Pages are the pages.
var Pages = template.Must(template.ParseFS(files, "*.html.tmpl"))
