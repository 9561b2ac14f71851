package recording

// Indices into the hues of a [Palette]: one for each family. The first eight, and
// hueUnknown for all others, also distinguish call sites, files, functions and stacks.
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
	hueOutput
	hueWorkspace
	hueResident
	hueParameterOrGradient
	hueParameterOrOptimizer
)

// hueColors stay apart in normal sight, protanopia and deuteranopia, in both themes; TestFamiliesApart says how far.
// None of them is red, which means out of memory and nothing else. They were found by a numerical search in OKLCH.
var hueColors = [...]struct{ name, light, dark string }{
	hueParameter:            {"parameter", "#2a4f96", "#2b4c98"},
	hueOptimizer:            {"optimizer", "#cbb6f5", "#bdaae7"},
	hueGradient:             {"gradient", "#b67842", "#b1703e"},
	hueActivation:           {"activation", "#9fdcc2", "#96c7b2"},
	hueTemporary:            {"temporary", "#eebf60", "#dcb966"},
	hueInput:                {"input", "#6a3e5d", "#65414a"},
	hueCommunication:        {"communication", "#b5a000", "#ac9800"},
	hueCache:                {"cache", "#0387b6", "#0280a8"},
	hueUnknown:              {"unknown", "#929496", "#848688"},
	hueOutput:               {"output", "#d0a9c2", "#be97b2"},
	hueWorkspace:            {"workspace", "#426e57", "#254e00"},
	hueResident:             {"resident", "#657483", "#596977"},
	hueParameterOrGradient:  {"parameter or gradient", "#262b3a", "#1f283d"},
	hueParameterOrOptimizer: {"parameter or optimizer", "#9890f9", "#9083eb"},
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
	return p
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
