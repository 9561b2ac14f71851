// Package assets embeds what a report carries besides its data: the viewer, its
// styles, and the chart library.
//
// The viewer's sources are the ES modules in viewer/; dist/ is what esbuild
// makes of them: "go generate ./assets/". A test makes it again and compares.
// echarts/ says where the chart library comes from, and a test checks its sum.
package assets

//go:generate go tool esbuild viewer/main.js --bundle --format=iife --target=es2022 --charset=utf8 --minify-whitespace --minify-syntax --line-limit=160 --outfile=dist/viewer.js
//go:generate go tool esbuild viewer/theme.js --target=es2022 --charset=utf8 --minify-whitespace --minify-syntax --outfile=dist/theme.js
//go:generate go tool esbuild viewer/viewer.css --charset=utf8 --minify-whitespace --line-limit=160 --outfile=dist/viewer.css
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
