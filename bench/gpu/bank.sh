#!/bin/sh
# Records the bank: 40 placements of A, A again, and A with 0.2, 0.5 and 1 % planted, for three kernels, in one call of at
# most 8 minutes on a free GPU. Then the engine is replayed over it: build/release/bench/replay (make bank-replay).
# usage: bench/gpu/bank.sh FOLDER     gets KERNEL.json, KERNEL.trial.gz and live.txt
# ASSAY: the program (build/release/assay). PLACEMENTS, BLOCKS: 40, 30. KERNELS: "small copy fma".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: bench/gpu/bank.sh FOLDER}
: "${ASSAY:=$here/../../build/release/assay}" "${PLACEMENTS:=40}" "${BLOCKS:=30}" "${KERNELS:=small copy fma}"
mkdir -p "$out"
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
began=$(date +%s)
{
	echo "bank of $(date -u +%Y-%m-%dT%H:%M:%SZ): $PLACEMENTS placements, $BLOCKS blocks"
	nvidia-smi --query-gpu=name,uuid,driver_version,clocks.sm,clocks.mem,power.limit --format=csv,noheader 2>/dev/null || uname -a
	"$ASSAY" --version 2>/dev/null || true
} >"$out/live.txt"
for k in $KERNELS; do
	f=$here/bank_$k.cu
	"$ASSAY" compare "$f" "$f" "$f::-DPLANT=2" "$f::-DPLANT=5" "$f::-DPLANT=10" --placements="$PLACEMENTS" \
		--blocks="$BLOCKS" --min-effect=0 --any-load --store="$store" -q --json --op-file "$here/bank_$k.op.json" \
		>"$out/$k.json"
	digest=$(sed -n 's/^  "trial": "\([0-9a-f]*\)".*/\1/p' "$out/$k.json")
	rest=${digest#??}
	gzip -c "$store/objects/${digest%"$rest"}/$rest" >"$out/$k.trial.gz"
	echo "$k: $(($(date +%s) - began)) s so far" >>"$out/live.txt"
	# what a placement of two sides costs here: the replay divides its budgets by it
	"$ASSAY" compare "$f" "$f" --time-budget=5 --min-effect=0 --any-load --store="$store" -q \
		--op-file "$here/bank_$k.op.json" --json-out "$out/$k.live.json" >>"$out/live.txt"
done
echo "all: $(($(date +%s) - began)) s" >>"$out/live.txt"
cat "$out/live.txt"
