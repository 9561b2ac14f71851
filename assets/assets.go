// Package assets embeds what a report carries besides its data: the viewer, its
// styles, and the chart library.
//
// The viewer's sources are the ES modules in viewer/; dist/ is what esbuild
// makes of them: "go generate ./assets/". The same test that writes it compares
// it, and holds it to its budget. echarts/ says where the chart library comes
// from, and a test checks its sum.
package assets

//go:generate go test -run ^TestDist$ -update .
import _ "embed"

// Viewer is the bundled viewer. It wants the document of templates.Report, and
// ECharts before it.
//
//go:embed dist/viewer.js
var Viewer string

// Styles are the styles of the page.
//
//go:embed dist/viewer.css
var Styles string

// Theme is the script that chooses light or dark before the first paint.
//
//go:embed dist/theme.js
var Theme string

// ECharts is the chart library, as the global echarts.
//
//go:embed echarts/echarts.min.js
var ECharts string
