// Package units formats bytes, counts, durations, addresses and shares for people, and
// parses bytes and durations. Inside the program they are plain numbers; only this
// package and the viewer's data/format.js turn them into text, in the same way: both are
// tested with testdata/words.json.
//
// Text has plain spaces; [NoBreak] makes it fit for a page.
package units

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Binary units, in bytes.
const (
	KiB = 1 << 10
	MiB = 1 << 20
	GiB = 1 << 30
	TiB = 1 << 40
	PiB = 1 << 50
	EiB = 1 << 60
)

var byteUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// minus is the true minus sign, as wide as a plus.
const minus = "\u2212"

// Bytes formats n bytes in the binary unit that leaves one to four digits before
// the point, with three significant digits: "6.53 GiB", "80.0 MiB", "212 MiB",
// "1000 KiB", "4 B". Nothing is "0".
func Bytes(n int64) string {
	if n == 0 {
		return "0"
	}
	sign, value := "", float64(n)
	if n < 0 {
		sign, value = minus, -value
	}
	unit := 0
	for value >= 1023.5 && unit < len(byteUnits)-1 {
		value /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%s%.0f B", sign, value)
	}
	return sign + threeDigits(value) + " " + byteUnits[unit]
}

// threeDigits writes a value of at least one half with three significant digits.
func threeDigits(v float64) string {
	switch {
	case v >= 99.95:
		return fixed(v, 0)
	case v >= 9.995:
		return fixed(v, 1)
	}
	return fixed(v, 2)
}

// fixed writes a nonnegative value with the given number of decimals, and rounds a half
// up, as Number.toFixed does in the viewer: 10.25 is "10.3". Halves are common among
// powers of two, and FormatFloat rounds them to even.
func fixed(v float64, digits int) string {
	power := math.Pow10(digits)
	scaled := v * power
	if exact := math.FMA(v, power, -scaled) == 0; exact && scaled-math.Floor(scaled) == 0.5 {
		v = math.Ceil(scaled) / power
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// ExactBytes gives n in both forms, for where the last byte matters:
// "6.53 GiB (7,013,335,044 bytes)".
func ExactBytes(n int64) string {
	if n > -1000 && n < 1000 {
		return Count(n) + " bytes"
	}
	return Bytes(n) + " (" + Count(n) + " bytes)"
}

// Change formats n bytes and always writes the sign: "+169 MiB", "−4 B", "0".
func Change(n int64) string {
	if n > 0 {
		return "+" + Bytes(n)
	}
	return Bytes(n)
}

// ParseBytes reads what [Bytes] writes and what people type: "6.53 GiB",
// "512MiB", "16m", "1,024", "0". Units are binary; a unit letter alone is
// binary too. Decimal units such as GB are refused, because those who write
// them rarely mean them. A fraction of a byte is rounded.
func ParseBytes(text string) (int64, error) {
	n, err := parseBytes(text, parseByteUnit)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number of bytes: %w", text, err)
	}
	return n, nil
}

func parseBytes(text string, parseUnit func(string) (int64, error)) (int64, error) {
	s := strings.TrimSpace(strings.ReplaceAll(text, "\u00a0", " "))
	negative := false
	for _, sign := range []string{"+", "-", minus} {
		if rest, ok := strings.CutPrefix(s, sign); ok {
			s, negative = rest, sign != "+"
			break
		}
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789.,"))
	number := strings.ReplaceAll(s[:digits], ",", "")
	factor, err := parseUnit(strings.TrimSpace(s[digits:]))
	if err != nil {
		return 0, err
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return 0, errors.New(`write it like "512 MiB"`)
	}
	// Whole numbers stay exact beyond the 53 bits of a float.
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case err == nil && n <= math.MaxInt64/factor:
		n *= factor
	case value*float64(factor) < math.MaxInt64:
		n = int64(math.Round(value * float64(factor)))
	default:
		return 0, errors.New("it is too large")
	}
	if negative {
		n = -n
	}
	return n, nil
}

func parseByteUnit(unit string) (int64, error) {
	lower := strings.ToLower(unit)
	for i, name := range byteUnits {
		name = strings.ToLower(name)
		if lower == name || i > 0 && lower == name[:1] {
			return 1 << (10 * i), nil
		}
		if i > 0 && lower == name[:1]+"b" {
			return 0, fmt.Errorf("write %s, the binary unit", byteUnits[i])
		}
	}
	if lower == "" || lower == "bytes" {
		return 1, nil
	}
	return 0, fmt.Errorf("%q is not a unit", unit)
}
