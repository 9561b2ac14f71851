package redact

import (
	"github.com/memviz-go/memviz/pkg/snapshot"
)

// renamer builds the new table of strings. One old string may become several new ones, one
// for each role that it has.
type renamer struct {
	*worker
	old   []string
	texts []string
	index map[string]snapshot.StringID
	seen  map[snapshot.StringID]snapshot.StringID // results of text
}

func (w *worker) snapshot(s *snapshot.Snapshot) {
	r := &renamer{
		worker: w, old: s.Strings, texts: []string{""},
		index: map[string]snapshot.StringID{"": 0}, seen: map[snapshot.StringID]snapshot.StringID{},
	}
	labels := labelFrames(s)
	for i := range s.Frames {
		f := &s.Frames[i]
		file, name := s.Strings[f.File], s.Strings[f.Name]
		if labels[snapshot.FrameID(i)] {
			f.File = r.text(f.File)
		} else {
			f.File = r.add(w.file(file))
		}
		f.Name = r.add(w.function(file, name))
	}
	for i := range s.Annotations {
		s.Annotations[i].Name = r.text(s.Annotations[i].Name)
	}
	for i := range s.Traces {
		r.column(s.Traces[i].Events.CompileContext)
		r.column(s.Traces[i].Events.Metadata)
	}
	s.Strings = r.texts
	for i := range s.Settings {
		s.Settings[i] = snapshot.Setting{Key: w.settingKey(s.Settings[i].Key), Value: w.setting(s.Settings[i].Value)}
	}
	for i, name := range s.ActionNames {
		s.ActionNames[i] = w.key(name)
	}
	s.Oddity.UnknownActions = w.keys(s.Oddity.UnknownActions)
	s.Oddity.UnknownKeys = w.keys(s.Oddity.UnknownKeys)
}

// labelFrames are the frames of user_defined events, whose file is the text of an
// annotation.
func labelFrames(s *snapshot.Snapshot) map[snapshot.FrameID]bool {
	labels := map[snapshot.FrameID]bool{}
	for i := range s.Traces {
		e := &s.Traces[i].Events
		for j, action := range e.Action {
			if action != snapshot.UserDefined {
				continue
			}
			for _, frame := range s.Stacks.Frames(e.Stack[j]) {
				labels[frame] = true
			}
		}
	}
	return labels
}

// add interns a new string.
func (r *renamer) add(text string) snapshot.StringID {
	id, known := r.index[text]
	if !known {
		id = snapshot.StringID(len(r.texts))
		r.index[text] = id
		r.texts = append(r.texts, text)
	}
	return id
}

// text redacts a text that a person wrote.
func (r *renamer) text(id snapshot.StringID) snapshot.StringID {
	renamed, seen := r.seen[id]
	if !seen {
		renamed = r.add(r.worker.text(r.old[id]))
		r.seen[id] = renamed
	}
	return renamed
}

// column redacts a column of texts.
func (r *renamer) column(ids []snapshot.StringID) {
	for i, id := range ids {
		if id != 0 {
			ids[i] = r.text(id)
		}
	}
}

// keys redacts the keys of a map of Oddities.
func (w *worker) keys(counts map[string]int) map[string]int {
	if counts == nil {
		return nil
	}
	renamed := make(map[string]int, len(counts))
	for key, n := range counts {
		renamed[w.key(key)] += n
	}
	return renamed
}
