package report

// Indices into the hues of a [Palette]. Nine colours that stay apart for every
// kind of colour vision, in both themes; families that are neighbours in
// meaning share one.
const (
	hueParameter = iota
	hueOptimizer
	hueGradient
	hueActivation
	hueTemporary
	hueInput
	hueCommunication
	hueCache
	hueUnknown
	// hueParameterOr is the parameter hue at half strength, for memory that is
	// a parameter or something else and the recording cannot tell which.
	hueParameterOr
)

var hueColors = [...]struct{ name, light, dark string }{
	hueParameter:     {"parameter", "#2a4f96", "#2b4c98"},
	hueOptimizer:     {"optimizer", "#cbb6f5", "#bdaae7"},
	hueGradient:      {"gradient", "#b67842", "#b1703e"},
	hueActivation:    {"activation", "#9fdcc2", "#96c7b2"},
	hueTemporary:     {"temporary", "#eebf60", "#dcb966"},
	hueInput:         {"input", "#774d58", "#754858"},
	hueCommunication: {"communication", "#94140f", "#8d1b17"},
	hueCache:         {"cache", "#0387b6", "#0280a8"},
	hueUnknown:       {"unknown", "#929496", "#848688"},
}

// shadeSteps are the OKLab lightness steps of a hue's shades: enough to tell
// neighbouring call sites apart, too little to leave the family.
var shadeSteps = [5]float64{-0.036, -0.018, 0, +0.018, +0.036}

// Label inks.
const (
	darkInk  = "#0f1216"
	lightInk = "#ffffff"
)

// newPalette computes the colours of both themes.
func newPalette() Palette {
	var p Palette
	for _, c := range hueColors {
		p.Light = append(p.Light, newHue(c.name, parseHex(c.light).oklab()))
		p.Dark = append(p.Dark, newHue(c.name, parseHex(c.dark).oklab()))
	}
	p.Light = append(p.Light, halfStrength(p.Light))
	p.Dark = append(p.Dark, halfStrength(p.Dark))
	return p
}

// halfStrength is the parameter hue halfway to the unknown grey.
func halfStrength(hues []Hue) Hue {
	parameter := parseHex(hues[hueParameter].Color).oklab()
	unknown := parseHex(hues[hueUnknown].Color).oklab()
	return newHue("parameter or", mix(parameter, unknown))
}

func newHue(name string, c oklab) Hue {
	h := Hue{Name: name, Color: c.rgb().hex(), Ink: labelInk(c.rgb())}
	for i, step := range shadeSteps {
		h.Shades[i] = oklab{c.l + step, c.a, c.b}.rgb().hex()
	}
	return h
}

// labelInk is the ink with the higher contrast on a colour.
func labelInk(c rgb) string {
	if contrast(c, parseHex(darkInk)) >= contrast(c, parseHex(lightInk)) {
		return darkInk
	}
	return lightInk
}
