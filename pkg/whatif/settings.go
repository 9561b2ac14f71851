package whatif

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/allocator"
)

// Setting is a value of PYTORCH_CUDA_ALLOC_CONF, as text and parsed.
type Setting struct {
	Conf     string // without spaces; "" for the defaults
	Settings allocator.Settings
}

// Parse reads a value of the variable. The error comes from [allocator.ParseSettings], or
// means that the memory limit cannot be given this way.
func Parse(conf string) (Setting, error) {
	s, err := allocator.ParseSettings(conf)
	if err == nil && allocator.Option(conf, allocator.OptionFraction) != "" {
		err = fmt.Errorf("option %s: give the bytes that PyTorch may have instead", allocator.OptionFraction)
	}
	return Setting{Conf: strings.ReplaceAll(conf, " ", ""), Settings: s}, err
}

// usualSettings are worth trying for any program: each option by itself, and
// combinations of options that act on different causes. Expandable segments come
// without max_split_size_mb and garbage_collection_threshold, which ignore them.
var usualSettings = []string{
	"",
	"expandable_segments:True",
	"max_split_size_mb:128",
	"max_split_size_mb:256",
	"max_split_size_mb:512",
	"garbage_collection_threshold:0.8",
	"roundup_power2_divisions:4",
	"roundup_power2_divisions:8",
	"expandable_segments:True,roundup_power2_divisions:8",
	"max_split_size_mb:256,garbage_collection_threshold:0.8",
	"max_split_size_mb:256,roundup_power2_divisions:8",
}

// fewSettings are the defaults, and the settings that reduce fragmentation most often.
var fewSettings = []string{"", "expandable_segments:True", "max_split_size_mb:128", "max_split_size_mb:512"}

// usual returns usualSettings without the run's own setting.
func (run *Run) usual() []Setting { return run.others(usualSettings) }

// Few returns the defaults and the settings that reduce fragmentation most often, without the
// run's own.
func (run *Run) Few() []Setting { return run.others(fewSettings) }

func (run *Run) others(confs []string) (list []Setting) {
	for _, conf := range confs {
		s, err := Parse(conf)
		s.Settings.Build = run.settings.Build
		if s.Settings.Expandable && run.settings.ExpandableIgnored {
			continue
		}
		if err == nil && s.Settings != run.settings.Settings {
			list = append(list, s)
		}
	}
	return list
}

// Recorded returns the recorded setting: with the text in the file, or an equivalent one.
func (run *Run) Recorded() Setting {
	s := Setting{Settings: run.settings.Settings}
	if asked, err := Parse(run.settings.Conf); err == nil {
		if asked.Settings.Build = s.Settings.Build; asked.Settings == s.Settings {
			s.Conf = asked.Conf
			return s
		}
	}
	s.Conf = formatSettings(&s.Settings)
	return s
}

// formatSettings returns a value of the variable that gives these settings.
func formatSettings(s *allocator.Settings) string {
	var options []string
	add := func(name, value string) { options = append(options, name+":"+value) }
	mib := func(bytes int64) string { return strconv.FormatInt(bytes>>20, 10) }
	if s.Expandable {
		add("expandable_segments", "True")
	}
	if s.MaxSplitSize > 0 {
		add("max_split_size_mb", mib(s.MaxSplitSize))
	}
	if s.MaxNonSplitRounding > 0 {
		add("max_non_split_rounding_mb", mib(s.MaxNonSplitRounding))
	}
	if s.GCThreshold > 0 {
		add("garbage_collection_threshold", strconv.FormatFloat(s.GCThreshold, 'g', -1, 64))
	}
	if divisions := s.RoundUpPower2Divisions[:]; slices.Max(divisions) > 0 {
		add("roundup_power2_divisions", formatDivisions(divisions))
	}
	if s.LargeSegmentSize > 0 {
		add("large_segment_size_mb", mib(s.LargeSegmentSize))
	}
	if s.SegmentReserve > 0 {
		add(allocator.OptionReserve, strconv.FormatFloat(float64(s.SegmentReserve)/(1<<30), 'g', -1, 64)+"G")
	}
	if s.RejectAtLimit {
		add("throw_on_cudamalloc_oom", "True")
	}
	return strings.Join(options, ",")
}

// formatDivisions returns one number if all are the same, otherwise a list.
func formatDivisions(divisions []int64) string {
	first := strconv.FormatInt(divisions[0], 10)
	if slices.Min(divisions) == slices.Max(divisions) {
		return first
	}
	items := make([]string, len(divisions))
	for i, n := range divisions {
		items[i] = strconv.Itoa(1<<i) + ":" + strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(items, ",") + "]"
}
