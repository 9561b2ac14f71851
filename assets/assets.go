// Package assets embeds what a report carries besides its data: the viewer, its
// styles, the chart library, and the script that loads them.
//
// The viewer's sources are the ES modules in viewer/, and echarts/ says where the
// chart library comes from. "go generate ./assets" bundles and compresses them
// into dist/; TestDist compares dist/ with its sources.
package assets

import _ "embed"

//go:generate go test -run ^TestDist$ -update .

// Scripts that a report carries compressed, as raw DEFLATE. [Loader] runs them.
var (
	// ECharts is the chart library; it defines the global variable echarts.
	//
	//go:embed dist/echarts.js.deflate
	ECharts []byte

	// Viewer is the bundled viewer. It needs the elements of templates.Report and
	// echarts, and defines the global variable memviz.
	//
	//go:embed dist/viewer.js.deflate
	Viewer []byte
)

// What a report carries as it is.
var (
	// Styles are the styles of the page.
	//
	//go:embed dist/viewer.css
	Styles string

	// Theme is the script that chooses light or dark before the first paint.
	//
	//go:embed viewer/theme.js
	Theme string

	// Loader is the script that inflates ECharts and Viewer and runs them. It finds
	// them in the elements packed-echarts and packed-viewer, before it in the page.
	//
	//go:embed viewer/loader.js
	Loader string
)
