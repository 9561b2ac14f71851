package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"slices"

	"github.com/memviz-go/memviz/assets"
	view "github.com/memviz-go/memviz/pkg/report/recording"
)

//go:embed index.html.tmpl
var indexText string

var indexTemplate = template.Must(template.New("index").Parse(indexText))

// index is what index.html.tmpl shows.
type index struct {
	Styles      template.CSS
	Theme       template.JS
	ThemeHash   string // of Theme, for the Content-Security-Policy
	Light, Dark []view.Hue
	Legend      []view.Family // the families in the pictures
	Sections    []*section
}

type section struct {
	*kind
	Cards []*card
}

type card struct {
	*story
	Picture template.HTML
}

func writeIndex(w io.Writer, stories []*story) error {
	colours := view.New("", nil, true)
	hash := sha256.Sum256([]byte(assets.Theme))
	page := &index{
		Styles:    template.CSS(assets.SummaryStyles),
		Theme:     template.JS(assets.Theme),
		ThemeHash: "sha256-" + base64.StdEncoding.EncodeToString(hash[:]),
		Light:     colours.Palette.Light,
		Dark:      colours.Palette.Dark,
	}
	for _, kind := range []*kind{recording, compared, job, predicted} {
		s := &section{kind: kind}
		for _, story := range stories {
			if story.Kind == kind {
				s.Cards = append(s.Cards, &card{story, picture(story.inputs, colours.Families)})
			}
		}
		page.Sections = append(page.Sections, s)
	}
	page.Legend = slices.DeleteFunc(colours.Families, func(f view.Family) bool { return !drawn(stories, f.Key) })
	return indexTemplate.Execute(w, page)
}

// drawn reports whether any allocation of the stories is of a family.
func drawn(stories []*story, key string) bool {
	for _, s := range stories {
		for _, in := range s.inputs {
			for _, r := range in.Recordings {
				for i := range r.Device.Allocations {
					if r.Families().Family(i).Key() == key {
						return true
					}
				}
			}
		}
	}
	return false
}
