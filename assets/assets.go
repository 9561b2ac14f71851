// Package assets embeds what a report carries besides its data: the viewer, its
// styles, the chart library, and the script that loads them.
//
// The viewer's sources are the ES modules in viewer/; "go generate ./assets" bundles
// and compresses them into dist/, and TestDist compares dist/ with its sources.
// echarts/ says how the chart library is made; a test checks its sum.
package assets

import _ "embed"

//go:generate go test -run ^TestDist$ -update .

// What a report carries compressed, as raw DEFLATE. [Loader] unpacks it.
var (
	// Styles are the styles of the viewer, besides those of the summary.
	//
	//go:embed dist/viewer.css.deflate
	Styles []byte

	// ECharts is the chart library; it defines the global variable echarts.
	//
	//go:embed echarts/echarts.min.js.deflate
	ECharts []byte

	// Viewer is the bundled viewer; it defines the global variable memvizViewer, with
	// a method start. It needs the elements of templates.Report, and echarts.
	//
	//go:embed dist/viewer.js.deflate
	Viewer []byte
)

// What a report carries as it is.
var (
	// SummaryStyles are the styles of the summary, which the viewer shares.
	//
	//go:embed dist/summary.css
	SummaryStyles string

	// Theme is the script that chooses light or dark before the first paint.
	//
	//go:embed viewer/theme.js
	Theme string

	// Loader is the script that inflates Styles, ECharts and Viewer and puts them
	// into the page. It finds their base64 in the elements packed-styles,
	// packed-echarts and packed-viewer, which have to stand before it.
	//
	//go:embed viewer/loader.js
	Loader string
)
