package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memviz-go/memviz/pkg/units"
)

// nameRule names the numbers of a sentence. In its text {name} is a number, [$state]
// within a name is what {@state} or <site> stands for, and {} is a number that is
// nothing but part of the sentence. The rest is a regular expression, and each space
// any number of them.
type nameRule struct {
	text  string
	rare  bool // no story and no recording that tests have makes memviz say so
	names []string
	re    *regexp.Regexp
}

const amounts = `[-+−±<]?(\d+(?:,\d{3})*(?:\.\d+)?(?: (?:B|KiB|MiB|GiB|TiB|%))?)`

func like(text string) nameRule {
	r := nameRule{text: text}
	pattern := regexp.MustCompile(`\{[^}]*\}|<\w+>`).ReplaceAllStringFunc(text, func(hole string) string {
		r.names = append(r.names, hole[1:len(hole)-1])
		if hole[0] == '<' {
			r.names[len(r.names)-1] = "@" + r.names[len(r.names)-1]
			return `(.+?)`
		}
		return amounts
	})
	r.re = regexp.MustCompile(strings.ReplaceAll(pattern, " ", " +"))
	return r
}

func rarely(text string) nameRule {
	r := like(text)
	r.rare = true
	return r
}

// things are the words for steps.
const things = `(?:steps?|iterations?|backward calls?|windows?|forward passe?s?|micro-steps?)`

// names are tried on every line, each wherever it fits.
var names = []nameRule{
	// stats
	like(`peak {peak_bytes}, reserved {reserved_peak_bytes}, end {final_bytes}, {events} events?, `),
	like(`events?, {oom_events} OOMs?, `),
	like(`^active {baseline_bytes} {peak_bytes} {final_bytes} highest in state {peak_state}$`),
	like(`^reserved {reserved_baseline_bytes} {reserved_peak_bytes} {reserved_final_bytes} ` +
		`{segments} segments? at the end`),
	like(`^events {events}\b`),
	like(`^allocations {allocations} {pre_existing} from before the recording, {live_at_end} live at its end$`),
	like(`^ooms {oom_events} `),
	like(`^retries {number of retries} `),
	like(`^cached {at_reserved_peak.cached_bytes} {at_end.cached_bytes} {at_end.returnable_bytes} returnable at end$`),
	like(`^fragmentation {at_reserved_peak.fragmentation_bytes} {at_end.fragmentation_bytes} `),
	like(`^requested bytes {final_bytes} {live_block_requested_bytes} `),
	like(`^live blocks {live_at_end} `),
	like(`Near out of memory, {number of retries} times: .* The most was {retries[$state].flushed_bytes} in ` +
		`{retries[$state].segments} segments?, in state {@state}`),
	like(`less than {least margin} was left at the tightest`),
	rarely(`, in state {@state}.*; less than {retries[$state].margin_bytes} was left then`),
	rarely(`Near out of memory: .* gave back {retries[$state].flushed_bytes} in ` +
		`{retries[$state].segments} segments? of its cache to serve it, in state {@state}`),
	like(`Alive at the peak and not needed there: {avoidable[$remedy].bytes} in {avoidable[$remedy].allocations} ` +
		`tensors?(?:[^.]|\.\S)*\. To avoid it, <remedy>; the peak would be {avoidable[$remedy].peak_bytes}\.`),
	like(`; {avoidable} avoidable$`),
	rarely(`With all of this together the peak would be {avoidable_peak_bytes}`),
	rarely(`A first step: the next ones hold {first_step_bytes} of`),
	rarely(`the pass peaks at about {next_step_peak_bytes}, or more`),
	like(`{anomalies.active_above_reserved} states? have more memory active than reserved`),
	like(`{anomalies.outside_segments} allocations? lies? outside every segment`),
	like(`{anomalies.uneven_segments} segments? contradicts? their blocks`),
	rarely(`The last {events} events were recorded`),

	// leaks
	like(`cannot be judged from {steps} ` + things),
	like(`no growth of a call site seen in {steps} ` + things),
	like(`^{steps} ` + things + `, (?:named|found)`),
	like(`, {skipped_steps} of them skipped by`),
	like(`active memory changes by {growth.bytes} since ` + things + ` {}, {growth.bytes_per_step} each `),
	like(`active memory does not change since ` + things + ` {}\.`),
	like(`Not counted: {kept_once.bytes} allocated in one .* at {kept_once.sites} sites?:`),
	rarely(`Not counted: {filled.bytes} allocated in several .* no more since ` + things +
		` {}, at {filled.sites} sites?:`),
	like(`Not counted: {preexisting_bytes} from before the recording`),
	like(`keeps growing, at {strong suspects} places?`),
	rarely(`may keep growing, at {number of suspects} places?`),
	like(`Memory allocated at <site> grows by {suspects[$site].bytes_per_step} each ` + things + `, to ` +
		`{suspects[$site].bytes_live} now`),
	like(`is kept: {number of suspects[$site].sites} sites? hold {suspects[$site].bytes_per_step} more each ` + things +
		`, {suspects[$site].bytes_live} now, and nothing of it is freed\. Allocated at <site>\.$`),
	like(`A cache that holds more than {steps} ` + things + ` of entries`),
	like(`A key-value cache grows at <site> by {caches[$site].bytes_per_step} each `),
	like(`and {} more (?:rows|sites)`),
	like(`reference cycles at {number of cycles.sites} places?`),
	like(`{cycles.bytes} in {cycles.allocations} tensors from `),
	like(`[Rr]ecord {} (?:steps )?or more`),
	rarely(`(?:grows|rises) by {unexplained.bytes} ± {unexplained.spread}`),
	like(`would not be seen under {unexplained.least} each `),

	// inspect
	like(`{inspect.pseudonyms} pseudonyms? and {inspect.public} public names? do not reveal`),
	like(`^{} kB, written by memviz`),
	like(`^names {inspect.names} `),
	like(`^times {inspect.times}$`),

	// oom
	like(`^Out of memory: {ooms[$state].requested_bytes} requested in state {@state}, ` +
		`{ooms[$state].device_free_bytes} free on the device, {ooms[$state].free_bytes} free in the cache; ` +
		`{in use[$state]} of the {visible[$state]} visible to PyTorch was in use, ` +
		`most by <site>: {ooms[$state].holders[0].bytes}\.`),
	like(`Out of memory: {ooms[$state].requested_bytes} requested in state {@state} while ` +
		`{ooms[$state].device_free_bytes} (?:was|were) free on the device`),
	like(`Out of memory: {} requested in state {@state}.*only in pieces ` +
		`\({ooms[$state].largest_free_block_bytes} at most in the cache\), and ` +
		`{in use of reserved[$state]} of what is`),
	like(`Out of memory: {} requested in state {@state}.* call site: {} times the largest of the ` +
		`{ooms[$state].earlier_requests} before it, {ooms[$state].largest_earlier_bytes}\.`),
	rarely(`First the leak: memory grows by {strong per step} each ` + things + `, at {strong suspects} places?`),
	rarely(`buys about {} more ` + things),
	like(`PyTorch saw {visible[last]}\. If this is a {} GiB card, about {} is used outside`),
	like(`^in use {ooms[last].live_requested_bytes} {in use of reserved[last]} of reserved`),
	like(`^requested {ooms[last].requested_bytes} a new segment for it takes {ooms[last].needed_bytes}$`),
	like(`^free on the device {ooms[last].device_free_bytes}$`),
	like(`^free where it counts {ooms[last].free_bytes} largest piece {ooms[last].largest_free_block_bytes}$`),

	// whatif, and what the others take from it
	like(`model (?:reproduces|gives) {proof.addresses} of {proof.addresses_of} address`),
	like(`addresses and all {proof.driver_calls} driver calls? of`),
	like(`Predicted under <setting>: {settings[$setting].reserved_peak_bytes} reserved at the peak, instead of ` +
		`{reference.reserved_peak_bytes}`),
	like(`Predicted under <setting>: every recorded request would have been served, with ` +
		`{settings[$setting].reserved_peak_bytes} reserved at the peak`),
	like(`its rows assume the recorded peak of {recorded_reserved_peak_bytes} and`),
	like(`From before the recording there were {pre_existing} allocations? with {}, and {} of cached memory`),
	like(`recorded setting peaks at {reference.reserved_peak_bytes} instead of ` +
		`{recorded_reserved_peak_bytes}: expect errors of {}`),
	like(`recorded setting peaks at {reference.reserved_peak_bytes}, as it was recorded`),
	like(`empty_cache is called where the recording has it, {} times?`),
	like(`served every request within {limit_bytes}: live and requested`),
	like(`^Memory: {limit_bytes}, which the failed request shows`),
	like(`^Memory: {limit_bytes}, which PyTorch had; it was refused {}\.`),

	like(
		`Predicted with .*: {} active at the peak(?: in the next step)?, instead of {measures_base.active_peak_bytes}(?:\.|, and)`),
	like(
		`^(?:Enough|Perhaps enough) for {limit_bytes}: .*Predicted: {measures_together.active_peak_bytes} active and ` +
			`about {measures_together.reserved_peak_bytes} reserved\.$`),
	rarely(`^All of these together are not enough for {limit_bytes}\.$`),
	like(`each of {} calls? at`),
	like(`over {measures_base.gpus} GPUs`),
	like(`of {measures_base.gpus} GPUs,`),
	like(`{measures_base.gpus} GPUs are assumed`),
	like(`(?:loss|part) in {}\b`),
	like(`\b{}-bit optimizer`),
	like(`elements of {} bytes now\. Tensors of it of {} or more then take a quarter, and {}/{} for scales`),
	like(`Reserved memory is predicted within about {}:`),

	// top, segments, diff
	like(`holds {peak_bytes} at the peak, in state {peak_state},? in {top.allocations} allocations?$`),
	like(`holds {final_bytes} at the end, in {top.allocations} allocations?$`),
	like(`Change is since the peak before, in state {top.before_state},? with {top.before_bytes}\.`),
	like(`cuda:\d+ {} segments with {reserved_at_peak_bytes} at the peak, in state {peak_state}$`),
	like(`cuda:\d+ {} segments with {reserved_final_bytes} at the end$`),
	like(`; {} is the default\.`),
	like(
		`^{nearly_idle.allocations} tensors? with {nearly_idle.active_bytes} keeps? {nearly_idle.stuck_bytes}: without ` +
			`(?:it|them) {} could be returned\.$`),
	like(`active {},? reserved {},? from FILE to FILE$`),
	like(`^Is the peak higher or lower\? {}: {peak_bytes}(?:;|\.$)`),
	like(
		`^Did the cache change\? {} reserved: {reserved_peak_bytes}; not in use then {at_reserved_peak.cached_bytes}\. ` +
			`Fragmentation at the peaks of reserved memory: {at_reserved_peak.fragmentation_bytes}\.$`),
	like(`lines? in both; {diff.lines.only_before} only before, {diff.lines.only_after} only after\.$`),
	like(`; {diff.lines.both} lines? in both`),
	like(`^At the peaks, in state {peak_state} before and {peak_state} after: {peak_bytes} active in ` +
		`{top.allocations} tensors?\.$`),
	like(`^At the end: {peak_bytes} active in {top.allocations} tensors?\.$`), // neither has events
	like(`^±0 {} {} [A-Z][a-zA-Z- ]+$`),

	// events, ranks
	like(`events {} to {} of {events}$`),
	like(`^{} ranks: median peak {peak_bytes}, median reserved {reserved_peak_bytes}`),
	like(`^{} ranks, none of which can be compared$`),
	like(`^Rank {} has no history \(.*\), so its peak is not known`),
	like(`^Rank {} does not add up \(.*\): its numbers cannot be trusted`),
	like(`^{} ranks show no steps, so`),
	like(`^Memory from <site> grows by {} a step on all {} ranks, most on rank {}, in {} steps[.;]`),
	like(`^Rank {} ran out of memory in step {}(?:, {} µs later)?: {ooms[first].requested_bytes} was requested, ` +
		`{ooms[first].device_free_bytes} was free on the device\.`),
	like(`Which of {} was the first is not known: {} µs lies between them`),
	rarely(`cuda:\d+ {events} events?$`),

	// page
	like(`^What is in memory at the peak\? {peak_bytes} in state {peak_state}:`),
	like(`^What is in memory at the peak\? {peak_bytes} final state:`),
	like(`(?:: |, )[a-zA-Z- ]+ {} %`),
	like(`^What keeps growing\? {growth.bytes} since ` + things + ` {}:`),
	like(`^What keeps growing\? {growth.whole} first to last event:`),
	like(` keeps {suspects[first].bytes_per_step} more each ` + things),
	like(`^What keeps growing\? .* first to last event: .* keeps {}$`),
	like(`^Who allocated it\? No stacks recorded : {} of {top.allocations} tensors? carr`),
	like(`^Who allocated it\? .* largest site(?: at the peak)?: {top.named.bytes}, {}, ` +
		`{top.named.allocations} tensors?$`),
	like(`^What happened at the OOM\? No .*: {unrequested_at_peak} reserved but not requested at the peak$`),
	like(`^What happened at the OOM\? Asked {ooms[last].requested_bytes} {ooms[last].device_free_bytes} ` +
		`free on the device: {in use[last]} of {visible[last]} in use, {ooms[last].free_bytes} free in the cache$`),
	like(`^What happened at the OOM\? Asked {ooms[last].requested_bytes} {ooms[last].device_free_bytes} ` +
		`free on the device: a limit refused it$`),
	like(`^failure {@state}: The device had room: `),
	like(`^failure {@state}: {in use[$state]} of the {visible[$state]} that PyTorch could use was in use`),
	like(`^failure {@state}: .*, {in use of reserved[$state]} of what it had reserved\.$`),
	like(`^retry {@state}: The driver refused {} for a request of {retries[$state].requested_bytes}\. ` +
		`PyTorch gave back {retries[$state].flushed_bytes} in {retries[$state].segments} segments? of its cache`),
	like(`^retry {@state}: .* with less than {retries[$state].margin_bytes} left\.`),
	like(`verdict: .* own list of blocks, {final_bytes} in {live_at_end} blocks?`),
	like(`^verdict: .* only the final state, {live_block_requested_bytes} in {} blocks?\.`),
	like(`{pre_existing} allocations? (?:is|are) from before the recording, with {baseline_bytes}\.`),
}

// namedNumber is a number in a sentence.
type namedNumber struct{ name, value string }

// unnamed are numbers that count nothing: of paths, lines, versions, devices and settings.
var unnamed = regexp.MustCompile(
	`/\S+/\S+|\S+:\d+:\S+|\w+\.\w+:\d+|(?:cuda|npu):\d+|torch \S+ (?:or|to) \S+|torch \S+|` +
		`\w+_\w+[:=][\w.:,=]+|[\w.]+\(.*\)|\w*[A-Za-z_]\d[\w.]*`)

// numbersIn names the numbers of a line. rest is one without a name; "" in the rows of
// tables, whose numbers are those of the JSON, and need no name.
func numbersIn(line string, used map[string]bool) (named []namedNumber, rest string) {
	line = strings.TrimSpace(line)
	open := []byte(line)
	for i := range names {
		for _, m := range names[i].re.FindAllStringSubmatchIndex(line, -1) {
			r := &names[i]
			used[r.text] = true
			given := map[string]string{}
			for j, what := range r.names {
				if key, is := strings.CutPrefix(what, "@"); is {
					given[key] = strings.ReplaceAll(line[m[2*j+2]:m[2*j+3]], ",", "")
				}
			}
			for j, what := range r.names {
				from, to := m[2*j+2], m[2*j+3]
				for k := from; k < to; k++ {
					open[k] = '_'
				}
				if what == "" || what[0] == '@' {
					continue
				}
				for key, value := range given {
					what = strings.ReplaceAll(what, "$"+key, value)
				}
				named = append(named, namedNumber{what, line[from:to]})
			}
		}
	}
	text := string(open)
	if strings.Contains(text, "  ") {
		return named, ""
	}
	return named, regexp.MustCompile(amounts).FindString(unnamed.ReplaceAllString(text, ""))
}

func (x *spoken) flag(command, key string) bool { is, _ := x.values[command][key].(bool); return is }

func (x *spoken) has(command, words string) bool {
	return slices.ContainsFunc(x.texts[command], func(line string) bool { return strings.Contains(line, words) })
}

var advised = regexp.MustCompile(`→.*?((?:expandable_segments|max_split_size_mb|roundup_power2_divisions|` +
	`garbage_collection_threshold):[\w.]+)`)

// deniedAdvice is advice of one command that another denies.
func (x *spoken) deniedAdvice() (wrong []string) {
	export, _ := x.values["whatif"]["export"].(string)
	for _, command := range []string{"stats", "oom", "page"} {
		for _, line := range x.texts[command] {
			m := advised.FindStringSubmatch(line)
			if m != nil && x.flag("whatif", "reproduced") && !strings.Contains(export, m[1]) {
				wrong = append(wrong, fmt.Sprintf("%s advises %s, whatif %q", command, m[1], export))
			}
		}
	}
	if export != "" && x.has("whatif", "would have needed noticeably less") {
		wrong = append(wrong, "whatif advises a setting and says that none would do")
	}
	failed, _ := x.values["stats"]["oom_events"].(float64)
	for command, words := range map[string]string{"oom": "no request failed", "page": "No out-of-memory event"} {
		if failed > 0 && x.has(command, words) {
			wrong = append(wrong, fmt.Sprintf("%s says %q, and %.0f requests failed", command, words, failed))
		}
	}
	suspects, _ := x.values["leaks"]["suspects"].([]any)
	if len(suspects) == 0 && x.has("oom", "First the leak") {
		wrong = append(wrong, "oom speaks of a leak, and leaks has none")
	}
	for command, words := range map[string][]string{
		"leaks": {"nothing keeps growing", "no growth of a call site"},
		"page":  {"no call site keeps more", "no growth of a call site"},
	} {
		for _, words := range words {
			if len(suspects) > 0 && x.has(command, words) {
				wrong = append(wrong, fmt.Sprintf("%s says %q, and leaks has suspects", command, words))
			}
		}
	}
	return wrong
}

// historyWords are those that only a history supports.
var historyWords = regexp.MustCompile(`no request failed|No out-of-memory event|ran out of memory|` +
	`nothing keeps growing|no growth|keeps growing(?:,|$)|✓ adds up|` +
	`would have been served|None of these settings|model reproduces`)

var denial = regexp.MustCompile(`(?i)\b(nothing|no|none|all|every)\b`)

// supported are the headlines that deny something, and when they may.
var supported = map[string]func(x *spoken) bool{
	"nothing keeps growing":                   func(x *spoken) bool { return x.stepsJudged(8) && x.stacks },
	"no call site keeps more":                 func(x *spoken) bool { return x.stepsJudged(4) && x.stacks },
	"no call site keeps growing, but each":    func(x *spoken) bool { return x.stepsJudged(4) && x.stacks },
	"no growth of a call site":                func(x *spoken) bool { return x.stepsJudged(4) },
	"no request failed while it was recorded": func(x *spoken) bool { return !x.salvaged },
	"No out-of-memory event":                  func(x *spoken) bool { return !x.salvaged },
	"nothing in the file contradicts it":      func(x *spoken) bool { return x.flag("stats", "adds_up") },
	"outside every segment":                   func(x *spoken) bool { return !x.flag("stats", "adds_up") },
	"Nothing was allocated before the recording": func(x *spoken) bool {
		return x.values["page"]["pre_existing"] == 0.0 && !x.salvaged
	},
	"and nothing in the file contradicts it": func(x *spoken) bool {
		return x.values["stats"]["adds_up"] == true
	},
	"none of which can be compared": func(x *spoken) bool {
		return x.values["stats"]["events"].(float64) <= 1 || x.salvaged
	},
	"no history":                   func(*spoken) bool { return true },
	"No stacks recorded":           func(x *spoken) bool { return true },
	"no tensor is live":            func(x *spoken) bool { return x.values["stats"]["peak_bytes"] == 0.0 },
	"and no call site explains it": func(x *spoken) bool { return x.stacks },
	"that no call site explains":   func(x *spoken) bool { return x.stacks },
	"nothing allocated here is still live": func(x *spoken) bool {
		return x.values["stats"]["final_bytes"].(float64) <= x.values["stats"]["baseline_bytes"].(float64)
	},
}

// otherMeasures are lines of the page on measures that oom, which has the same, does not say,
// or whose numbers whatif has otherwise.
func (x *spoken) otherMeasures() (wrong []string) {
	measured := map[string]object{}
	rows, _ := x.values["whatif"]["measures"].([]any)
	for _, row := range append(rows, x.values["whatif"]["measures_together"]) {
		if o, is := row.(object); is {
			measured[o["key"].(string)] = o
		}
	}
	measures, _ := x.values["page"]["measures"].(object)
	lines, _ := measures["lines"].([]any)
	ooms, _ := x.values["oom"]["ooms"].([]any)
	for _, text := range x.texts["page"] {
		if !strings.HasPrefix(text, "Predicted with ") && !strings.HasPrefix(text, "Enough for ") {
			continue
		}
		if len(ooms) > 0 && !x.has("oom", text) {
			wrong = append(wrong, "oom does not say "+text)
		}
		if len(lines) == 0 {
			return append(wrong, "the page has no measure for "+text)
		}
		o, known := measured[lines[0].(object)["key"].(string)]
		if !known || !strings.Contains(text, units.Bytes(int64(o["active_peak_bytes"].(float64)))+" active") {
			wrong = append(wrong, "whatif has no measure like "+text)
		}
		lines = lines[1:]
	}
	return wrong
}

// stepsJudged reports whether so many steps were recorded and growth could be judged.
func (x *spoken) stepsJudged(steps float64) bool {
	l := x.values["leaks"]
	return l["limit"] == "" && l["steps"].(float64) >= steps && !x.salvaged
}

// unfounded are verdicts without a history, and headlines that deny what could not
// have been seen.
func (x *spoken) unfounded() (wrong []string) {
	noHistory := x.values["stats"]["events"].(float64) <= 1
	for _, command := range slices.Sorted(maps.Keys(x.texts)) {
		for i, line := range x.texts[command] {
			if noHistory && historyWords.MatchString(line) {
				wrong = append(wrong, fmt.Sprintf("%s judges without a history: %s", command, line))
			}
			headline := i == 0 || command == "page" && strings.Contains(line, "?")
			if !headline || !denial.MatchString(strings.ReplaceAll(line, "every event is", "")) {
				continue
			}
			known := false
			for words, may := range supported {
				if strings.Contains(line, words) {
					known = true
					if !may(x) {
						wrong = append(wrong, fmt.Sprintf("%s could not have seen it: %s", command, line))
					}
				}
			}
			if !known {
				wrong = append(wrong, fmt.Sprintf("%s denies something: %q; say in supported when it may", command,
					line))
			}
		}
	}
	return wrong
}
