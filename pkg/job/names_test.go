package job

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestNames reads the names that trainers give to their files: rank, label,
// source, step and whether memory ran out.
func TestNames(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  []string
	}{
		{"torchtitan", []string{"memory_snapshot/iteration_10/rank0_memory_snapshot.pickle",
			"memory_snapshot/iteration_10_exit/rank12_memory_snapshot.pickle"},
			[]string{"0 0 word step 10", "12 12 word step 10 oom"}},
		{"newer torchtitan", []string{"profiling/memory_snapshot/step_000000000100/000000_step_100.pickle",
			"profiling/memory_snapshot/step_000000000100_exit/000017_step_100.pickle"},
			[]string{"0 0 number step 100", "17 17 number step 100 oom"}},
		{"Composer", []string{"run/torch_traces/rank3.200.memory_snapshot.pickle",
			"run/torch_traces/rank4_oom.pickle.gz"},
			[]string{"3 3 word step 200", "4 4 word oom"}},
		{"Megatron-Bridge", []string{"snapshot_0.pickle", "snapshot_7.pickle", "snapshot_oom_rank-3.pickle"},
			[]string{"0 0 number", "7 7 number", "3 3 word oom"}},
		{"slime", []string{"memory_snapshot_time1718000123.25_rank5_snapshot.pickle"}, []string{"5 5 word"}},
		{"global rank", []string{"global_rank_02.pickle", "GLOBALRANK-1.pickle"}, []string{"2 2 word", "1 1 word"}},
		{"torch_npu", []string{"snapshot_2025-01-31-10-59_0.pickle", "snapshot_2025-01-31-10-59_1.pickle"},
			[]string{"0 0 number", "1 1 number"}},
		{"sglang", []string{"x-TP-1-memory-1718000123.pickle", "x-TP-0-memory-1718000124.pickle"},
			[]string{"1 tp1 axes", "0 tp0 axes"}},
		{"several axes", []string{"tp1_pp0.pickle", "tp0_pp0.pickle", "tp10_pp0.pickle", "tp2_pp0.pickle"},
			[]string{"1 tp1 pp0 axes", "0 tp0 pp0 axes", "3 tp10 pp0 axes", "2 tp2 pp0 axes"}},
		{"torchtnt", []string{"step_5/rank1.pickle", "step_5/rank0.pickle"},
			[]string{"1 1 word step 5", "0 0 word step 5"}},
		{"folders", []string{"job/rank1/snapshot.pickle", "job/rank0/snapshot.pickle"},
			[]string{"1 1 word", "0 0 word"}},
		{"Windows folders", []string{`C:\job\gpu1\snapshot.pickle`, `C:\job\gpu0\snapshot.pickle`},
			[]string{"1 gpu1 axes", "0 gpu0 axes"}},
		{"the blog's recipe", []string{"host_Jan_31_10_59_45.pickle", "host_Jan_31_10_59_44.pickle"},
			[]string{"1 1 order", "0 0 order"}},
		{"a date", []string{"a-2025-01-31.pkl", "b-2025-01-30.pkl"}, []string{"0 0 order", "1 1 order"}},
		{"a number that all share", []string{"a_8.pickle", "b_8.pickle"}, []string{"0 0 order", "1 1 order"}},
		{"an axis that all share", []string{"dp8/a_0.pickle", "dp8/a_1.pickle"}, []string{"0 0 number", "1 1 number"}},
		{"steps are no ranks", []string{"snapshot_step_200.pickle", "snapshot_step_100.pickle"},
			[]string{"0 0 order step 200", "0 0 order step 100"}},
		{"natural order", []string{"x10.pickle", "x9.pickle", "x010b.pickle"},
			[]string{"1 1 order", "0 0 order", "2 2 order"}},
		{"not numbered after ranks", []string{"rank3.pickle", "other.pickle"}, []string{"3 3 word", "0 0 order"}},
		{"sizes of batches", []string{"train_bf16_128.pickle", "cuda_graph.pickle", "train_fp32_32.pickle"},
			[]string{"1 1 order", "0 0 order", "2 2 order"}},
		{"sizes of batches, alike", []string{"bf16_128.pickle", "bf16_256.pickle"}, []string{"0 0 order", "1 1 order"}},
		{"two iterations", []string{"iteration_10/rank0_snap.pickle", "iteration_20/rank0_snap.pickle"},
			[]string{"0 0 word step 10", "0 0 word step 20"}},
		{"two runs", []string{"job/a/rank0/iteration_3/snap.pickle", "job/b/rank0/iteration_3/snap.pickle"},
			[]string{"0 0 word step 3 run job/a", "0 0 word step 3 run job/b"}},
		{"two runs, a rank in each name of a folder", []string{"a_rank0/snap.pickle", "a_rank1/snap.pickle",
			"b_rank0/snap.pickle"}, []string{"0 0 word run a*", "1 1 word run a*", "0 0 word run b*"}},
		{"hosts of one job", []string{"node0/rank0.pickle", "node1/rank1.pickle"}, []string{"0 0 word", "1 1 word"}},
		{"one run, recorded twice", []string{"job/rank0_a.pickle", "job/rank0_b.pickle"},
			[]string{"0 0 word", "0 0 word"}},
		{"axes of two steps", []string{"step_1/tp0_pp0.pickle", "step_1/tp1_pp0.pickle", "step_2/tp0_pp0.pickle"},
			[]string{"0 tp0 pp0 axes step 1", "1 tp1 pp0 axes step 1", "0 tp0 pp0 axes step 2"}},
		{"the rank of a matrix", []string{"lora_rank16.pickle", "x_low-rank-8_rank1.pickle"},
			[]string{"0 0 order", "1 1 word"}},
		{"crank is no rank", []string{"crank5.pickle", "ranks8.pickle"}, []string{"0 0 order", "1 1 order"}},
		{"too many digits", []string{"rank99999999999999999999.pickle"}, []string{"999999999 999999999 word"}},
		{"Megatron-LM", []string{"oom_rank-3_snapshot.pickle", "oom_rank-11_snapshot.pickle"},
			[]string{"3 3 word oom", "11 11 word oom"}},
		{"Megatron-Bridge, by iteration", []string{"memory_trace_0.pickle", "memory_trace_1.pickle"},
			[]string{"0 0 number", "1 1 number"}},
		{"MindSpeed", []string{"profile/snapshot_rank_2_step_30.pickle", "profile/snapshot_rank_0_step_30.pickle"},
			[]string{"2 2 word step 30", "0 0 word step 30"}},
		{"a script that counts steps too", []string{"memory_snapshot_rank0_step6.pkl",
			"memory_snapshot_rank1_step6.pkl"},
			[]string{"0 0 word step 6", "1 1 word step 6"}},
		{"a script with one letter", []string{"prof_memsnap_r0.pkl", "prof_memsnap_r1.pkl"},
			[]string{"0 0 number", "1 1 number"}},
		{"machines with devices", []string{"node0/gpu0/a.pickle", "node0/gpu1/a.pickle", "node1/gpu0/a.pickle",
			"node1/gpu1/a.pickle"},
			[]string{"0 node0 gpu0 axes", "1 node0 gpu1 axes", "2 node1 gpu0 axes", "3 node1 gpu1 axes"}},
		{"local ranks of machines", []string{"host1_local_rank0.pickle", "host0_local_rank0.pickle",
			"host0_local_rank1.pickle", "host1_local_rank1.pickle"},
			[]string{"2 node1 local0 axes", "0 node0 local0 axes", "1 node0 local1 axes", "3 node1 local1 axes"}},
		{"local ranks", []string{"local_rank_0.pickle", "local_rank_1.pickle"},
			[]string{"0 local0 axes", "1 local1 axes"}},
		{"nothing", nil, nil},
		{"empty", []string{""}, []string{"0 0 order"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, n := range Names(test.files, nil) {
				got = append(got, nameText(n))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// differ, and begin at 0 or leave none out; one file may have any.
func TestNumbersOfRanks(t *testing.T) {
	read := func(path []string) string { return path[0][1:] }
	none := func(n int) []string { return make([]string, n) }
	for _, test := range []struct{ paths, want []string }{
		{[]string{"a8"}, []string{"8"}}, {[]string{"a8", "a8"}, none(2)}, {[]string{"a8", "b9"}, none(2)},
		{[]string{"a8", "a9"}, []string{"8", "9"}}, {[]string{"a8", "a10"}, none(2)},
		{[]string{"a0", "a10"}, []string{"0", "10"}}, {[]string{"a128", "a256", "a512"}, none(3)},
		{[]string{"a0 pp4", "a1 pp4"}, []string{"0 pp4", "1 pp4"}},
		{[]string{"a0 pp4", "a1 pp6"}, none(2)},
		{[]string{"a0 pp0", "a3 pp2"}, []string{"0 pp0", "3 pp2"}},
	} {
		var paths [][]string
		for _, p := range test.paths {
			paths = append(paths, []string{p})
		}
		if got := eachFamily(paths, read); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q", test.paths, got)
		}
	}
}

// TestPattern: a pattern of the user finds ranks in any name, and nothing else does.
func TestPattern(t *testing.T) {
	files := []string{"x7y10.bin", "x7y9.bin", `run\x8y9.bin`, "rank5.pickle", "x7yB.bin", "oom_x7y3.bin"}
	for _, test := range []struct {
		pattern string
		want    []string
	}{
		{`y(\d+)`, []string{"10 10 pattern", "9 9 pattern", "9 9 pattern", "0 0 order", "1 1 order",
			"3 3 pattern oom"}},
		{`(?P<run>x)(?P<iteration>\d+)y(?P<rank>\w+)`, []string{"10 10 pattern step 7 run x",
			"9 9 pattern step 7 run x",
			"9 9 pattern step 8 run x", "0 0 order", "11 B pattern step 7 run x", "3 3 pattern step 7 oom run x"}},
	} {
		pattern, err := ParsePattern(test.pattern)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range Names(files, pattern) {
			got = append(got, nameText(n))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.pattern, got, test.want)
		}
	}
	for _, bad := range []string{`rank\d+`, `(a)(b)`, `(?P<rank>a)(?P<what>b)`, `(`, strings.Repeat("(a)", 500)} {
		if _, err := ParsePattern(bad); err == nil {
			t.Errorf("%.20s is a pattern", bad)
		}
	}
}

// nameText is a name as the tests write it.
func nameText(n Name) string {
	text := fmt.Sprintf("%d %s %s", n.Rank, n.Label, n.From)
	if n.Step != nil {
		text += fmt.Sprintf(" step %d", *n.Step)
	}
	if n.OOM {
		text += " oom"
	}
	if n.Run != "" {
		text += " run " + n.Run
	}
	return text
}
