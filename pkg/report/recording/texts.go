package recording

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

// Texts yields the texts of the model that may quote a snapshot.
func (r *Report) Texts(yield func(Text)) {
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
