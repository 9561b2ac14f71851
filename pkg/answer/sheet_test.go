package answer_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode"

	"github.com/memviz-go/memviz/pkg/answer"
	"github.com/memviz-go/memviz/pkg/answer/sheet"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap"
	"github.com/memviz-go/memviz/pkg/testsnap/answertest"
)

// TestJSONIsPrintable: what a terminal might obey, or what turns the direction of text,
// is escaped in the JSON of every answer, and reads the same.
func TestJSONIsPrintable(t *testing.T) {
	const text = "\x1b\x7f\u0080\u009b31m\u061c\u200b\u200e\u202e\u2066\u2028\ufeff\U000e0041 caf\u00e9 \U0001f600 " +
		"\\u009b"
	s := testsnap.Training()
	for i := range s.Strings {
		s.Strings[i] += text
	}
	s.Settings = []snapshot.Setting{{Key: "PYTORCH_CUDA_ALLOC_CONF", Value: text}}
	found := 0
	for command, said := range allAnswers(t, answer.NewInput("a.pickle", s)) {
		answer := answertest.Written(t, said, sheet.JSON)
		for _, r := range string(answer) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s has %U", command, r)
			}
		}
		var got, want any
		if err := json.Unmarshal(answer, &got); err != nil {
			t.Fatalf("%s: %v", command, err)
		}
		if command == "events" {
			continue // its value is not all of it
		}
		plain, err := json.Marshal(said.Value)
		if err != nil {
			t.Fatal(err)
		}
		if json.Unmarshal(plain, &want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads otherwise", command)
		}
		found += bytes.Count(answer, []byte("\\u009b"))
		var indented bytes.Buffer
		json.Indent(&indented, answer, "", "  ")
		if !bytes.Equal(indented.Bytes(), answer) && !bytes.Equal(append(indented.Bytes(), '\n'), answer) {
			t.Errorf("%s is not indented as it was", command)
		}
	}
	if found < 10 {
		t.Errorf("%d texts were escaped", found)
	}
}
