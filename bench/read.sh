#!/bin/sh
# Speed of the profile readers, as ratios against yardsticks timed in the same run on the same file: median of 5 each, wall time
# and processor time, and the peak of memory.
# usage: bench/read.sh [MILLION_KERNELS [TRACE_MB]]
# (make bench-read KERNELS=10 TRACE_MB=500: the nsys export has 10 million kernels, 1.5 GB; the PyTorch trace 500 MB)
# Files are made by generators in this folder and removed at the end. PEERS=folder of a virtual environment with
# HolisticTraceAnalysis, where it is timed too.
set -eu
cd "$(dirname "$0")/.."
millions=${1:-1}
trace_mb=${2:-100}
build=build/release
assay=$build/assay
dir=$(mktemp -d "${TMPDIR:-/tmp}/assay-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT INT TERM

clock() { python3 bench/clock.py 5 "$@"; }
once() { python3 bench/clock.py 1 "$@"; }

# ratio NAME LIMIT OURS YARDSTICK: one line; OURS and YARDSTICK as clock prints them.
ratio() {
	echo "$3 $4" | awk -v name="$1" -v limit="$2" '{
		printf "%-38s %8.1f ms, yardstick %8.1f ms, ratio %5.2f by the clock, %5.2f by processor time (wanted: at most %s), peak %.0f MB\n",
			name, $1 / 100, $4 / 100, $1 / $4, $2 / ($5 ? $5 : 1), limit, $3 / 1024 }'
}

"$build"/bench/gen_ncu tests/data/ncu/gather.ncu-repz "$dir/r.ncu-rep" 16777216
yard=$(clock sha256sum "$dir/r.ncu-rep")
ratio "ncu 16 MB, against sha256sum" 0.7 "$(clock $assay read "$dir/r.ncu-rep")" "$yard"
ratio "ncu 16 MB as CSV, against sha256sum" - "$(clock $assay read "$dir/r.ncu-rep" --csv)" "$yard"

if command -v sqlite3 >/dev/null; then
	"$build"/bench/gen_nsys "$dir/n.sqlite" $((millions * 1000000)) $((millions * 2000000))
	sql='SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL; SELECT sum(end - start) FROM CUPTI_ACTIVITY_KIND_RUNTIME'
	yard=$(clock sqlite3 "$dir/n.sqlite" "$sql")
	ratio "nsys ${millions}M kernels, against sum()" 3 "$(clock $assay read "$dir/n.sqlite" --top 10)" "$yard"
	ratio "nsys ${millions}M kernels, timeline" - "$(clock $assay read "$dir/n.sqlite" --table timeline)" "$yard"
	rm "$dir/n.sqlite"
else
	echo 'nsys: no sqlite3 here for the yardstick (Debian: apt-get install sqlite3)'
fi

one="taskset -c $(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" # the first processor that this shell may use
trace=$dir/t.json
for mb in $((trace_mb / 10)) "$trace_mb"; do
	"$build"/bench/gen_kineto $((mb * 1000000)) 1 >"$trace"
	yard=$(clock wc -l "$trace")
	ratio "trace $mb MB by kernel, one core" 3.5 "$(clock $one $assay read "$trace" --table kernels --top 10)" "$yard"
	ratio "trace $mb MB all facts, one core" 6 "$(clock $one $assay read "$trace" --top 10)" "$yard"
	ratio "trace $mb MB all facts, two cores" 4 "$(clock $assay read "$trace" --top 10)" "$yard"
done
ratio "trace $mb MB slim, against wc -l" - "$(
	once $assay trace slim "$trace" --drop python_function -o "$dir/slim.json" -q
)" "$yard"
rm -f "$dir/slim.json"
plain=$(clock $assay read "$trace" --top 10)
if [ -n "${PEERS:-}" ]; then
	ratio "HolisticTraceAnalysis, against assay" - "$(once "$PEERS/bin/python" bench/peer_hta.py "$trace")" "$plain"
fi
ratio "Python's json.load, against assay" - "$(once python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$trace")" "$plain"
gzip -6 -c "$trace" >"$trace.gz"
rm "$trace"
if command -v igzip >/dev/null; then
	yard=$(clock igzip -dc "$trace.gz")
	[ "${yard%% *}" -gt "${plain%% *}" ] || yard=$plain
	ratio "trace gzipped, igzip or plain" 1.3 "$(clock $assay read "$trace.gz" --top 10)" "$yard"
else
	yard=$(clock gzip -dc "$trace.gz")
	ratio "trace gzipped, against gzip -dc" - "$(clock $assay read "$trace.gz" --top 10)" "$yard"
fi

gzip -dc tests/data/sass/signatures_sm90a.sass.gz >"$dir/one.sass"
for _ in $(seq 400); do cat "$dir/one.sass"; done >"$dir/s.sass"
ratio "SASS $(($(wc -c <"$dir/s.sass") / 1000000)) MB, against sha256sum" - \
	"$(clock $assay read "$dir/s.sass" --table kernels --top 10)" "$(clock sha256sum "$dir/s.sass")"
