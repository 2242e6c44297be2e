# What the proposers of the examples share; sourced by examples/*/propose.sh, which `assay optimize --proposer` starts.
# A real proposer is a person or an agent that reads the reports and writes the next version. These take versions that were
# written beforehand, in a fixed order, and quote the report of the version before. POSIX sh and awk, so that they run
# where there is no Python.
#
# stdin: the loop's state as JSON (docs/FORMATS.md, "State and proposal"). The proposer writes two files, next_path and
# proposal_path, and ends with 0.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
: "${examples:=$here/..}"
flatten() {
	awk -f "$examples/flatten.awk" "$@"
}
state=$(flatten)

# get TEXT PATH: the value at PATH in flattened JSON, empty when absent.
get() {
	printf '%s\n' "$1" | awk -F '\t' -v path="$2" '$1 == path { print substr($0, length(path) + 2); exit }'
}
run_dir=$(get "$state" run_dir)
iteration=$(get "$state" iteration)
backend=$(get "$state" backend)
next_path=$(get "$state" next_path)
proposal_path=$(get "$state" proposal_path)
folder=$run_dir/iter_v$iteration
for name in run_dir iteration backend next_path proposal_path; do
	eval "[ -n \"\$$name\" ]" || {
		echo "$0: the state on stdin has no $name" >&2
		exit 1
	}
done
bench=
[ ! -s "$folder/benchmark_result.json" ] || bench=$(flatten "$folder/benchmark_result.json")

# evidence: "- metric = value unit" lines, as printed in the reports of this iteration: from full_details.txt, whose rows are
# name, unit, value in columns, and the times of benchmark_result.json. A rejected version may have neither.
evidence() {
	if [ -s "$folder/full_details.txt" ]; then
		awk '
		BEGIN {
			n = split("DRAM Throughput;L1/TEX Cache Throughput;L2 Cache Throughput;Compute (SM) Throughput;Achieved Occupancy;" \
				  "task_clock_ns;page_faults;instructions;cycles;cache_misses;branch_misses", want, ";")
		}
		{
			line = $0
			sub(/^[ |]+/, "", line)
			for (i = 1; i <= n; i++)
				if (!(i in seen) && index(line, want[i] "  ") == 1) {
					split(substr(line, length(want[i]) + 1), col, " ")
					if (col[1] == "refused")
						continue
					print "- " want[i] " = " col[2] " " col[1]
					seen[i] = 1
				}
		}' "$folder/full_details.txt"
	fi
	for key in kernel.median_ms kernel.min_ms kernel.max_ms; do
		number=$(get "$bench" $key)
		[ -z "$number" ] || printf -- '- %s = %s ms\n' $key "$number"
	done
}

# preferred: one line for each preferred strategy of the state: merged when all its tags are among ours. The baseline is none.
preferred() {
	printf '%s\n' "$state" | awk -F '\t' -v ours="$tags" '
	BEGIN {
		n = split(ours, t, " ")
		for (i = 1; i <= n; i++)
			have[t[i]] = 1
	}
	$1 ~ /^preferred\.[0-9]+\.(fingerprint|reason|tags\.[0-9]+)$/ {
		split($1, part, ".")
		last = part[2] + 1
		if (part[3] == "fingerprint")
			print_at[part[2]] = $2
		else if (part[3] == "reason")
			baseline[part[2]] = $2 == "baseline_seed"
		else {
			names[part[2]] = names[part[2]] " " $2
			if (!($2 in have))
				lacks[part[2]] = lacks[part[2]] " " $2
		}
	}
	END {
		for (i = 0; i < last; i++)
			if (baseline[i])
				continue
			else if (lacks[i] == "")
				print "- " print_at[i] ": merged; it is" names[i]
			else
				print "- " print_at[i] ": not merged; this version goes another way than" lacks[i]
	}'
}

# propose VERSION: writes the next version (VERSION of this example, or of $stem in this folder, with the suffix of next_path) and the proposal from
# $bottleneck, $change, $pipelining, $tags and, for the first, $references.
propose() {
	: "${stem:=$(basename "$here")}"
	{
		printf '# From v%s to v%s\n\n' "$iteration" $((iteration + 1))
		if [ "$iteration" = 0 ]; then
			printf '## Primary references\n| item | adopted | reason |\n|---|---|---|\n%s\n\n' "$references"
		fi
		printf '## Bottlenecks\n1. %s\n\n## Evidence\n' "$bottleneck"
		lines=$(evidence)
		printf '%s\n' "${lines:-none: the version was rejected before it was measured}"
		printf '\n## Pipelining assessment\n%s\n\n## Change\n%s\n\n## Preferred strategies\n' "$pipelining" "$change"
		merged=$(preferred)
		printf '%s\n\n## Strategy tags\n' "${merged:-none so far}"
		for tag in $tags; do
			printf -- '- %s\n' "$tag"
		done
	} >"$proposal_path"
	cp "$here/${stem}_$1.${next_path##*.}" "$next_path"
}
