// Package assets embeds the parts of a page other than its data: its viewer, its styles,
// the chart library, and the script that loads them. There is a [Page] for each kind of
// page.
//
// The viewer's sources are the ES modules in viewer/; "go generate ./assets" bundles
// them into dist/, and TestDist compares dist/ with its sources. The bundles are
// committed as text, so that history grows only by the changes; [Pack] compresses them.
// echarts/README.md says how the chart library is built; a test checks its hash.
package assets

import (
	"bytes"
	_ "embed"

	"github.com/klauspost/compress/flate"
)

//go:generate go test -run ^TestDist$ -update .

// Page has the parts of one kind of page that are compressed, as raw DEFLATE. [Loader] inflates
// them.
type Page struct {
	Styles  string // besides SummaryStyles
	ECharts []byte // a build of the chart library, packed; defines the global variable echarts
	Viewer  string // the bundled modules; defines the global variable memvizViewer, with a method start
}

// Pack compresses text as raw DEFLATE, at the best level: 14 ms for the largest viewer.
// The same text gives the same bytes on every machine and with every release of Go.
func Pack(text string) []byte {
	var packed bytes.Buffer
	w, _ := flate.NewWriter(&packed, flate.BestCompression) // fails only for an unknown level
	w.Write([]byte(text))                                   // a bytes.Buffer never fails
	w.Close()
	return packed.Bytes()
}

// The kinds of pages. Each viewer needs the elements of its template in package
// templates.
var (
	Recording = Page{recordingStyles, recordingECharts, recordingViewer}
	Compare   = Page{compareStyles, recordingECharts, compareViewer}
	Job       = Page{jobStyles, jobECharts, jobViewer}
)

var (
	//go:embed dist/viewer.css
	recordingStyles string
	//go:embed echarts/echarts.min.js.deflate
	recordingECharts []byte
	//go:embed dist/viewer.js
	recordingViewer string

	//go:embed dist/compare.css
	compareStyles string
	//go:embed dist/compare.js
	compareViewer string

	//go:embed dist/job.css
	jobStyles string
	//go:embed echarts/echarts.job.min.js.deflate
	jobECharts []byte
	//go:embed dist/job.js
	jobViewer string
)

// The uncompressed parts of every page.
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
	// packed-echarts and packed-viewer, which have to precede it.
	//
	//go:embed viewer/loader.js
	Loader string
)
