#!/bin/sh
# Live comparisons of a kernel with itself: 20 a kernel, in one call of at most 8 minutes on a free GPU. Of 60 at most 6 may
# be decided at minimum effect 0 (5 % expected). usage: bench/gpu/live.sh FOLDER     ASSAY, KERNELS as in bank.sh; RUNS, BUDGET
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: bench/gpu/live.sh FOLDER}
: "${ASSAY:=$here/../../build/release/assay}" "${KERNELS:=small copy fma}" "${RUNS:=20}" "${BUDGET:=4.5}"
mkdir -p "$out"
store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
n=0 decided=0
for k in $KERNELS; do
	i=0
	while [ $i -lt "$RUNS" ]; do
		"$ASSAY" compare "$here/bank_$k.cu" "$here/bank_$k.cu" --time-budget="$BUDGET" --min-effect=0 --any-load --seed=$((42 + i)) \
			--store="$store" -q --json --op-file "$here/bank_$k.op.json" >"$out/aa.json"
		line=$(python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); e = r["sides"][1]["effect"] or {}; print(r["verdict"]["word"], e.get("n_placements"), e.get("effect_pct"), e.get("lower_pct"), e.get("upper_pct"), round(r["run"]["overhead_s_per_placement"], 3), round(sum(r["seconds"].values()), 2))' "$out/aa.json")
		echo "$k $i $line" | tee -a "$out/live-aa.txt"
		case $line in faster* | slower*) decided=$((decided + 1)) ;; esac
		n=$((n + 1)) i=$((i + 1))
	done
done
rm -f "$out/aa.json"
echo "$decided of $n decided" | tee -a "$out/live-aa.txt"
