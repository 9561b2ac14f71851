package snapshot

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/memviz-go/memviz/pkg/internal/container"
	"github.com/memviz-go/memviz/pkg/internal/pickle"
	"github.com/memviz-go/memviz/pkg/units"
)

// Limits bound the cost of reading a file. Zero fields have defaults, which are enough
// for any snapshot that torch writes.
type Limits = pickle.Limits

// LimitKeys are the names of the limits, as SetLimit takes them and ExceededLimit
// returns them.
func LimitKeys() []string {
	keys := make([]string, len(pickle.Bounds))
	for i := range pickle.Bounds {
		keys[i] = pickle.Bounds[i].Key
	}
	return keys
}

// SetLimit sets one limit from a text such as memory=8GiB or depth=300.
func SetLimit(l *Limits, text string) error {
	key, value, _ := strings.Cut(text, "=")
	for i := range pickle.Bounds {
		b := &pickle.Bounds[i]
		if b.Key != key {
			continue
		}
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil && b.Bytes {
			n, err = units.ParseBytes(value)
		}
		if err != nil || n <= 0 {
			return fmt.Errorf("%q is not a number above zero for %s", value, b.Means)
		}
		*b.Of(l) = n
		return nil
	}
	return fmt.Errorf("there is no limit %q; there are %s", key, strings.Join(LimitKeys(), ", "))
}

// ExceededLimit returns the key of the limit that err reports as exceeded; "" for any
// other error.
func ExceededLimit(err error) string {
	var located *pickle.Error
	var unpacked *container.LimitError
	switch {
	case errors.As(err, &located):
		return located.Limit
	case errors.As(err, &unpacked) && unpacked.Limit == "bytes":
		return "input"
	case errors.As(err, &unpacked):
		return unpacked.Limit
	}
	return ""
}
