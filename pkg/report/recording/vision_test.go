package recording

import (
	"math"
	"testing"
)

// sights are kinds of colour vision: the sRGB matrices of Machado, Oliveira and
// Fernandes (2009) at full severity, applied to linear light.
var sights = []struct {
	name string
	m    [3][3]float64
}{
	{"normal", [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
	{"protanopia", [3][3]float64{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998}}},
	{"deuteranopia", [3][3]float64{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881}}},
}

// seen is a colour as someone with that sight sees it.
func seen(m [3][3]float64, c rgb) rgb {
	in := [3]float64{linear(c.r), linear(c.g), linear(c.b)}
	var out [3]float64
	for i := range out {
		out[i] = gamma(min(max(m[i][0]*in[0]+m[i][1]*in[1]+m[i][2]*in[2], 0), 1))
	}
	return rgb{out[0], out[1], out[2]}
}

// cielab is a colour in CIE L*a*b* under D65.
func cielab(c rgb) [3]float64 {
	r, g, b := linear(c.r), linear(c.g), linear(c.b)
	f := func(t float64) float64 {
		if t > 216.0/24389 {
			return math.Cbrt(t)
		}
		return (24389.0/27*t + 16) / 116
	}
	x := f((0.4124564*r + 0.3575761*g + 0.1804375*b) / 0.95047)
	y := f(0.2126729*r + 0.7151522*g + 0.0721750*b)
	z := f((0.0193339*r + 0.1191920*g + 0.9503041*b) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// distance is the CIEDE2000 difference of two colours in CIE L*a*b*: 1 can just be
// seen, and above 5 nobody takes one colour for the other side by side.
func distance(p, q [3]float64) float64 {
	const turn = 2 * math.Pi
	pow7 := func(v float64) float64 { return math.Pow(v, 7) }
	mean := (math.Hypot(p[1], p[2]) + math.Hypot(q[1], q[2])) / 2
	g := 0.5 * (1 - math.Sqrt(pow7(mean)/(pow7(mean)+pow7(25))))
	polar := func(c [3]float64) (chroma, hue float64) {
		a := (1 + g) * c[1]
		if a == 0 && c[2] == 0 {
			return 0, 0
		}
		return math.Hypot(a, c[2]), math.Mod(math.Atan2(c[2], a)+turn, turn)
	}
	c1, h1 := polar(p)
	c2, h2 := polar(q)
	dh := h2 - h1
	sum, middle := h1+h2, (h1+h2)/2
	switch {
	case c1*c2 == 0:
		dh, middle = 0, sum
	case math.Abs(dh) > math.Pi:
		dh -= math.Copysign(turn, dh)
		if middle += math.Pi; sum >= turn {
			middle -= turn
		}
	}
	l, c := (p[0]+q[0])/2, (c1+c2)/2
	degrees := func(d float64) float64 { return d * math.Pi / 180 }
	t := 1 - 0.17*math.Cos(middle-degrees(30)) + 0.24*math.Cos(2*middle) + 0.32*math.Cos(3*middle+degrees(6)) -
		0.20*math.Cos(4*middle-degrees(63))
	theta := degrees(30) * math.Exp(-math.Pow((middle-degrees(275))/degrees(25), 2))
	sl := 1 + 0.015*(l-50)*(l-50)/math.Sqrt(20+(l-50)*(l-50))
	sc, sh := 1+0.045*c, 1+0.015*c*t
	rt := -2 * math.Sqrt(pow7(c)/(pow7(c)+pow7(25))) * math.Sin(2*theta)
	dl, dc, dH := (q[0]-p[0])/sl, (c2-c1)/sc, 2*math.Sqrt(c1*c2)*math.Sin(dh/2)/sh
	return math.Sqrt(dl*dl + dc*dc + dH*dH + rt*dc*dH)
}

// TestDistance compares with pairs of the data that Sharma, Wu and Dalal published
// with the formula (2005).
func TestDistance(t *testing.T) {
	for _, test := range []struct {
		p, q [3]float64
		want float64
	}{
		{[3]float64{50, 2.6772, -79.7751}, [3]float64{50, 0, -82.7485}, 2.0425},
		{[3]float64{50, -1.3802, -84.2814}, [3]float64{50, 0, -82.7485}, 1.0000},
		{[3]float64{50, 2.5, 0}, [3]float64{50, 0, -2.5}, 4.3065},
		{[3]float64{50, 2.5, 0}, [3]float64{73, 25, -18}, 27.1492},
		{[3]float64{50, 2.5, 0}, [3]float64{58, 24, 15}, 19.4535},
		{[3]float64{60.2574, -34.0099, 36.2677}, [3]float64{60.4626, -34.1751, 39.4387}, 1.2644},
		{[3]float64{22.7233, 20.0904, -46.6940}, [3]float64{23.0331, 14.9730, -42.5619}, 2.0373},
		{[3]float64{90.8027, -2.0831, 1.4410}, [3]float64{91.1528, -1.6435, 0.0447}, 1.4441},
		{[3]float64{2.0776, 0.0795, -1.1350}, [3]float64{0.9033, -0.0636, -0.5514}, 0.9082},
	} {
		if got := distance(test.p, test.q); math.Abs(got-test.want) > 1e-4 {
			t.Errorf("from %v to %v are %.4f, want %.4f", test.p, test.q, got, test.want)
		}
	}
}
