package job_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memviz-go/memviz/pkg/analysis/stacks"
	"github.com/memviz-go/memviz/pkg/answer"
	. "github.com/memviz-go/memviz/pkg/job"
	"github.com/memviz-go/memviz/pkg/redact"
	"github.com/memviz-go/memviz/pkg/snapshot"
	"github.com/memviz-go/memviz/pkg/testsnap/testkit"
)

// redactedDigest is the digest of the first device of a file under a salt.
func redactedDigest(t *testing.T, path, salt string) (Digest, *snapshot.Snapshot) {
	t.Helper()
	s, err := snapshot.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if salt != "" {
		(&redact.Options{Paths: true, Names: true, Salt: []byte(salt)}).Snapshot(s)
	}
	in := answer.NewInput("snapshot", s)
	return DigestOf(in.Recordings[0]), s
}

var word = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]{3,}`)

// ownWords are the words in the names of a program's own code, but for those that a
// redacted snapshot has, too, such as forward.
func ownWords(original, redacted *snapshot.Snapshot) []string {
	st := stacks.Read(original)
	var own []string
	for id, class := range st.FrameClass {
		if class == stacks.UserCode {
			f := &original.Frames[id]
			own = append(own, word.FindAllString(original.String(f.File)+" "+original.String(f.Name), -1)...)
		}
	}
	left := strings.Join(redacted.Strings, "\n")
	for _, setting := range redacted.Settings {
		left += "\n" + setting.Value
	}
	slices.Sort(own)
	return slices.DeleteFunc(slices.Compact(own), func(w string) bool { return strings.Contains(left, w) })
}

// textsOf are the texts of a digest that come from names, a line each.
func textsOf(d *Digest) string {
	var texts []string
	for i := range d.Sites {
		texts = append(texts, d.Sites[i].Site, d.Sites[i].Operator)
	}
	for i := range d.Steps {
		texts = append(texts, d.Steps[i].Name)
	}
	for i := range d.OOMs {
		texts = append(texts, d.OOMs[i].Site)
	}
	for i := range d.Leaks {
		texts = append(texts, d.Leaks[i].Site)
	}
	for i := range d.Settings {
		texts = append(texts, d.Settings[i][1])
	}
	return strings.Join(texts, "\n")
}

// TestRedacted: a digest of a redacted snapshot has no word of the original, and its
// keys are hashes of pseudonyms.
func TestRedacted(t *testing.T) {
	words, keys := 0, 0
	for _, path := range testkit.Snapshots(t) {
		clear, original := redactedDigest(t, path, "")
		one, masked := redactedDigest(t, path, "one")
		again, _ := redactedDigest(t, path, "one")
		other, _ := redactedDigest(t, path, "other")
		text, texts := line(t, one), textsOf(&one)
		for _, w := range ownWords(original, masked) {
			if words++; strings.Contains(texts, w) {
				t.Errorf("%s: the digest has %q", path, w)
			}
		}
		if line(t, again) != text {
			t.Errorf("%s: another digest under the same salt", path)
		}
		if one.Redacted != "all" || clear.Redacted != "" {
			t.Errorf("%s: redacted %q and %q", path, one.Redacted, clear.Redacted)
		}
		renamed := map[string]bool{} // keys that must be secret
		for _, s := range clear.Sites {
			renamed[s.Path] = true
		}
		for _, s := range other.Sites {
			renamed[s.Path] = true
		}
		for _, s := range one.Sites {
			if !redactedSite.MatchString(s.Site) {
				continue // all of it is public
			}
			if keys++; renamed[s.Path] || renamed[s.Key] || renamed[s.PythonPath] {
				t.Errorf("%s: the key of %s does not depend on the salt", path, s.Site)
			}
		}
		if one.PeakBytes != clear.PeakBytes || len(one.Sites) != len(clear.Sites) ||
			len(one.Steps) != len(clear.Steps) {
			t.Errorf("%s: the numbers are others", path)
		}
	}
	if words == 0 || keys == 0 {
		t.Errorf("%d words and %d keys were compared", words, keys)
	}
}

var redactedSite = regexp.MustCompile(`(?:file|fn)_[0-9a-z]{8}`)

func TestOmitTimes(t *testing.T) {
	d := sample(0)
	if text := line(t, d); !strings.Contains(text, "first_micros") || !strings.Contains(text, "start_micros") ||
		strings.Count(text, "micros") < 5 {
		t.Fatalf("there are no times: %s", text)
	}
	d.OmitTimes()
	if text := line(t, d); strings.Contains(text, "micros") {
		t.Errorf("there are times: %s", text)
	}
}
