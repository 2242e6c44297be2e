#!/bin/sh
# A workload driver for assay (driver protocol v2) in plain sh: DRIVER --request FILE. One subject a call; names without quotes
# and backslashes. The subject is a folder with an executable `run`: `run CASE` does the work and prints its answer, which is
# compared with that of the reference's `run`. Fill in: environment, and what a sample is.
set -eu
request=$2

# ---- the request, as assay writes it: one member a line, two blanks a level ----
top() { sed -n "s/^  \"$1\": \"\(.*\)\",\{0,1\}\$/\1/p" "$request"; }
inside() { sed -n "/^  \"$1\": [[{]/,/^  []}]/p" "$request"; }
case_id=$(inside case | sed -n 's/^    "id": "\(.*\)"$/\1/p')
role=$(inside subjects | sed -n 's/^      "role": "\(.*\)",$/\1/p')
digest=$(inside subjects | sed -n 's/^        "digest": "\(.*\)",$/\1/p')
locator=$(inside subjects | sed -n 's/^        "locator": "\(.*\)"$/\1/p')
reference=$(inside correctness | sed -n 's/^      "locator": "\(.*\)"$/\1/p')
count=$(inside sampling | sed -n 's/^    "\(repetitions\|samples_per_case\)": \([0-9]*\).*$/\2/p')
name=$(inside objective | sed -n '/"primary_metric"/,/}/s/^ *"name": "\(.*\)",$/\1/p')
unit=$(inside objective | sed -n '/"primary_metric"/,/}/s/^ *"unit": "\(.*\)"$/\1/p')
acquisition=$(inside acquisition | sed -e '1s/^.*{/{/' -e '$s/},$/}/')

# ---- the work ----
errors=0
[ "$("$locator/run" "$case_id")" = "$("$reference/run" "$case_id")" ] || errors=1
status=passed
[ $errors = 0 ] || status=failed
samples=
for _ in $(seq "${count:-5}"); do
	begin=$(date +%s%N)
	"$locator/run" "$case_id" >/dev/null
	samples="$samples${samples:+, }$(($(date +%s%N) - begin))"
done

# ---- the result, whole or not at all ----
output=$(top output_path)
cat >"$output.new" <<EOF
{"protocol_version": "cuda-kernel-optimizer/driver-result-v2", "request_digest": "$(top request_digest)",
 "target_id": "$(top target_id)", "execution_id": "$(top execution_id)", "driver_identity": "$(top driver_identity)",
 "subject_digests": [{"role": "$role", "digest": "$digest"}], "case_id": "$case_id", "artifacts": [],
 "cleanup": {"status": "confirmed", "live_tasks": []}, "acquisition": $acquisition,
 "environment": {"gpu_uuids": [], "gpu_models": [], "gpu_architectures": [], "driver_version": "none",
  "cuda_runtime_version": "none", "frameworks": {}, "runtime_provenance": {"kind": "host", "identity": "$(uname -srm)",
  "lineage_complete": true, "lineage": [], "components": []}},
 "evidence": {"correctness": [{"role": "$role", "result": {"status": "$status", "metrics": {"errors": $errors}}}],
  "measurements": [{"role": "$role", "result": {"primary": {"name": "$name", "unit": "$unit", "samples": [$samples]},
  "constraints": []}}]}}
EOF
mv "$output.new" "$output"
