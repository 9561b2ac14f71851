package job

import (
	"encoding/json"
	"sync"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/memviz-go/memviz/assets"
	"github.com/memviz-go/memviz/pkg/report/frame"
)

// The functions of the job page's viewer that its options name.
const (
	renderRanks = "ranks"
	renderBand  = "band"
	formatPeak  = "peak"
)

var (
	jobFrame = sync.OnceValue(func() *frame.Frame { return frame.New("job", chartOptions, &assets.Job) })
	// jobWithReportsShell is that of job pages that open reports of ranks.
	jobWithReportsFrame = sync.OnceValue(func() *frame.Frame {
		return jobFrame().WithReports(&assets.Job, &assets.Recording)
	})
)

// chartOptions are the ECharts options of a job page: of the ranks with the dots of
// their peaks beside them, of the histogram of the peaks, and of the curve of one rank
// against its group. They hold no text from a snapshot.
func chartOptions() ([]byte, error) {
	all := map[string]any{}
	for name, chart := range map[string]interface {
		Validate()
		JSON() map[string]any
	}{"ranks": ranksChart(), "histogram": histogramChart(), "curve": curveChart()} {
		chart.Validate()
		all[name] = chart.JSON()
	}
	return json.Marshal(all)
}

// hiddenAxes are axes without anything to see, of a grid.
func hiddenAxes(grid int) (opts.XAxis, opts.YAxis) {
	return opts.XAxis{Type: "value", GridIndex: grid, Show: opts.Bool(false)},
		opts.YAxis{Type: "value", GridIndex: grid, Show: opts.Bool(false)}
}

// ranksChart has the raster of all ranks in grid 0. In grid 1 are the dots: of ranks
// without a finding, of those with one, and of those that ran out of memory.
func ranksChart() *charts.Custom {
	chart := charts.NewCustom()
	x, y := hiddenAxes(0)
	chart.SetGlobalOptions(charts.WithAnimation(false), charts.WithGridOpts(opts.Grid{}, opts.Grid{}),
		charts.WithXAxisOpts(x),
		charts.WithYAxisOpts(y))
	x, y = hiddenAxes(1)
	chart.ExtendXAxis(x)
	chart.ExtendYAxis(y)
	// One item, so that ECharts calls the function once a frame.
	chart.AddSeries("", []opts.CustomData{{Value: []int{0, 0}}},
		charts.WithCustomChartOpts(opts.CustomChart{RenderItem: opts.FuncOpts(renderRanks)}))
	dots := charts.NewScatter()
	for range 3 {
		dots.AddSeries("", nil, charts.WithScatterChartOpts(opts.ScatterChart{XAxisIndex: 1, YAxisIndex: 1}))
	}
	chart.Overlap(dots)
	chart.Accept(frame.Mender{})
	return chart
}

func histogramChart() *charts.Bar {
	chart := charts.NewBar()
	x, y := hiddenAxes(0)
	chart.SetGlobalOptions(charts.WithAnimation(false), charts.WithGridOpts(opts.Grid{}), charts.WithXAxisOpts(x),
		charts.WithYAxisOpts(y))
	chart.AddSeries("", nil)
	chart.Accept(frame.Mender{})
	return chart
}

// curveChart has the band that most ranks of the group are in, the median of the group,
// and the rank.
func curveChart() *charts.Custom {
	chart := charts.NewCustom()
	x, y := hiddenAxes(0)
	x.Show, y.Show = nil, nil
	x.SplitLine, y.SplitLine = frame.HiddenLine, frame.HiddenLine
	y.AxisLabel = frame.FormattedLabel(formatPeak)
	chart.SetGlobalOptions(charts.WithAnimation(false), charts.WithGridOpts(opts.Grid{}), charts.WithXAxisOpts(x),
		charts.WithYAxisOpts(y))
	chart.AddSeries("", []opts.CustomData{{Value: []int{0, 0}}},
		charts.WithCustomChartOpts(opts.CustomChart{RenderItem: opts.FuncOpts(renderBand)}))
	lines := charts.NewLine()
	for range 2 {
		lines.AddSeries("", nil)
	}
	chart.Overlap(lines)
	chart.Accept(frame.Mender{})
	return chart
}
