package answer

import (
	"fmt"

	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/units"
)

// adviceSentence says what to change, and what is known of its effect.
func adviceSentence(a oom.Advice) string {
	bytes := units.NoBreak(units.Bytes(a.Bytes))
	switch a.Kind {
	case oom.AdviseExpandable:
		if a.Fits {
			return "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True: the request would have fitted."
		}
		return "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True lets free pages go where they are needed."
	case oom.AdviseMaxSplit:
		return fmt.Sprintf("PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:%d keeps large blocks whole for large "+
			"requests; where large sizes vary it can raise the peak.",
			a.Bytes/units.MiB)
	case oom.AdviseLessRounding:
		return "A smaller roundup_power2_divisions, or none: rounding costs " + bytes + "."
	case oom.AdviseFraction:
		return "Look for a limit such as torch.cuda.set_per_process_memory_fraction; the file does not record it."
	case oom.AdviseStream:
		if a.Fits {
			return "Make the large tensors on one stream: a free piece of another stream or pool was large enough."
		}
		return "Make the large tensors on one stream: " + bytes + " are cached for others."
	case oom.AdviseOutside:
		return "Look at what else uses the device (nvidia-smi): " + bytes + " are outside PyTorch's allocator."
	case oom.AdviseLess:
		return "Have less memory live at a time, by " + bytes +
			" or more: no setting of the allocator would have avoided this failure."
	case oom.AdviseThresholdIdle:
		return "garbage_collection_threshold does nothing before torch.cuda.set_per_process_memory_fraction is called."
	case oom.AdviseThreshold:
		return "garbage_collection_threshold, together with set_per_process_memory_fraction, would give back up to " +
			bytes + " of idle memory before more is asked for."
	}
	return a.Kind.Key()
}
