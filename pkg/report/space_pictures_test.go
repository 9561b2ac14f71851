package report

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// TestSpacePictures: in random views of every story and real snapshot, as recorded and as predicted, by address and
// packed, a pixel of the address space is the average of what lies in it; and in many states of each, what the page
// says is reserved, stuck and returnable is what lies there.
func TestSpacePictures(t *testing.T) {
	stories := func(t testing.TB) []string {
		paths, err := filepath.Glob(filepath.Join(testkit.Root(t), "examples", "*", "*.p*[tz]"))
		if err != nil || len(paths) < 25 {
			t.Fatalf("%d example files, want 25 or more (%v)", len(paths), err)
		}
		return paths
	}
	for name, paths := range map[string]func(testing.TB) []string{"stories": stories, "corpus": testkit.Corpus} {
		t.Run(name, func(t *testing.T) {
			list := spacesOf(t, paths(t))
			predicted, pixels, states := 0, 0, 0
			for _, got := range decodedByViewer(t, list, "pictures") {
				if got.Error != "" || got.Off > 1 {
					t.Errorf("%s: a channel of a pixel is off by %g of 255; %s", got.ID, got.Off, got.Error)
				}
				pixels += got.Pixels
				states += got.States
			}
			for _, asked := range list {
				if asked.Payloads["predicted"] != "" {
					predicted++
				}
			}
			t.Logf("%d address spaces, %d of them predicted: %d pixels, %d states", len(list), predicted, pixels,
				states)
			if pixels < 2000*len(list) || states < 5*len(list) || name == "stories" && predicted == 0 {
				t.Error("that is too little")
			}
		})
	}
}

// spacesOf are the address spaces of files, as recorded and as predicted.
func spacesOf(t *testing.T, paths []string) []viewerSpace {
	t.Helper()
	var list []viewerSpace
	for _, path := range paths {
		s, err := snapshot.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		page := encoded(t, []answer.Input{answer.NewInput(path, s)})
		for i := range page.report.Files[0].Devices {
			view := &page.report.Files[0].Devices[i]
			if view.Space == nil {
				continue
			}
			id := fmt.Sprintf("%s/%s, device %d", filepath.Base(filepath.Dir(path)), filepath.Base(path), i)
			device := page.payloads[view.Payload]
			list = append(list, newViewerSpace(id, view, map[string][]byte{"device": device,
				"space": page.payloads[view.Space.Payload], "addresses": page.payloads[view.Space.Addresses]}))
			if view.HasPredictedSpace() {
				list = append(list, newViewerSpace(id+", predicted", view, map[string][]byte{"device": device,
					"predicted": page.payloads[view.Predicted.Space.Payload]}))
			}
		}
	}
	return list
}
