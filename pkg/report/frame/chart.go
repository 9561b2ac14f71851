package frame

import (
	"encoding/json"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
	"github.com/go-echarts/go-echarts/v2/types"
)

// chartFont is the page's own font family, which ECharts has to be told.
const chartFont = `-apple-system, BlinkMacSystemFont, "Segoe UI", Inter, Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif`

// formatBytes is a function of the viewer that options name. It revives those alone that
// they name.
const formatBytes = "bytes"

// BytesAxis is the y axis of a grid, in bytes.
func BytesAxis(grid int) opts.YAxis {
	return opts.YAxis{Type: "value", GridIndex: grid, SplitLine: HiddenLine, AxisLabel: FormattedLabel(formatBytes),
		AxisLine: &opts.AxisLine{Show: opts.Bool(false)}}
}

// Options are the options as JSON, with a series in each grid that a function renders.
func Options(chart *charts.Custom, renders ...string) ([]byte, error) {
	// One item each, so that ECharts calls the function once a frame.
	once := []opts.CustomData{{Value: []int{0, 0}}}
	for i, render := range renders {
		chart.AddSeries("", once, charts.WithCustomChartOpts(opts.CustomChart{
			XAxisIndex: i, YAxisIndex: i, RenderItem: opts.FuncOpts(render),
		}))
	}
	chart.Accept(Mender{})
	chart.Validate()
	return json.Marshal(chart.JSON())
}

// HiddenLine leaves out the lines across a grid, which the viewer draws.
var HiddenLine = &opts.SplitLine{Show: opts.Bool(false)}

// FormattedLabel is an axis label that a function of the viewer writes.
func FormattedLabel(function string) *opts.AxisLabel {
	return &opts.AxisLabel{
		Formatter:    types.FuncStr(opts.FuncOpts(function)),
		ShowMinLabel: opts.Bool(true),
		ShowMaxLabel: opts.Bool(true),
		HideOverlap:  opts.Bool(true),
	}
}

// Mender adds what go-echarts has no field for and takes away what it
// writes unasked.
type Mender struct {
	charts.BaseConfigurationVisitor
}

func (Mender) Visit(chart map[string]any) {
	for _, unused := range []string{"title", "legend", "tooltip", "toolbox", "color"} {
		delete(chart, unused)
	}
	chart["textStyle"] = map[string]string{"fontFamily": chartFont}
}

// untickedAxis is a y axis whose labels stand on grid lines and need no ticks.
type untickedAxis struct {
	opts.YAxis
	AxisTick opts.AxisTick `json:"axisTick"`
}

func (Mender) VisitYAxis(axes []opts.YAxis) any {
	unticked := make([]untickedAxis, len(axes))
	for i := range axes {
		unticked[i] = untickedAxis{axes[i], opts.AxisTick{Show: opts.Bool(false)}}
	}
	return unticked
}

// silentSeries is a series that takes no part in ECharts' own hit-testing: the
// viewer knows what lies under the pointer.
type silentSeries struct {
	charts.SingleSeries
	Silent bool `json:"silent"`
	Clip   bool `json:"clip"`
}

func (Mender) VisitSeriesOpt(series charts.MultiSeries) any {
	silent := make([]silentSeries, len(series))
	for i := range series {
		silent[i] = silentSeries{SingleSeries: series[i], Silent: true, Clip: true}
	}
	return silent
}
