package compare

import (
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/typescript"
)

// TestTypes: the viewer's types of a comparison are those of this package.
func TestTypes(t *testing.T) {
	typescript.Golden(t, "compare.d.ts", reflect.TypeFor[Comparison]())
}
