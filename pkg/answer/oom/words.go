package oom

import (
	"cmp"
	"fmt"

	"github.com/memviz-go/memviz/pkg/allocator"
	"github.com/memviz-go/memviz/pkg/analysis/oom"
	"github.com/memviz-go/memviz/pkg/answer/phrase"
	"github.com/memviz-go/memviz/pkg/units"
)

// verdicts are the words for why a request failed, in three lengths.
var verdicts = [...]struct {
	// short is a few words with the numbers of the sentence.
	short func(o *oom.Failure) string
	// brief is a sentence without the numbers that stand beside it on a card.
	brief func(o *oom.Failure) string
	// evidence is a sentence with all numbers, as a format and its arguments after
	// the first two, which are the bytes requested and the state.
	evidence func(f *Context, o *oom.Failure) (string, []any)
}{
	oom.Pressure: {
		short: func(o *oom.Failure) string {
			return units.Share(o.Active, o.Visible()) + " of " + units.Bytes(o.Visible()) + " in use, " +
				units.Bytes(o.FreeSame) + " free in the cache"
		},
		brief: func(o *oom.Failure) string {
			text := fmt.Sprintf("%s of the %s that PyTorch could use was in use",
				units.NoBreak(units.Share(o.Active, o.Visible())), phrase.Amount(o.Visible()))
			if o.LastPieces {
				text += fmt.Sprintf(", %s of what it had reserved", units.NoBreak(units.Share(o.Active, o.Reserved)))
			}
			return text + "."
		},
		evidence: (*Context).pressure,
	},
	oom.Fragmented: {
		short: func(o *oom.Failure) string {
			return "enough free, in pieces of at most " + units.Bytes(max(o.LargestSame, o.DeviceFree))
		},
		brief: func(o *oom.Failure) string {
			return fmt.Sprintf("Enough was free, in pieces of at most %s: fragmentation.",
				phrase.Amount(max(o.LargestSame, o.DeviceFree)))
		},
		evidence: func(_ *Context, o *oom.Failure) (string, []any) {
			return "Out of memory by fragmentation: %s requested in state %s, %s free but in pieces of at most %s.",
				[]any{phrase.Amount(o.FreeSame + o.DeviceFree), phrase.Amount(max(o.LargestSame, o.DeviceFree))}
		},
	},
	oom.Other: {
		short: func(o *oom.Failure) string {
			return units.Bytes(o.FreeOther) + " free for another stream or pool"
		},
		brief: func(o *oom.Failure) string {
			return fmt.Sprintf("Enough was cached, but %s of it for another stream or pool.",
				phrase.Amount(o.FreeOther))
		},
		evidence: func(f *Context, o *oom.Failure) (string, []any) {
			where := "another stream or pool"
			if i := o.WouldFit.OtherPool; i >= 0 && o.Pools[i].Stream != o.Stream {
				where = "stream " + units.Address(f.r.Snapshot.Streams[o.Pools[i].Stream])
			}
			return "Out of memory: %s requested in state %s; %s of cached memory is free but belongs to %s and " +
				"cannot serve it.", []any{phrase.Amount(o.FreeOther), where}
		},
	},
	oom.Outside: {
		short: func(o *oom.Failure) string { return units.Bytes(o.Outside()) + " used outside PyTorch" },
		brief: func(o *oom.Failure) string {
			return fmt.Sprintf("%s was used outside of PyTorch's allocator.", phrase.Amount(o.Outside()))
		},
		evidence: func(f *Context, o *oom.Failure) (string, []any) {
			b := phrase.BackendOf(f.r.Snapshot)
			return "Out of memory: %s requested in state %s. PyTorch could see %s of the %s you gave as capacity; " +
					"%s is used outside its allocator (other processes, " + b.Others + ", " + b.Context + ").",
				[]any{phrase.Amount(o.Visible()), phrase.Amount(o.Capacity), phrase.Amount(o.Outside())}
		},
	},
	oom.Limit: {
		short: func(o *oom.Failure) string { return refusedWords(o, "a limit") },
		brief: func(o *oom.Failure) string {
			return "The device had room: " + refusedWords(o, anyLimit) + "."
		},
		evidence: func(_ *Context, o *oom.Failure) (string, []any) {
			text, args := refusalSentence(o)
			return "Out of memory: %s requested in state %s while %s were free on the device: " + text,
				append([]any{phrase.Amount(o.DeviceFree)}, args...)
		},
	},
}

// Short is why a request failed in a few words, with the numbers of the sentence.
func Short(o *oom.Failure) string { return verdicts[o.Verdict].short(o) }

// Brief is why a request failed in a sentence, without the numbers that stand beside it on a card.
func Brief(o *oom.Failure) string { return verdicts[o.Verdict].brief(o) }

// anyLimit may refuse a request although the device has the memory.
const anyLimit = "a limit of the process or a failed mapping"

// refusedBy is the option in the file that most likely refused a request, or "" if the file has none.
func refusedBy(o *oom.Failure) string {
	switch r := &o.Refusal; {
	case o.Verdict != oom.Limit:
		return ""
	case r.Fraction > 0:
		return allocator.OptionFraction
	case r.TooSmall != nil:
		return r.TooSmall.Option
	}
	return ""
}

// refusedWords say what refused a request, and how sure that is; other names what may have if the
// file has no option that did.
func refusedWords(o *oom.Failure, other string) string {
	r := &o.Refusal
	// Without the memory of the device, or the class of a stream, the option is the likeliest reason only.
	guessed := r.Fraction > 0 && r.Limit == 0 || r.TooSmall != nil && r.TooSmall.Class != ""
	if by := refusedBy(o); by != "" && guessed {
		return "most likely " + by + " refused it"
	}
	return cmp.Or(refusedBy(o), other) + " refused it"
}

// refusalSentence ends a sentence that begins with the memory which the device had.
func refusalSentence(o *oom.Failure) (text string, args []any) {
	r := &o.Refusal
	switch {
	case r.Limit > 0:
		text = "per_process_memory_fraction lets PyTorch have %s of the %s you gave as capacity."
		args = []any{phrase.Amount(r.Limit), phrase.Amount(o.Capacity)}
	case r.Fraction > 0:
		text = "most likely because per_process_memory_fraction lets PyTorch have %s of the device only."
		args = []any{phrase.Share(r.Fraction)}
	case r.TooSmall != nil && r.TooSmall.Class != "":
		text = "a request has to fit into one expandable segment, and %s lets those of some streams have %s of addresses " +
			"only."
		args = []any{r.TooSmall.Option, phrase.Amount(r.TooSmallBytes)}
	case r.TooSmall != nil:
		text = "a request has to fit into one expandable segment, and %s lets one have %s of addresses only."
		args = []any{r.TooSmall.Option, phrase.Amount(r.TooSmallBytes)}
	default:
		text = refusedWords(o, anyLimit) + "."
	}
	if r.AtOnce != "" {
		text += " With %s it failed at once, before cached memory was given back."
		args = append(args, r.AtOnce)
	}
	return text, args
}

// pressure is the evidence that nearly everything was in use.
func (f *Context) pressure(o *oom.Failure) (string, []any) {
	most, site := int64(0), any(phrase.NoStack)
	if h := f.holders(o); len(h.Rows) > 0 {
		most, site = h.Rows[0].Bytes, phrase.SiteName(h.Rows[0].Key)
	}
	text := "Out of memory: %s requested in state %s, %s free on the device, %s free in the cache; %s of the %s " +
		"visible to PyTorch was in use, most by %s: %s."
	args := []any{phrase.Amount(o.DeviceFree), phrase.Amount(o.FreeSame),
		units.NoBreak(units.Share(o.Active, o.Visible())),
		phrase.Amount(o.Visible()), site, phrase.Amount(most)}
	if o.LastPieces {
		text += " The free memory would have covered this request only in pieces (%s at most in the cache), and %s " +
			"of what is reserved was in use."
		args = append(args, phrase.Amount(o.LargestSame), units.NoBreak(units.Share(o.Active, o.Reserved)))
	}
	return text, args
}
