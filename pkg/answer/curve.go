package answer

// curve is a series of totals as a line of bars, each the highest of its part.
type curve []int64

func (c curve) text(look Look) string {
	return indent + look.Show(sparkline(c, look.width()-2*len(indent)))
}

func (c curve) markdown() string { return "`" + sparkline(c, DefaultWidth-2*len(indent)) + "`" }

// bars are levels, the lowest first.
var bars = []rune("▁▂▃▄▅▆▇█")

// sparkline is the highest value in each of at most width columns, from zero up.
func sparkline(values []int64, width int) string {
	var top int64 = 1
	for _, v := range values {
		top = max(top, v)
	}
	width = min(width, len(values))
	line := make([]rune, width)
	for column := range line {
		from, end := column*len(values)/width, (column+1)*len(values)/width
		var high int64
		for _, v := range values[from:end] {
			high = max(high, v)
		}
		line[column] = bars[int(float64(high)/float64(top)*float64(len(bars)-1)+0.5)]
	}
	return string(line)
}
