package recording

import (
	"fmt"
	"math"
)

// oklab is a colour in Björn Ottosson's OKLab space, in which equal steps of l
// look equally large: l from 0 (black) to 1 (white), a green to red, b blue to yellow.
type oklab struct{ l, a, b float64 }

// rgb is a colour in sRGB, each channel from 0 to 1.
type rgb struct{ r, g, b float64 }

// parseHex reads "#rrggbb".
func parseHex(hex string) rgb {
	var r, g, b uint8
	fmt.Sscanf(hex, "#%02x%02x%02x", &r, &g, &b)
	return rgb{float64(r) / 255, float64(g) / 255, float64(b) / 255}
}

func (c rgb) hex() string {
	channel := func(v float64) int { return int(math.Round(255 * min(max(v, 0), 1))) }
	return fmt.Sprintf("#%02x%02x%02x", channel(c.r), channel(c.g), channel(c.b))
}

// linear undoes the transfer curve of an sRGB channel, gamma applies it.
func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func gamma(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}

func (c rgb) oklab() oklab {
	r, g, b := linear(c.r), linear(c.g), linear(c.b)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return oklab{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

// rgb is the colour in sRGB; what lies outside its gamut is cut off by hex.
func (c oklab) rgb() rgb {
	cube := func(v float64) float64 { return v * v * v }
	l := cube(c.l + 0.3963377774*c.a + 0.2158037573*c.b)
	m := cube(c.l - 0.1055613458*c.a - 0.0638541728*c.b)
	s := cube(c.l - 0.0894841775*c.a - 1.2914855480*c.b)
	return rgb{
		gamma(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		gamma(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		gamma(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
	}
}

// contrast is the WCAG contrast ratio of two colours, from 1 to 21.
func contrast(c, d rgb) float64 {
	luminance := func(c rgb) float64 {
		return 0.2126*linear(c.r) + 0.7152*linear(c.g) + 0.0722*linear(c.b)
	}
	bright, dark := luminance(c), luminance(d)
	if bright < dark {
		bright, dark = dark, bright
	}
	return (bright + 0.05) / (dark + 0.05)
}
