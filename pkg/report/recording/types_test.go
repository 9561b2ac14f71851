package recording

import (
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/typescript"
)

// TestTypes: the viewer's types of a report are those of this package.
func TestTypes(t *testing.T) {
	typescript.Golden(t, "recording.d.ts", reflect.TypeFor[Report]())
}
