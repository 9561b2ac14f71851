package redact

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// masked has # for what a salt decides.
var tokens = regexp.MustCompile(`_[0-9a-hjkmnp-tv-z]{8}`)

func masked(text string) string { return tokens.ReplaceAllString(text, "_#") }

func TestFiles(t *testing.T) {
	w := newWorker(&Options{Paths: true, Names: true, Salt: []byte("s"), Keep: []string{"/opt/open"},
		Strip: []string{"/mnt/jobs/", "/usr/lib/python3.12/site-packages"}})
	for _, test := range []struct{ file, want string }{
		{"", ""}, {"??", "??"},
		{"/home/alice/llm/train.py", "/home/dir_#/dir_#/file_#.py"},
		{"/home/src/train.py", "/home/dir_#/file_#.py"},
		{`C:\Users\Alice\llm\train.py`, `C:\Users\dir_#\dir_#\file_#.py`},
		{"/home/alice/llm/optim_fast.py", "/home/dir_#/dir_#/optim_file_#.py"},
		{"/home/alice/llm/PagedKVCache.py", "/home/dir_#/dir_#/file_#_kvcache.py"},
		{"/home/alice/v/lib/python3.12/site-packages/torch/nn/modules/linear.py",
			"/home/dir_#/dir_#/lib/python3.12/site-packages/torch/nn/modules/linear.py"},
		{"/usr/lib/python3.12/threading.py", "/usr/lib/python3.12/threading.py"},
		{"/srv/lib/python3.12/acme.py", "/srv/lib/python3.12/file_#.py"},
		{"/usr/lib/python3/dist-packages/acme/llm.py", "/usr/lib/python3/dist-packages/dir_#/file_#.py"},
		{"/src/pytorch/torch/optim/secret.py", "/src/dir_#/torch/optim/file_#.py"},
		{"/tmp/ipykernel_412/1805.py", "/tmp/ipykernel_dir_#/file_#.py"},
		{"/tmp/torchinductor_alice/ab/c.py", "/tmp/torchinductor_dir_#/dir_#/file_#.py"},
		{"<string>", "<string>"}, {"<eval_with_key>.7", "<eval_with_key>.7"}, {"<cell line: 3>", "<cell line: 3>"},
		{"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"}, {"<frozen acme>", "<frozen file_#>"},
		{"<attrs generated init acme.Config>", "<attrs generated file_#>"}, {"<acme>", "<file_#>"},
		{"RegisterCUDA_0.cpp", "RegisterCUDA_0.cpp"}, {"/build/acme/kernel.cu", "/build/dir_#/file_#.cu"},
		{"libacme.so.3", "file_#"},
		{"/opt/open/gpt/model.py", "/opt/open/gpt/model.py"}, {"/opt/opener/model.py", "/opt/dir_#/file_#.py"},
		{"/mnt/jobs/train.py", "file_#.py"},
		{"/usr/lib/python3.12/site-packages/numpy/core.py", "/usr/lib/python3.12/site-packages/numpy/core.py"},
		// else it were somebody's own
	} {
		if got := masked(w.file(test.file)); got != test.want {
			t.Errorf("%s becomes %s, want %s", test.file, got, test.want)
		}
	}
}

func TestFunctions(t *testing.T) {
	w := newWorker(&Options{Paths: true, Names: true, Salt: []byte("s"), Keep: []string{"/opt/open"}})
	for _, test := range []struct{ file, name, want string }{
		{"/a/train.py", "train", "fn_#"},
		{"/a/train.py", "forward", "forward"},
		{"/a/train.py", "Trainer.step.<locals>.inner", "fn_#.step.<locals>.inner"},
		{"/a/train.py", "load_model_acme", "fn_#_load_model"},
		{"/v/site-packages/torch/x.py", "anything", "anything"},
		{"/v/site-packages/acme/x.py", "anything", "fn_#"},
		{"/opt/open/x.py", "anything", "anything"},
		{"??", "at::native::add_kernel<float>(at::Tensor const&)", "at::native::add_kernel<float>(at::Tensor const&)"},
		{"??", "acme::run(at::Tensor, acme::Policy)", "id_#::id_#(at::Tensor, id_#::id_#)"},
		{"??", "torch::autograd::CppNode<acme::MyBackward>::apply(",
			"torch::autograd::CppNode<id_#::id_#_Backward>::apply("},
		{"??", "at::native::(anonymous namespace)::f", "at::native::(anonymous namespace)::f"},
		{"??", "void ::acme::f", "void ::id_#::id_#"},
		{"??", "_PyEval_EvalFrameDefault", "_PyEval_EvalFrameDefault"}, {"??", "PyInit_acme", "id_#"},
	} {
		if got := masked(w.function(test.file, test.name)); got != test.want {
			t.Errorf("%s in %s becomes %s, want %s", test.name, test.file, got, test.want)
		}
	}
}

func TestTexts(t *testing.T) {
	all := newWorker(&Options{Paths: true, Names: true, Salt: []byte("s")})
	paths := newWorker(&Options{Paths: true, Salt: []byte("s")})
	for _, test := range []struct{ text, all, paths string }{
		{"", "", ""}, {"N/A", "N/A", "N/A"}, {"0/1", "0/1", "0/1"},
		{"Torch-Compiled Region: 0/1", "Torch-Compiled Region: 0/1", "Torch-Compiled Region: 0/1"},
		{"Optimizer.step#AdamW.step", "Optimizer.step#AdamW.step", "Optimizer.step#AdamW.step"},
		{"Optimizer.step#Acme.step", "Optimizer.step#text_#", "Optimizer.step#Acme.step"},
		{"ProfilerStep#7", "ProfilerStep#7", "ProfilerStep#7"},
		{"load /home/alice/llm/w.pt now", "text_#", "load /home/dir_#/dir_#/file_#.pt now"},
		{"see data/acme/w.pt", "text_#", "see data/dir_#/file_#.pt"},
	} {
		if got := masked(all.text(test.text)); got != test.all {
			t.Errorf("%q becomes %q, want %q", test.text, got, test.all)
		}
		if got := masked(paths.text(test.text)); got != test.paths {
			t.Errorf("of %q, paths become %q, want %q", test.text, got, test.paths)
		}
	}
	if got := masked(
		all.setting("max_split_size_mb:128,acme:[x:2,>:8]")); got != "max_split_size_mb:128,text_#:[text_#:2,>:8]" {
		t.Errorf("settings become %s", got)
	}
}

func TestFileNames(t *testing.T) {
	o := Options{Paths: true, Salt: []byte("s")}
	for _, test := range []struct{ name, want string }{
		{"acme.pickle", "file_#.pickle"}, {"acme.pickle.gz", "file_#.pickle.gz"},
		{"run/acme_rank3.pkl", "dir_#/rank3_file_#.pkl"},
		{"acme.v7", "file_#"}, {"tp1_pp0.pickle", "tp1_pp0_file_#.pickle"},
	} {
		if got := masked(o.FileName(test.name)); got != test.want {
			t.Errorf("%s becomes %s, want %s", test.name, got, test.want)
		}
	}
}

func TestSaltDecides(t *testing.T) {
	name := func(salt string) string {
		return newWorker(&Options{Paths: true, Salt: []byte(salt)}).file("/home/alice/train.py")
	}
	one, same, other := name("a"), name("a"), name("b")
	if one != same || one == other || strings.Contains(one, "alice") {
		t.Errorf("%s, %s, %s", one, same, other)
	}
	if first, second := NewSalt(), NewSalt(); bytes.Equal(first, second) {
		t.Error("two salts are the same")
	}
}
