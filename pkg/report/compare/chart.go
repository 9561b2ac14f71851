package compare

import (
	"sync"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/memviz-go/memviz/assets"
	"github.com/memviz-go/memviz/pkg/report/frame"
)

// The viewer's functions that the options of a compare page name.
const (
	renderBefore     = "before"
	renderAfter      = "after"
	renderDifference = "difference"
)

// Frame is the frame of the compare page.
var Frame = sync.OnceValue(func() *frame.Frame { return frame.New("compare", chartOptions, &assets.Compare) })

// chartOptions are the options of a compare page: a grid each for the pile before, the
// pile after, and their difference.
func chartOptions() ([]byte, error) {
	chart := charts.NewCustom()
	hidden := func(grid int) opts.XAxis { return opts.XAxis{Type: "value", GridIndex: grid, Show: opts.Bool(false)} }
	chart.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithGridOpts(opts.Grid{}, opts.Grid{}, opts.Grid{}),
		charts.WithXAxisOpts(hidden(0)),
		charts.WithYAxisOpts(frame.BytesAxis(0)),
	)
	for grid := 1; grid <= 2; grid++ {
		chart.ExtendXAxis(hidden(grid))
		chart.ExtendYAxis(frame.BytesAxis(grid))
	}
	return frame.Options(chart, renderBefore, renderAfter, renderDifference)
}
