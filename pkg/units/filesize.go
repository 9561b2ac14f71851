package units

import (
	"fmt"
	"strings"
)

// MB is a million bytes, the unit in which limits on attachments are stated.
const MB = 1_000_000

var fileUnits = [...]string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}

// FileSize formats the size of a file in the decimal unit that leaves one to three
// digits before the point, with three significant digits: "6.31 MB", "512 kB",
// "4 B". For memory see [Bytes].
func FileSize(n int64) string {
	if n < 0 {
		return minus + fileSize(-float64(n))
	}
	return fileSize(float64(n))
}

func fileSize(value float64) string {
	unit := 0
	for value >= 999.5 && unit < len(fileUnits)-1 {
		value /= 1000
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%.0f B", value)
	}
	return threeDigits(value) + " " + fileUnits[unit]
}

// ParseFileSize reads the size of a file as limits on attachments state it: "24MB" and
// "24M" are 24,000,000 bytes, "24 MiB" 25,165,824.
func ParseFileSize(text string) (int64, error) {
	n, err := parseBytes(text, parseFileUnit)
	if err != nil {
		return 0, fmt.Errorf("%q is not the size of a file: %w", text, err)
	}
	return n, nil
}

func parseFileUnit(unit string) (int64, error) {
	factor := int64(1)
	for i, name := range fileUnits {
		name = strings.ToLower(name)
		if lower := strings.ToLower(unit); lower == name || i > 0 && lower == name[:1] {
			return factor, nil
		}
		factor *= 1000
	}
	return parseByteUnit(unit)
}
