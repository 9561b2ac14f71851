package job

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/memviz-go/memviz/pkg/analysis/families"
	"github.com/memviz-go/memviz/pkg/answer/ranks"
	"github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/report/recording"
	"github.com/memviz-go/memviz/pkg/units"
)

// pageModel is what a job page gets as JSON. Everything else is in the payloads of the
// jobs.
type pageModel struct {
	Schema   string        `json:"schema"`
	Program  string        `json:"program"`
	Families []familyModel `json:"families"` // by families.Family
	Jobs     []*jobModel   `json:"jobs"`
}

type familyModel struct {
	Place int    `json:"place"` // in the pile, from below
	Label string `json:"label"`
	Light string `json:"light"`
	Dark  string `json:"dark"`
}

// jobModel is one job. Ranks are indices in ranksModel.Ranks throughout.
type jobModel struct {
	ranks.JobWords
	Count int `json:"count"` // of ranks

	MedianPeak     int64    `json:"median_peak"`
	MedianReserved int64    `json:"median_reserved"`
	Stretches      []string `json:"stretches"`       // names of the steps, and of what follows the last
	Steps          int      `json:"steps"`           // how many of the stretches are steps that ended
	PerStretch     int      `json:"per_stretch"`     // columns
	FewPerStretch  int      `json:"few_per_stretch"` // columns of the curves of families; 0 where they are left out
	Unit           int64    `json:"unit"`            // bytes of one unit of the curves
	HasTime        bool     `json:"has_time"`

	data ranksModel
}

// ranksModel is what the payload of a job holds as JSON.
type ranksModel struct {
	Ranks  []*rankModel  `json:"ranks"`
	Groups []*groupModel `json:"groups"`
	Sites  [][2]string   `json:"sites"` // function, and file with line
}

type groupModel struct {
	Name   string `json:"name"`
	Ranks  int    `json:"ranks"`
	Median int64  `json:"median"` // of the peaks
	Limit  int64  `json:"limit"`  // how far from it a rank of the group may be
	// By column, in units: the median, and what holds most ranks. -1 where nothing is known.
	Middle []int16 `json:"middle"`
	Low    []int16 `json:"low"`
	High   []int16 `json:"high"`
}

type rankModel struct {
	Name     string     `json:"name"` // "37", "3 cuda:1"
	Label    string     `json:"label,omitempty"`
	Host     string     `json:"host,omitempty"`
	File     string     `json:"file"`
	Report   string     `json:"report,omitempty"`
	Error    string     `json:"error,omitempty"`
	Group    int        `json:"group"` // or -1
	Peak     int64      `json:"peak"`
	Reserved int64      `json:"reserved"`
	End      int64      `json:"end"` // after the last step; -1 where that is not known
	Steps    int        `json:"steps"`
	Growth   int64      `json:"growth"` // of the highest of its steps, a step
	AddsUp   bool       `json:"adds_up"`
	Families [][2]int64 `json:"families"` // at the peak: family, bytes
	// Sites are the call sites that are further than siteDifference from the median of the
	// group: index in ranksModel.Sites, bytes, median. The furthest come first. Of a rank
	// without a group they are the largest, with a median of -1.
	Sites  [][3]int64 `json:"sites"`
	Within int        `json:"within"` // other sites, that hold what the group holds
	Beyond int        `json:"beyond"` // other sites, that do not
	// Times of the stretches in milliseconds from the first event of the job: begin and end;
	// null where they are not known.
	Times [][2]int64 `json:"times,omitempty"`
}

const (
	schema = "memviz.job/1"
	// siteDifference is, in bytes, from where on a call site is listed.
	siteDifference = 1 << 20
	// mostSites are listed of a rank, in jobs of up to manyRanks ranks; then fewer, so that
	// the page stays small.
	mostSites, fewSites = 14, 6
	manyRanks           = 1100
)

// pileOrder is how families lie over one another in the pile of a rank: what stays from
// step to step below what comes and goes.
var pileOrder = []families.Family{families.Parameter, families.ParameterOrGradient, families.ParameterOrOptimizer,
	families.Resident, families.Optimizer, families.Gradient, families.Activation, families.Temporary, families.Input,
	families.Output, families.Cache, families.Communication, families.Workspace, families.Unknown}

func newPageModel(program string, jobs []*job.Job) *pageModel {
	r := &pageModel{Schema: schema, Program: program}
	r.Families = make([]familyModel, families.Count)
	for _, entry := range recording.Legend {
		light, dark := recording.HueColors(entry.Hue)
		r.Families[entry.Family] = familyModel{slices.Index(pileOrder, entry.Family), entry.Family.Label(), light,
			dark}
	}
	for _, j := range jobs {
		r.Jobs = append(r.Jobs, newJobModel(j, jobs))
	}
	return r
}

func newJobModel(j *job.Job, all []*job.Job) *jobModel {
	v := &jobModel{Count: len(j.Ranks)}
	v.data.Sites, v.data.Groups = [][2]string{}, []*groupModel{}
	var named []string
	for i := range j.Ranks {
		v.data.Ranks = append(v.data.Ranks, newRankModel(j, i))
		named = append(named, v.data.Ranks[i].Name)
	}
	v.JobWords = ranks.NewJobWords(j, named, all)
	for i := range j.Groups {
		g := &j.Groups[i]
		v.data.Groups = append(v.data.Groups, &groupModel{Name: units.Printable(g.Name), Ranks: len(g.Ranks),
			Median: g.PeakBytes,
			Limit:  g.Totals[job.AtPeak].Limit})
	}
	var peaks, reserved []int64
	for i := range j.Ranks {
		if job.Comparable(&j.Ranks[i]) {
			peaks, reserved = append(peaks, j.Ranks[i].PeakBytes), append(reserved, j.Ranks[i].ReservedPeakBytes)
		}
	}
	v.MedianPeak, v.MedianReserved = job.SpreadOf(peaks, 0).Median, job.SpreadOf(reserved, 0).Median
	v.compareSites(j)
	return v
}

func newRankModel(j *job.Job, i int) *rankModel {
	d := &j.Ranks[i]
	r := &rankModel{
		Name: rankName(j, i), Host: units.Printable(d.File.Host), File: units.Printable(d.File.Name),
		Report: d.File.Report,
		Error:  units.Printable(d.Error), Group: -1, Peak: d.PeakBytes, Reserved: d.ReservedPeakBytes, End: -1,
		Steps: d.StepsSeen, AddsUp: d.AddsUp, Families: [][2]int64{}, Sites: [][3]int64{},
	}
	if !job.IsRelativeLink(r.Report) {
		r.Report = ""
	}
	if label := units.Printable(d.Name.Label); label != strconv.Itoa(d.Name.Rank) {
		r.Label = label
	}
	if i < len(j.GroupOf) {
		r.Group = j.GroupOf[i]
	}
	if d.StepEnd != nil {
		r.End = d.StepEndBytes
	}
	if n := len(d.Steps); n > 2 {
		r.Growth = (d.Steps[n-1].PeakBytes - d.Steps[0].PeakBytes) / int64(n-1)
	}
	for f, bytes := range d.PeakFamilies {
		if f < families.Count && bytes > 0 {
			r.Families = append(r.Families, [2]int64{int64(f), bytes})
		}
	}
	return r
}

// rankName names a rank among the others of its job.
func rankName(j *job.Job, i int) string {
	d := &j.Ranks[i]
	name := strconv.Itoa(d.Name.Rank)
	for _, k := range []int{i - 1, i + 1} {
		if k < 0 || k >= len(j.Ranks) || j.Ranks[k].Name.Rank != d.Name.Rank {
			continue
		}
		if other := &j.Ranks[k]; other.Device != d.Device {
			return name + " " + d.DeviceLabel()
		}
		return name + " " + units.Printable(d.File.Name)
	}
	return name
}

// siteDistance is what a rank holds at a site, beside the median of its group.
type siteDistance struct {
	site          int
	bytes, median int64
}

func (s *siteDistance) apart() int64 { return max(s.bytes-s.median, s.median-s.bytes) }

// compareSites finds, for each rank, the call sites where it is furthest from its group.
func (v *jobModel) compareSites(j *job.Job) {
	perRank := make([][]siteDistance, len(j.Ranks))
	within := make([]int, len(j.Ranks))
	cells := make([][]job.Cell, len(j.Groups)) // of one site, by group
	var values []int64
	for s := range j.Sites {
		for g := range cells {
			cells[g] = cells[g][:0]
		}
		for _, cell := range j.Sites[s].Cells {
			if g := j.GroupOf[cell.Rank]; g != job.NoGroup {
				cells[g] = append(cells[g], cell)
			} else if bytes := max(cell.Bytes[job.InSteps], cell.Bytes[job.AtPeak]); bytes >= siteDifference {
				perRank[cell.Rank] = append(perRank[cell.Rank], siteDistance{s, bytes, -1})
			}
		}
		for g := range cells {
			var medians [job.Moments]int64
			isUsual := 2*len(cells[g]) >= len(j.Groups[g].Ranks) // else the median is 0
			for when := range medians {
				if !isUsual {
					break
				}
				values = values[:0]
				for _, cell := range cells[g] {
					values = append(values, cell.Bytes[when])
				}
				for range len(j.Groups[g].Ranks) - len(cells[g]) {
					values = append(values, 0)
				}
				medians[when] = job.SpreadOf(values, 0).Median
			}
			add := func(rank int, cell *job.Cell) {
				if d := furthest(&j.Ranks[rank], s, cell, &medians); d.apart() >= siteDifference {
					perRank[rank] = append(perRank[rank], d)
				} else {
					within[rank]++
				}
			}
			for k := range cells[g] {
				add(int(cells[g][k].Rank), &cells[g][k])
			}
			if !isUsual {
				continue
			}
			k := 0
			for _, rank := range j.Groups[g].Ranks { // those that do not run it
				if k < len(cells[g]) && int(cells[g][k].Rank) == rank {
					k++
				} else {
					add(rank, &job.Cell{})
				}
			}
		}
	}
	most := mostSites
	if len(j.Ranks) > manyRanks {
		most = fewSites
	}
	index := map[int]int64{} // in data.Sites
	for i, list := range perRank {
		slices.SortStableFunc(list, func(a, b siteDistance) int { return cmp.Compare(b.apart(), a.apart()) })
		r := v.data.Ranks[i]
		r.Within, r.Beyond = within[i], max(0, len(list)-most)
		for _, d := range list[:min(most, len(list))] {
			at, known := index[d.site]
			if !known {
				at = int64(len(v.data.Sites))
				index[d.site] = at
				function, where := ranks.SiteWords(j.Sites[d.site].Site.Site)
				v.data.Sites = append(v.data.Sites, [2]string{function, where})
			}
			r.Sites = append(r.Sites, [3]int64{at, d.bytes, d.median})
		}
	}
}

// furthest is what a rank holds at a site at the moment when it is furthest from its
// group.
func furthest(d *job.Digest, site int, cell *job.Cell, medians *[job.Moments]int64) siteDistance {
	moments := []job.When{job.AtPeak}
	if len(d.Steps) > 0 {
		moments = []job.When{job.AfterSteps, job.InSteps}
	}
	var far siteDistance
	for _, when := range moments {
		if when == job.AfterSteps && d.StepEnd == nil {
			continue
		}
		if s := (siteDistance{site, cell.Bytes[when], medians[when]}); s.apart() >= far.apart() {
			far = s
		}
	}
	return far
}
