package report

// TextKind is what a text in a report is.
type TextKind uint8

const (
	TextFile       TextKind = iota // the name of a snapshot
	TextFunction                   // of a stack, with its file
	TextAnnotation                 // a range
	TextOperator                   // such as aten::mm
	TextNote                       // metadata, compile context, an annotation as recorded, an unknown key
	TextSetting                    // of the allocator, with its key
	TextModel                      // in the report's JSON: answers, warnings, rules
	TextMarkup                     // in the HTML, outside of scripts and styles
)

// Text is a text in a report that was read.
type Text struct {
	Kind TextKind
	Text string
	File string // of a function
	Key  string // of a setting
}

// Texts yields every text that a report holds, some more than once. It is for
// reports that were read.
func (d *Document) Texts(yield func(Text)) {
	for i, f := range d.files {
		yield(Text{Kind: TextFile, Text: d.report.Files[i].Name})
		f.saved.yield(yield, f.yieldSettings(yield))
		for _, name := range f.laneNames {
			yield(Text{Kind: TextAnnotation, Text: name})
		}
	}
	d.report.texts(yield)
	for _, text := range d.markup.texts {
		yield(Text{Kind: TextMarkup, Text: text})
	}
}

// yieldSettings gives the settings of the allocator, and what is memviz's own
// words among the texts. It reports which texts those are.
func (f *filePayload) yieldSettings(yield func(Text)) (named []bool) {
	named = make([]bool, len(f.saved.texts))
	if f.rest == nil {
		return named
	}
	own := tape{columns: f.rest, next: columnWrongTypes}
	words, n := own.table("field", 2, 0)
	for range n {
		named[words[0].index(len(named))] = true
	}
	settings, n := own.table("setting", 2, 0)
	for range n {
		key, value := settings[0].index(len(named)), settings[1].index(len(named))
		named[key], named[value] = true, true
		yield(Text{Kind: TextSetting, Text: f.saved.texts[value], Key: f.saved.texts[key]})
	}
	own.next = columnRules
	rules, n := own.table("rule", 4, 0)
	for range n { // of their text somebody is the author
		named[rules[0].index(len(named))], named[rules[3].index(len(named))] = true, true
	}
	return named
}

// yield gives the functions with their files, the operators, then all texts that
// are neither and are not named yet.
func (s *savedStacks) yield(yield func(Text), named []bool) {
	files := s.cursor(stackFrameFile)
	for _, name := range s.all(stackFrameName) {
		file := files.next()
		named[name], named[file] = true, true
		yield(Text{Kind: TextFunction, Text: s.texts[name], File: s.texts[file]})
	}
	for _, i := range s.all(stackOperator) {
		if !named[i] {
			named[i] = true
			yield(Text{Kind: TextOperator, Text: s.texts[i]})
		}
	}
	for i, text := range s.texts {
		if !named[i] {
			yield(Text{Kind: TextNote, Text: text})
		}
	}
}

// texts are those of the model that may hold something of a snapshot.
func (r *Report) texts(yield func(Text)) {
	say := func(texts ...string) {
		for _, text := range texts {
			if text != "" {
				yield(Text{Kind: TextModel, Text: text})
			}
		}
	}
	for _, rule := range r.Rules {
		say(rule.Because)
	}
	for i := range r.Files {
		say(r.Files[i].Torch)
		for _, s := range r.Files[i].Settings {
			yield(Text{Kind: TextSetting, Text: s[1], Key: s[0]})
		}
		for _, d := range r.Files[i].Devices {
			say(d.Label, d.Verdict.Text, d.Verdict.Why, d.Lanes.StepWord, d.Lanes.StepsFrom)
			say(d.Pools...)
			for _, card := range d.Answers {
				say(card.Question, card.Value, card.Small, card.Line, card.Detail)
			}
			for _, w := range d.Warnings {
				say(w.Fact, w.Consequence, w.Code)
			}
		}
	}
}

// Foreign is how many scripts and styles of a report that was read are not of
// this version of memviz. They are not written again.
func (d *Document) Foreign() int { return d.markup.foreign }

// Numbers are how many addresses and times a report holds.
func (d *Document) Numbers() (addresses, times int) {
	for i := range d.report.Files {
		for _, stream := range d.report.Files[i].Streams {
			if len(stream) > 3 { // 0x0 and small numbers are nobody's address
				addresses++
			}
		}
	}
	for _, f := range d.files {
		for _, p := range f.devices {
			view := p.shown()
			if view.HasAddr {
				addresses += view.Allocations
			}
			if view.HasTime {
				times += view.Events
			}
		}
	}
	return addresses, times
}
