#!/bin/sh
# Speed of the profile readers, as ratios against yardsticks timed in the same run on the same file: median of 5 each.
# usage: bench/read.sh [MILLION_KERNELS [TRACE_MB]]
# (make bench-read KERNELS=10 TRACE_MB=500: the nsys export has 10 million kernels, 1.5 GB; the PyTorch trace 500 MB)
# Files are made by generators in this folder and removed at the end.
set -eu
cd "$(dirname "$0")/.."
millions=${1:-1}
trace_mb=${2:-100}
build=build/release
dir=$(mktemp -d "${TMPDIR:-/tmp}/assay-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT INT TERM

# median COMMAND...: milliseconds, the middle of five runs.
median() {
	for _ in 1 2 3 4 5; do
		from=$(date +%s%N)
		"$@" >/dev/null
		echo $((($(date +%s%N) - from) / 10000))
	done | sort -n | sed -n 3p
}

# ratio NAME LIMIT OURS YARDSTICK: one line; times are in units of 10 us.
ratio() {
	awk -v name="$1" -v limit="$2" -v a="$3" -v b="$4" 'BEGIN {
		printf "%-34s %9.1f ms, yardstick %9.1f ms, ratio %5.2f (wanted: at most %s)\n", name, a / 100, b / 100, a / b, limit }'
}

"$build"/bench/gen_ncu tests/data/ncu/gather.ncu-repz "$dir/r.ncu-rep" 16777216
yard=$(median sha256sum "$dir/r.ncu-rep")
ratio "ncu 16 MB, against sha256sum" 0.7 "$(median $build/assay read "$dir/r.ncu-rep")" "$yard"
ratio "ncu 16 MB as CSV, against sha256sum" - "$(median $build/assay read "$dir/r.ncu-rep" --csv)" "$yard"

if command -v sqlite3 >/dev/null; then
	"$build"/bench/gen_nsys "$dir/n.sqlite" $((millions * 1000000)) $((millions * 2000000))
	sql='SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL; SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_RUNTIME'
	ratio "nsys ${millions}M kernels, against sum()" 3 "$(median $build/assay read "$dir/n.sqlite")" \
		"$(median sqlite3 "$dir/n.sqlite" "$sql")"
else
	echo 'nsys: no sqlite3 here for the yardstick (Debian: apt-get install sqlite3)'
fi

trace=$dir/t.json
"$build"/bench/gen_kineto $((trace_mb * 1000000)) 1 >"$trace"
yard=$(median wc -l "$trace")
one="taskset -c $(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" # the first processor that this shell may use
ratio "trace ${trace_mb} MB by kernel, one core" 3.5 "$(median $one $build/assay read "$trace" --table kernels --top 10)" "$yard"
ratio "trace ${trace_mb} MB all facts, one core" 6 "$(median $one $build/assay read "$trace" --top 10)" "$yard"
ratio "trace ${trace_mb} MB all facts, two cores" 4 "$(median $build/assay read "$trace" --top 10)" "$yard"
plain=$(median $build/assay read "$trace" --top 10)
gzip -6 -c "$trace" >"$trace.gz"
rm "$trace"
if command -v igzip >/dev/null; then
	yard=$(median igzip -dc "$trace.gz")
	[ "$yard" -gt "$plain" ] || yard=$plain
	ratio "trace gzipped, igzip or plain" 1.3 "$(median $build/assay read "$trace.gz" --top 10)" "$yard"
else
	yard=$(median gzip -dc "$trace.gz")
	ratio "trace gzipped, against gzip -dc" - "$(median $build/assay read "$trace.gz" --top 10)" "$yard"
fi

gzip -dc tests/data/sass/signatures_sm90a.sass.gz >"$dir/one.sass"
for _ in $(seq 400); do cat "$dir/one.sass"; done >"$dir/s.sass"
ratio "SASS $(($(wc -c <"$dir/s.sass") / 1000000)) MB, against sha256sum" - \
	"$(median $build/assay read "$dir/s.sass" --table kernels --top 10)" "$(median sha256sum "$dir/s.sass")"
