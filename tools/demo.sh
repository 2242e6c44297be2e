#!/bin/sh
# The main job on real input, on any machine: takes examples/softmax from v0 through five versions (one of them wrong, one
# slower) to the best, on the C backend, and shows where the summary is.
# usage: tools/demo.sh [softmax|matmul|transpose]   ASSAY=path of the program (build/release/assay)
set -eu
cd "$(dirname "$0")/.."
name=${1:-softmax}
assay=${ASSAY:-build/release/assay}
example=examples/$name
[ -f "$example/${name}_v0.c" ] || {
	echo "demo: there is no example $name; there are: $(cd examples && echo */ | tr -d /)" >&2
	exit 2
}
[ -x "$assay" ] || {
	echo "demo: $assay is not built: make" >&2
	exit 2
}
# The user's own store and strategy memory stay out of it, and a second demo goes the way of the first: what it learned
# about the wrong and the slower version would otherwise block them. --any-load: a demo has to decide on a busy machine too.
mkdir -p assay-runs
XDG_DATA_HOME=$PWD/assay-runs/demo-data
export XDG_DATA_HOME
rm -rf "$XDG_DATA_HOME/assay/strategy-memory"

set -- optimize "$example/${name}_v0.c" --backend=c --max-iterations=5 --any-load --compare-budget=4 \
	--ref="$example/${name}_ref.c" \
	--op-file="$example/$name.op.json" --proposer="$example/propose.sh"
echo "demo: $assay $*"
# The state that the verb prints at its end (JSON, for programs) is left out here.
rm -f assay-runs/.demo-status
{
	"$assay" "$@" || echo $? >assay-runs/.demo-status
} | tee assay-runs/.demo-output | sed '/^{$/,$d'
status=$(cat assay-runs/.demo-status 2>/dev/null || echo 0)
run_dir=$(sed -n 's/^run folder: //p' assay-runs/.demo-output)
run_dir=${run_dir#"$PWD"/}
summary=$run_dir/final_summary.md
if [ "$status" != 0 ] || [ ! -s "$summary" ]; then
	echo "demo: assay ended with status $status${run_dir:+; the run is in $run_dir}" >&2
	[ "$status" != 0 ] || status=4
	exit "$status"
fi
# Best version, baseline against best, and what became of the others.
awk '/^## / { show = /^## (1|2|7)\./ } show' "$summary"
echo "demo: the run is in $run_dir"
echo "demo: the summary is $summary"
page=$("$assay" report "$run_dir")
echo "demo: the report, for a browser, is $page"
