#!/usr/bin/env bash
# Records the stories on a CUDA GPU, puts what torch recorded in the place of what
# was simulated, and checks all of it with memviz.
#
#   examples/capture.sh               every story
#   examples/capture.sh STORY...      those only
#   examples/capture.sh --check       runs nothing; checks what is there
#
# It needs Python with torch 2.6 or later (PYTHON=... names another one than python3)
# and Go. A story whose train.py fails stays as it was.
set -u -o pipefail
cd "$(dirname "$0")"
python=${PYTHON:-python3}

die() { echo "capture.sh: $*" >&2; exit 1; }

# What a folder holds that a run of its train.py writes.
recordings() { find "$1" -maxdepth 1 \( -name '*.pickle.gz' -o -name '*.pt' -o -name 'torch_says.json' \); }

# capture STORY: what was there is kept until the run has written all of it anew, and
# comes back if it does not.
capture() {
	local story=$1 wanted made before="what was simulated" status
	wanted=$(names "$story")
	[ -e "$story/torch_says.json" ] && before="an older recording"
	kept=$(mktemp -d)
	running=$story
	recordings "$story" | xargs -r mv -t "$kept"
	timeout 600 "$python" "$story/train.py" >"$kept/log" 2>&1
	status=$?
	made=$(names "$story")
	# The run that ends out of memory fails, as it should: what counts is what it wrote.
	if [ "$made" != "$wanted" ] || [ ! -s "$story/torch_says.json" ]; then
		echo "$story: not recorded, status $status, wrote: $(echo ${made:-nothing})"
		tail -n 5 "$kept/log" | sed 's/^/    /'
		restore
		return 1
	fi
	running=
	rm -rf "$kept"
	echo "$story: recorded $(echo $made), in the place of $before"
}

# names STORY: its snapshots, a line each.
names() { recordings "$1" | grep -v 'torch_says.json$' | xargs -r -n 1 basename | sort; }

# restore puts back what was there before the run under way.
restore() {
	[ -n "$running" ] || return
	recordings "$running" | xargs -r rm
	recordings "$kept" | xargs -r mv -t "$running"
	rm -rf "$kept"
	running=
}
running=
trap restore EXIT

# check: what is written from the recordings, then every test of them.
check() {
	command -v go >/dev/null || die "there is no Go to check them with; elsewhere: examples/capture.sh --check"
	local tests='^(TestStories|TestStoryIndex|TestTorchSays|TestWalkThrough|TestExampleStats)$'
	go test ../cmd/memviz -count 1 -run "$tests" -update >/dev/null
	go test ../cmd/memviz -count 1 -run "$tests"
}

if [ "${1:-}" = --check ]; then
	check
	exit
fi
"$python" -c 'import torch; assert torch.cuda.is_available()' 2>/dev/null ||
	die "$python has no torch with a CUDA GPU; PYTHON=... names another one"
[ $# -gt 0 ] || set -- $(for script in */train.py; do dirname "$script"; done)
failed=0
for story in "$@"; do
	[ -f "$story/train.py" ] || die "there is no story $story"
	capture "$story" || failed=$((failed + 1))
done
check || failed=$((failed + 1))
[ $failed -eq 0 ] || die "$failed of these went wrong; git diff shows what has changed"
