// Package assets embeds what a page carries besides its data: its viewer, its styles,
// the chart library, and the script that loads them. There is a [Page] for each kind of
// page.
//
// The viewer's sources are the ES modules in viewer/; "go generate ./assets" bundles
// and compresses them into dist/, and TestDist compares dist/ with its sources.
// echarts/ says how the chart library is made; a test checks its sum.
package assets

import _ "embed"

//go:generate go test -run ^TestDist$ -update .

// Page is what one kind of page carries compressed, as raw DEFLATE. [Loader] unpacks it.
type Page struct {
	Styles  []byte // besides those of the summary
	ECharts []byte // a build of the chart library; defines the global variable echarts
	Viewer  []byte // the bundled modules; defines the global variable memvizViewer, with a method start
}

// The kinds of pages. Each viewer needs the elements of its template in package
// templates.
var (
	Recording = Page{recordingStyles, recordingECharts, recordingViewer}
	Compare   = Page{compareStyles, recordingECharts, compareViewer}
	Job       = Page{jobStyles, jobECharts, jobViewer}
)

var (
	//go:embed dist/viewer.css.deflate
	recordingStyles []byte
	//go:embed echarts/echarts.min.js.deflate
	recordingECharts []byte
	//go:embed dist/viewer.js.deflate
	recordingViewer []byte

	//go:embed dist/compare.css.deflate
	compareStyles []byte
	//go:embed dist/compare.js.deflate
	compareViewer []byte

	//go:embed dist/job.css.deflate
	jobStyles []byte
	//go:embed echarts/echarts.job.min.js.deflate
	jobECharts []byte
	//go:embed dist/job.js.deflate
	jobViewer []byte
)

// What every page carries as it is.
var (
	// SummaryStyles are the styles of the summary, which the viewer shares.
	//
	//go:embed dist/summary.css
	SummaryStyles string

	// Theme is the script that chooses light or dark before the first paint.
	//
	//go:embed viewer/theme.js
	Theme string

	// Loader is the script that inflates the styles, ECharts and viewer of a page and
	// puts them into it. It finds their base64 in the elements packed-styles,
	// packed-echarts and packed-viewer, which have to stand before it.
	//
	//go:embed viewer/loader.js
	Loader string
)
