package units

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Count is n with a comma between thousands, never abbreviated: "19,136".
func Count[T ~int | ~int32 | ~int64](n T) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if rest, ok := strings.CutPrefix(digits, "-"); ok {
		sign, digits = minus, rest
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(digit)
	}
	return b.String()
}

// Plural is a count with the word for one or for many: "1 event", "19,136 events".
func Plural[T ~int | ~int32 | ~int64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + many
}

// Duration is a span of microseconds with three significant digits: "54.4 ms".
// From 1,000 seconds on it counts minutes and seconds, "16 min 40 s", from two
// hours on hours and minutes. It is rounded to the last unit that it shows.
func Duration(micros int64) string {
	if micros < 0 {
		// Through uint64, so that the smallest number has a positive twin.
		return minus + duration(-uint64(micros))
	}
	return duration(uint64(micros))
}

func duration(micros uint64) string {
	switch {
	case micros < 1000:
		return fmt.Sprintf("%d µs", micros)
	case micros < 999_500:
		return threeDigits(float64(micros)/1e3) + " ms"
	case micros < 999_500_000:
		return threeDigits(float64(micros)/1e6) + " s"
	}
	if seconds := (micros + 500_000) / 1_000_000; seconds < 2*3600 {
		return fmt.Sprintf("%d min %d s", seconds/60, seconds%60)
	}
	minutes := (micros + 30_000_000) / 60_000_000
	return fmt.Sprintf("%s h %d min", Count(int64(minutes/60)), minutes%60)
}

// Share is part of whole in whole percent: "24 %", "<1 %". Only the whole is "100 %", and
// only nothing is "0 %". It is empty when whole is 0.
func Share(part, whole int64) string {
	if whole <= 0 {
		return ""
	}
	switch percent := 100 * float64(part) / float64(whole); {
	case part <= 0:
		return "0 %"
	case part >= whole:
		return "100 %"
	case percent < 1:
		return "<1 %"
	default:
		return fixed(min(percent, 99), 0) + " %"
	}
}

// Address is a device address in hex: "0x7f5e20000000".
func Address(addr uint64) string { return "0x" + strconv.FormatUint(addr, 16) }

// NoBreak is text whose spaces do not break a line.
func NoBreak(text string) string { return strings.ReplaceAll(text, " ", "\u00a0") }

// Printable replaces by U+FFFD what a terminal might obey or a page could not show.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}

// EscapeJSON escapes, in JSON, characters that a terminal might obey or that change the
// direction of the text after them. They can only occur in strings.
func EscapeJSON(text []byte) []byte {
	from := bytes.IndexFunc(text, isInvisible)
	if from < 0 {
		return text
	}
	escaped := slices.Clone(text[:from])
	for _, r := range string(text[from:]) {
		if !isInvisible(r) {
			escaped = utf8.AppendRune(escaped, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			escaped = fmt.Appendf(escaped, "\\u%04x", unit)
		}
	}
	return escaped
}

func isInvisible(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }

// ParseDuration reads a span of time and returns microseconds: "500ms", "1.5s",
// "16 min", "2h", "300us". A number alone is seconds.
func ParseDuration(text string) (int64, error) {
	digits := strings.TrimSpace(text)
	end := strings.LastIndexAny(digits, "0123456789.") + 1
	unit, known := durations[strings.TrimSpace(digits[end:])]
	n, err := strconv.ParseFloat(digits[:end], 64)
	if err != nil || !known || n < 0 || n*unit > 1<<62 {
		return 0, fmt.Errorf("%q is not a span of time: write it like 500ms or 1.5s", text)
	}
	return int64(n*unit + 0.5), nil
}

// durations are units of time in microseconds.
var durations = map[string]float64{"us": 1, "µs": 1, "ms": 1e3, "s": 1e6, "": 1e6, "min": 60e6, "m": 60e6, "h": 3600e6}
