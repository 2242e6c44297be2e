#!/bin/sh
# Runs every fuzz harness that is built over its corpus and then SECONDS more.
# usage: tools/fuzz.sh SECONDS   (make fuzz-smoke)
# Inputs that fail stay in build/fuzz/found/NAME-*: put them into tests/fuzz/corpus/X with the fix.
set -u
cd "$(dirname "$0")/.."
passed=0
failed=0
mkdir -p build/fuzz/found
for source in tests/fuzz/fuzz_*.c; do
	[ -e "$source" ] || continue
	name=$(basename "$source" .c)
	corpus=tests/fuzz/corpus/${name#fuzz_}
	work=build/fuzz/work/$name
	rm -rf "$work"
	mkdir -p "$work"
	dirs=$work
	[ ! -d "$corpus" ] || dirs="$work $corpus"
	# shellcheck disable=SC2086
	if build/fuzz/fuzz/"$name" -max_total_time="$1" -timeout=10 -rss_limit_mb=2048 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix=build/fuzz/found/"$name"- $dirs >"build/fuzz/$name.log" 2>&1; then
		passed=$((passed + 1))
		echo "ok      $name ($(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name.log") runs)"
	else
		failed=$((failed + 1))
		echo "FAILED  $name"
		tail -n 40 "build/fuzz/$name.log"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
