package report

import (
	"sync"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/memviz-go/memviz/assets"
)

// The viewer's functions that the options of a compare page name.
const (
	renderBefore     = "before"
	renderAfter      = "after"
	renderDifference = "difference"
)

var compareShell = sync.OnceValue(func() *shell { return newShell("compare", compareChartOptions, &assets.Compare) })

// compareChartOptions are those of a compare page: a grid each for the pile before, the
// pile after, and their difference.
func compareChartOptions() ([]byte, error) {
	chart := charts.NewCustom()
	hidden := func(grid int) opts.XAxis { return opts.XAxis{Type: "value", GridIndex: grid, Show: opts.Bool(false)} }
	chart.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithGridOpts(opts.Grid{}, opts.Grid{}, opts.Grid{}),
		charts.WithXAxisOpts(hidden(0)),
		charts.WithYAxisOpts(bytesAxis(0)),
	)
	for grid := 1; grid <= 2; grid++ {
		chart.ExtendXAxis(hidden(grid))
		chart.ExtendYAxis(bytesAxis(grid))
	}
	return finished(chart, renderBefore, renderAfter, renderDifference)
}
