package answer

import (
	"iter"

	"github.com/memviz-go/memviz/pkg/snapshot"
)

// remarks are what the code said about itself between the events: ranges that
// begin and end, metadata and compiled code that is entered and left.
type remarks struct {
	l           *eventLog
	annotations []snapshot.Annotation // still to come
	next        int                   // the event to look at
	metadata    string
	compiled    string
}

type remark struct{ time, text string }

func (l *eventLog) newRemarks() *remarks {
	return &remarks{l: l, annotations: l.annotations, next: l.from}
}

// before yields the remarks in front of an event that have not been made.
func (r *remarks) before(event int) iter.Seq[remark] {
	return func(yield func(remark) bool) {
		for ; r.next < r.l.end && r.next <= event; r.next++ {
			if !r.atEvent(r.next, yield) {
				return
			}
		}
		if event == r.l.end {
			r.annotationsUntil(-1, yield)
		}
	}
}

// atEvent makes the remarks that belong in front of one event.
func (r *remarks) atEvent(i int, yield func(remark) bool) bool {
	if !r.annotationsUntil(i, yield) {
		return false
	}
	if r.l.d.Events.Action[i] != snapshot.Alloc {
		return true // frees carry what was set for another purpose
	}
	if text := r.l.metadata(i); text != r.metadata {
		r.metadata = text
		if !r.make("", "metadata: "+orNone(text), yield) {
			return false
		}
	}
	if text := r.l.compileContext(i); text != r.compiled {
		r.compiled = text
		return r.make("", "compiled: "+orNone(text), yield)
	}
	return true
}

// annotationsUntil makes the remarks on annotations up to the time of an event;
// up to the end if it is -1.
func (r *remarks) annotationsUntil(event int, yield func(remark) bool) bool {
	for len(r.annotations) > 0 {
		a := r.annotations[0]
		if event >= 0 && a.TimeMicros > r.l.d.Events.TimeMicros[event] {
			break
		}
		r.annotations = r.annotations[1:]
		ends := r.l.annotationEnds(a)
		verb := "end "
		if a.Start {
			verb = "begin "
		}
		if !r.make(seconds(ends.TimeMicros), verb+ends.Name, yield) {
			return false
		}
	}
	return true
}

// make yields a remark that is asked for.
func (r *remarks) make(time, text string, yield func(remark) bool) bool {
	if r.l.grep != nil && !r.l.grep.MatchString(text) {
		return true
	}
	return yield(remark{time, asText(name(text))})
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
