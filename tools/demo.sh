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
	echo "demo: there is no example $name; there are: $(ls -d examples/*/ | xargs -n 1 basename | tr '\n' ' ')" >&2
	exit 2
}
[ -x "$assay" ] || {
	echo "demo: $assay is not built: make" >&2
	exit 2
}
# The user's own store and strategy memory stay out of it, and a second demo goes the way of the first: what it learned
# about the wrong and the slower version would otherwise block them.
mkdir -p assay-runs
XDG_DATA_HOME=$PWD/assay-runs/demo-data
export XDG_DATA_HOME
rm -rf "$XDG_DATA_HOME/assay/strategy-memory"

set -- optimize "$example/${name}_v0.c" --backend=c --max-iterations=5 --ref="$example/${name}_ref.c" \
	--op-file="$example/$name.op.json" --proposer="$example/propose.sh"
echo "demo: $assay $*"
status=0
"$assay" "$@" || status=$?
# shellcheck disable=SC2012
run_dir=$(ls -td assay-runs/"$name"*/ 2>/dev/null | head -n 1)
run_dir=${run_dir%/}
[ "$status" = 0 ] && [ -s "$run_dir/final_summary.md" ] || {
	echo "demo: assay ended with status $status${run_dir:+; the run is in $run_dir}" >&2
	[ "$status" != 0 ] || status=4
	exit "$status"
}
echo
sed -n 1,40p "$run_dir/final_summary.md"
echo
echo "demo: the run is in $run_dir"
echo "demo: the summary is $run_dir/final_summary.md"
[ ! -e "$run_dir/report.html" ] || echo "demo: the report is $run_dir/report.html"
