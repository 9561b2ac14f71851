package codec

import "github.com/memviz-go/memviz/pkg/report/recording"

// Texts gives the texts of a file that was read.
func (f *File) Texts(yield func(recording.Text)) {
	yield(recording.Text{Kind: recording.TextFile, Text: f.view.Name})
	f.saved.yield(yield, f.yieldSettings(yield))
	for _, name := range f.laneNames {
		yield(recording.Text{Kind: recording.TextAnnotation, Text: name})
	}
}

// yieldSettings gives the settings of the allocator, and what is memviz's own
// words among the texts. It reports which texts those are.
func (f *File) yieldSettings(yield func(recording.Text)) (named []bool) {
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
		yield(recording.Text{Kind: recording.TextSetting, Text: f.saved.texts[value], Key: f.saved.texts[key]})
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
func (s *stackReader) yield(yield func(recording.Text), named []bool) {
	files := s.cursor("frame.file")
	for _, name := range s.all("frame.name") {
		file := files.next()
		named[name], named[file] = true, true
		yield(recording.Text{Kind: recording.TextFunction, Text: s.texts[name], File: s.texts[file]})
	}
	for _, i := range s.all("stack.operator") {
		if !named[i] {
			named[i] = true
			yield(recording.Text{Kind: recording.TextOperator, Text: s.texts[i]})
		}
	}
	for i, text := range s.texts {
		if !named[i] {
			yield(recording.Text{Kind: recording.TextNote, Text: text})
		}
	}
}
