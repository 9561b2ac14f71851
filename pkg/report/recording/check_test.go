package recording

import (
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/testsnap"
)

// TestCheckModel: every index of the model is held against what it points at.
func TestCheckModel(t *testing.T) {
	model := func() *Report {
		r := New("memviz test", []answer.Input{answer.NewInput("training.pickle", testsnap.Training())}, true)
		r.Rules = []Rule{{Family: len(r.Families) - 1}}
		return r
	}
	if err := checkModel(model()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(r *Report){
		"a hue below":         func(r *Report) { r.Families[0].Hue = -1 },
		"a hue that is light": func(r *Report) { r.Families[0].Hue = len(r.Palette.Dark); lengthen(&r.Palette.Light) },
		"a hue that is dark":  func(r *Report) { r.Families[0].Hue = len(r.Palette.Light); lengthen(&r.Palette.Dark) },
		"a rule below":        func(r *Report) { r.Rules[0].Family = -1 },
		"a rule above":        func(r *Report) { r.Rules[0].Family = len(r.Families) },
		"a file above":        func(r *Report) { r.Start.File = 1 },
		"a file below":        func(r *Report) { r.Start.File = -1 },
		"a device above":      func(r *Report) { r.Start.Device = 1 },
		"a device below":      func(r *Report) { r.Start.Device = -1 },
		"no streams":          func(r *Report) { r.Files[0].Streams = []string{} },
		"another snapshot":    func(r *Report) { r.Files[0].Snapshot = "snapshot-1" },
	} {
		r := model()
		if spoil(r); checkModel(r) == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func lengthen(list *[]Hue) { *list = append(*list, (*list)[0]) }
