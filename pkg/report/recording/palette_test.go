package recording

import (
	"math"
	"testing"
)

func TestOKLab(t *testing.T) {
	// Values of sRGB's corners as the CSS Color 4 sample code gives them.
	for _, test := range []struct {
		hex     string
		l, a, b float64
	}{
		{"#ffffff", 1, 0, 0},
		{"#000000", 0, 0, 0},
		{"#ff0000", 0.62796, 0.22486, 0.12585},
		{"#00ff00", 0.86644, -0.23389, 0.17950},
		{"#0000ff", 0.45201, -0.03246, -0.31153},
	} {
		got := parseHex(test.hex).oklab()
		if math.Abs(got.l-test.l)+math.Abs(got.a-test.a)+math.Abs(got.b-test.b) > 1e-4 {
			t.Errorf("%s = %.5f, want {%.5f %.5f %.5f}", test.hex, got, test.l, test.a, test.b)
		}
		if back := got.rgb().hex(); back != test.hex {
			t.Errorf("%s comes back as %s", test.hex, back)
		}
	}
}

func TestPalette(t *testing.T) {
	p := newPalette()
	// Lightness, chroma and hue angle that the colours were chosen at, and the
	// contrast of their label ink.
	for _, test := range []struct {
		theme    []Hue
		hue      int
		l, c, h  float64
		ink      string
		contrast float64
	}{
		{p.Light, hueParameter, .440, .124, 262, lightInk, 7.9},
		{p.Dark, hueParameter, .435, .130, 264, lightInk, 8.1},
		{p.Light, hueOptimizer, .816, .090, 300, darkInk, 10.3},
		{p.Dark, hueOptimizer, .776, .088, 299, darkInk, 9.0},
		{p.Light, hueGradient, .626, .105, 60, darkInk, 5.1},
		{p.Dark, hueGradient, .605, .105, 57, darkInk, 4.7},
		{p.Light, hueActivation, .846, .072, 166, darkInk, 12.1},
		{p.Dark, hueActivation, .789, .060, 167, darkInk, 9.9},
		{p.Light, hueTemporary, .828, .125, 83, darkInk, 11.0},
		{p.Dark, hueTemporary, .799, .110, 87, darkInk, 10.0},
		{p.Light, hueCache, .586, .119, 232, darkInk, 4.6},
		{p.Dark, hueCache, .561, .110, 229, lightInk, 4.5},
		{p.Light, hueUnknown, .666, .004, 248, darkInk, 6.2},
		{p.Dark, hueUnknown, .619, .004, 248, darkInk, 5.1},
	} {
		hue := test.theme[test.hue]
		lab := parseHex(hue.Color).oklab()
		chroma := math.Hypot(lab.a, lab.b)
		angle := math.Mod(math.Atan2(lab.b, lab.a)*180/math.Pi+360, 360)
		if math.Abs(lab.l-test.l) > .0006 || math.Abs(chroma-test.c) > .0006 || math.Abs(angle-test.h) > 3 {
			t.Errorf("%s %s: L C h = %.3f %.3f %.0f, want %.3f %.3f %.0f",
				hue.Name, hue.Color, lab.l, chroma, angle, test.l, test.c, test.h)
		}
		if hue.Ink != test.ink {
			t.Errorf("%s %s: ink %s, want %s", hue.Name, hue.Color, hue.Ink, test.ink)
		}
		if got := contrast(parseHex(hue.Color), parseHex(hue.Ink)); math.Abs(got-test.contrast) > .06 {
			t.Errorf("%s %s: ink contrast %.2f, want %.1f", hue.Name, hue.Color, got, test.contrast)
		}
	}
}

func TestShades(t *testing.T) {
	p := newPalette()
	for _, hue := range append(p.Light, p.Dark...) {
		if hue.Shades[2] != hue.Color {
			t.Errorf("%s: the middle shade is %s, want %s", hue.Name, hue.Shades[2], hue.Color)
		}
		base := parseHex(hue.Color).oklab()
		for i, shade := range hue.Shades {
			got := parseHex(shade).oklab()
			// Eight bits a channel and the edge of the gamut cost a little.
			if d := got.l - base.l - shadeSteps[i]; math.Abs(d) > .004 {
				t.Errorf("%s: shade %d %s is %.3f off its lightness", hue.Name, i, shade, d)
			}
		}
	}
}

// TestFamiliesApart: each family has a colour of its own, which is far from those of all
// others in any sight, and not near the red of out of memory; text on it can be read.
func TestFamiliesApart(t *testing.T) {
	p := newPalette()
	for theme, hues := range map[string][]Hue{"light": p.Light, "dark": p.Dark} {
		red := map[string]string{"light": "#b3201a", "dark": "#ff7b6e"}[theme] // --oom of summary.css
		owner := map[int]string{}
		for i, f := range newFamilies() {
			if other := owner[f.Hue]; other != "" {
				t.Errorf("%s and %s share a colour", f.Key, other)
			}
			owner[f.Hue] = f.Key
			color := hues[f.Hue]
			if got := contrast(parseHex(color.Color), parseHex(color.Ink)); got < 4.5 {
				t.Errorf("%s: the contrast of %s on %s is %.2f", theme, f.Key, color.Color, got)
			}
			for _, sight := range sights {
				least, leastFromRed := 9.5, 6.0
				if sight.name == "normal" {
					least, leastFromRed = 12, 12
				}
				see := func(hex string) [3]float64 { return cielab(seen(sight.m, parseHex(hex))) }
				if got := distance(see(color.Color), see(red)); got < leastFromRed {
					t.Errorf("%s, %s: %s %s is %.1f from the red of out of memory", theme, sight.name, f.Key,
						color.Color, got)
				}
				for _, other := range newFamilies()[i+1:] {
					with := hues[other.Hue]
					if got := distance(see(color.Color), see(with.Color)); got < least {
						t.Errorf("%s, %s: %s %s is %.1f from %s %s, want %.1f", theme, sight.name, f.Key, color.Color,
							got, other.Key, with.Color, least)
					}
				}
			}
		}
	}
}
