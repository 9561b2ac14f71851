package recording

import (
	"sync"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/memviz-go/memviz/assets"
	"github.com/memviz-go/memviz/pkg/report/frame"
)

// The viewer's functions that the options of the page of a recording name.
const (
	renderTimeline = "timeline"
	renderMinimap  = "minimap"
	formatPosition = "position"
)

// Frame is the frame of the page of recordings.
var Frame = sync.OnceValue(func() *frame.Frame { return frame.New("recording", chartOptions, &assets.Recording) })

// chartOptions are the ECharts options that never change while a page of recordings is
// open: the timeline in grid 0 and the minimap in grid 1. They hold no text from a
// snapshot, because go-echarts turns some texts into code.
func chartOptions() ([]byte, error) {
	chart := charts.NewCustom()
	chart.SetGlobalOptions(
		charts.WithAnimation(false),
		charts.WithGridOpts(opts.Grid{}, opts.Grid{}),
		charts.WithXAxisOpts(opts.XAxis{Type: "value", SplitLine: frame.HiddenLine,
			AxisLabel: frame.FormattedLabel(formatPosition)}),
		charts.WithYAxisOpts(frame.BytesAxis(0)),
	)
	chart.ExtendXAxis(opts.XAxis{Type: "value", GridIndex: 1, Show: opts.Bool(false)})
	chart.ExtendYAxis(opts.YAxis{Type: "value", GridIndex: 1, Show: opts.Bool(false)})
	return frame.Options(chart, renderTimeline, renderMinimap)
}
