package families_test

import (
	"math"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/testsnap/recorded"
)

// TestRecordings compares whole recordings with what is known of the programs
// that made them: their phases, and the MiB of each family at the peak.
func TestRecordings(t *testing.T) {
	tests := []struct {
		file, phases string
		peak         map[families.Family]float64
	}{
		// AdamW that replaces its moments each step; fp32 parameters of 1,614 MiB.
		{"train_medium_annotated_torch210.pickle", "FBO", map[families.Family]float64{
			families.Parameter: 1614.3, families.Optimizer: 3306.8, families.Gradient: 1614.3,
			families.Temporary: 117.2, families.Output: 19.5, families.Resident: 16.3,
		}},
		// zero_grad keeps the gradients, so they look like the parameters: 726.5 MiB of each.
		{"train_annotated_torch210.pickle", "FBO", map[families.Family]float64{
			families.ParameterOrGradient: 1453.1, families.Optimizer: 1747.6,
			families.Temporary: 441.7, families.Output: 12.3, families.Resident: 16.3,
		}},
		// Forward passes without gradients, whatever the file is called.
		{
			"train_small_torch210.pickle",
			"F",
			map[families.Family]float64{families.Resident: 490.8, families.Temporary: 228.3, families.Workspace: 8.1},
		},
		{
			"forward_fp32_torch25.pickle",
			"F",
			map[families.Family]float64{families.Resident: 499.5, families.Temporary: 31.5},
		},
		// One forward pass with gradients after a training step that only the final blocks know.
		{"forward_growing_torch25.pickle", "F", map[families.Family]float64{
			families.Parameter: 7622.7, families.Optimizer: 15245.3, families.Gradient: 7622.7,
			families.Activation: 11195.1, families.Workspace: 16.3,
			families.Unknown: 19.5, families.Temporary: 6.2,
		}},
		// Python frames alone: backward is what has no stack.
		{"inference_torch210.pickle", "FB", map[families.Family]float64{
			families.Activation: 11343.6, families.Resident: 997.8, families.Temporary: 625.1, families.Output: 312.5,
		}},
		{"legacy_history_torch20.pickle", "", map[families.Family]float64{families.Parameter: 11291.7}},
		{
			"one_event_torch23.pickle",
			"",
			map[families.Family]float64{families.Resident: 12852.7, families.Cache: 2760.4, families.Workspace: 8.1},
		},
		{
			"state_only_torch21.pickle",
			"",
			map[families.Family]float64{families.Resident: 8118.9, families.Workspace: 8.1},
		},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			r := recorded.File(t, test.file)
			d, f := r.Device, r.Families()
			if got := r.Phases().String(); got != test.phases {
				t.Errorf("phases %q, want %q", got, test.phases)
			}
			bytes := f.BytesIn(d, d.Totals.PeakState)
			var total int64
			for family, b := range bytes {
				total += b
				if got, want := float64(b)/(1<<20), test.peak[families.Family(family)]; math.Abs(got-want) > 0.1 {
					t.Errorf("%.1f MiB of %s at the peak, want %.1f", got, families.Family(family).Key(), want)
				}
			}
			if total != d.Totals.PeakBytes {
				t.Errorf("families sum to %d bytes, the peak is %d", total, d.Totals.PeakBytes)
			}
			if unknown := float64(bytes[families.Unknown]) / float64(total); unknown >= 0.01 {
				t.Errorf("%.1f %% of the peak is unknown", 100*unknown)
			}
		})
	}
}

// TestPythonFramesSuffice cuts recorded stacks down to their Python frames, as
// stacks="python" would have recorded them: a training step must keep the
// families of nearly all its bytes.
func TestPythonFramesSuffice(t *testing.T) {
	for _, file := range []string{"train_medium_annotated_torch210.pickle", "train_annotated_torch210.pickle"} {
		t.Run(file, func(t *testing.T) {
			r := recorded.File(t, file)
			cut := recorded.PythonOnly(r)
			d, all, few := r.Device, r.Families(), cut.Families()
			if got, want := cut.Phases().String(), r.Phases().String(); got != want {
				t.Errorf("phases %q, with all frames %q", got, want)
			}
			var same, total int64
			for i := range d.Allocations {
				total += d.Allocations[i].Size
				if few.Family(i) == all.Family(i) {
					same += d.Allocations[i].Size
				}
			}
			if share := float64(same) / float64(total); share < 0.999 {
				t.Errorf("%.2f %% of the bytes keep their family", 100*share)
			}
		})
	}
}
