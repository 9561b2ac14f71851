package job

import (
	"reflect"
	"testing"

	"github.com/memviz-go/memviz/pkg/testsnap/typescript"
)

// TestTypes: the viewer's types of a job page are those of this package.
func TestTypes(t *testing.T) {
	typescript.Golden(t, "job.d.ts", reflect.TypeFor[pageModel](), reflect.TypeFor[ranksModel]())
}
