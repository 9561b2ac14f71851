package report

import (
	"github.com/memviz-go/memviz/assets"
	"github.com/memviz-go/memviz/templates"
)

// pageKit makes the pages that memviz writes.
var pageKit = &kit{
	templates: templates.Report,
	styles:    assets.Styles,
	theme:     assets.Theme,
	echarts:   assets.ECharts,
	viewer:    assets.Viewer,
}
