package redact

import (
	"slices"
	"strings"
	"testing"
)

func TestGiveaways(t *testing.T) {
	for _, test := range []struct {
		text string
		want string // kind:piece, in order
	}{
		{"/home/alice/llm/train.py", "users:alice"},
		{"/Users/bob/x.py", "users:bob"},
		{`C:\Users\carol\x.py`, "users:carol"},
		{"/fsx/team/users/dave/run", "users:dave"},
		{"/tmp/torchinductor_erin/ab/c.py", "users:erin"},
		{"node17.cluster.local", "hosts:node17.cluster.local"},
		{"rank 0 on gpu-042", "hosts:gpu-042"},
		{"10.1.2.3:29500", "hosts:10.1.2.3"},
		{"s3://acme-models/x", "hosts:acme-models"},
		{"mail frank@example.com now", "emails:frank@example.com hosts:example.com"},
		{"hf_abcdefghijklmnopqrst", "secrets:hf_abcdefghijklmnopqrst"},
		{"AKIAIOSFODNN7EXAMPLE", "secrets:AKIAIOSFODNN7EXAMPLE"},
		{"password=hunter22", "secrets:hunter22"},
		{"0123456789abcdef0123456789abcdef", "secrets:0123456789abcdef0123456789abcdef"},
		{"/home/dir_3f9a2c7k/file_3f9a2c7k.py", ""},
		{"at::native::add_kernel(at::Tensor const&)", ""},
		{"peak 1.18 GiB in state 1,234, torch 2.10 or 2.11", ""},
		{"<frozen importlib._bootstrap>", ""},
	} {
		var got []string
		giveawaysIn(test.text, func(kind Giveaway, what string) { got = append(got, string(kind)+":"+what) })
		slices.Sort(got)
		if strings.Join(got, " ") != test.want {
			t.Errorf("%q gives away %q, want %q", test.text, got, test.want)
		}
	}
}

// What was redacted holds nothing more, and what was not holds all of it.
func TestCensus(t *testing.T) {
	take := func(o *Options) *Census {
		s := secretSnapshot()
		o.Snapshot(s)
		c := NewCensus()
		for _, f := range s.Frames {
			c.Function(s.String(f.File), s.String(f.Name))
		}
		for _, a := range s.Annotations {
			c.Text(s.String(a.Name))
		}
		c.File(o.FileName("zebra_rank3.pickle.gz"))
		return c
	}
	before := take(&Options{})
	if len(before.Files()) != 1 || len(before.Paths()) < 5 || len(before.Names()) < 5 || len(before.Texts()) != 2 ||
		!slices.Contains(before.Of(User), secret) || before.Public() == 0 {
		t.Errorf("before: %q %q %q %q %q", before.Files(), before.Paths(), before.Names(), before.Texts(),
			before.Of(User))
	}
	after := take(&Options{Paths: true, Names: true, Salt: []byte("s")})
	if n := len(after.Files()) + len(after.Paths()) + len(after.Names()) + len(after.Texts()) +
		len(after.Of(User)); n > 0 || after.Pseudonyms() < 10 {
		t.Errorf("after: %q %q %q %q %q, %d pseudonyms", after.Files(), after.Paths(), after.Names(), after.Texts(),
			after.Of(User), after.Pseudonyms())
	}
}
