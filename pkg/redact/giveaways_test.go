package redact

import (
	"fmt"
	"slices"
	"testing"
)

// FuzzGiveaways: the hints of the rules hide nothing that their patterns find.
func FuzzGiveaways(f *testing.F) {
	for _, seed := range []string{
		"hf_abcdefghijklmnopqrst AKIAABCDEFGHIJKLMNOP eyJabcdefghijk.abcdefghijkl.x",
		"API_KEY = 'abcdef' ToKeN: abcd \u017fecret=abcd",
		"0123456789abcdef0123456789abcdef aaaaaaaaaabbbbbbbbbbccccccccccdddddddddd==",
		"ada@lab.example.org 10.0.0.17 ip-10-0-0-1 node-17",
		`/home/ada/x C:\\Users\\ada\\x /nfs/a/b/users/eve/y /tmp/torchinductor_ada/z`,
		"ssh://login.cluster.internal s3://bucket db.corp x.cloud",
		"id_01234567 /home/dir_01234567/x at::native::add<c10::Half>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var got, want []string
		giveawaysIn(text, func(kind Giveaway, what string) { got = append(got, fmt.Sprint(kind, what)) })
		rest := text
		for i := range giveaways {
			rest = giveaways[i].takenFrom(rest,
				func(kind Giveaway, what string) { want = append(want, fmt.Sprint(kind, what)) })
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q gives away %q, want %q", text, got, want)
		}
	})
}

// FuzzRenamed: what was renamed is nobody's own any more, for the census.
func FuzzRenamed(f *testing.F) {
	f.Add("/home/ada/gpt/train.py", "Trainer.step.<locals>.inner", "stage 7 of /data/eve/x.bin")
	f.Add("??", "void mine::kernel<c10::Half, (anonymous namespace)::Op>(at::Tensor const&)", "ProfilerStep#3")
	f.Add(`C:\Users\ada\my.py`, "<lambda>", "Optimizer.step#Mine.step")
	f.Fuzz(func(t *testing.T, file, name, text string) {
		w := newWorker(&Options{Paths: true, Names: true})
		file, name, text = w.file(file), w.function(file, name), w.text(text)
		c := NewCensus()
		c.Function(file, name)
		c.Text(text)
		if len(c.Paths())+len(c.Names())+len(c.Texts()) > 0 {
			t.Errorf("of what was renamed there are left the paths %q, the names %q, the texts %q", c.Paths(),
				c.Names(), c.Texts())
		}
	})
}

// TestLongNames: long names of torch are not secrets, but keys are.
func TestLongNames(t *testing.T) {
	for text, secret := range map[string]bool{
		"ScaledDotProductEfficientAttentionBackward0":                                        false,
		"RegisterCompositeExplicitAutogradNonFunctional_0.cpp":                               false,
		"_scaled_dot_product_flash_attention_for_cpu":                                        false,
		"/tmp/torchinductor_root/3u/c3uxhj5q2ablsqp5lrlrkd2ig2tub4do54ysdazmtvawnjje2knd.py": false,
		"wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYxy":                                           true,
		"d41d8cd98f00b204e9800998ecf8427e":                                                   true,
		"hf_ScaledDotProductEfficientAttentionBackward":                                      true,
		"x = c3uxhj5q2ablsqp5lrlrkd2ig2tub4do54ysdazmtvawnjje2kndAB":                         true,
	} {
		found := false
		giveawaysIn(text, func(kind Giveaway, what string) { found = found || kind == Secret })
		if found != secret {
			t.Errorf("%s: secret is %t", text, found)
		}
	}
}
