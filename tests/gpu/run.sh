#!/bin/sh
# Everything that needs a GPU, in one call: tests/gpu/run.sh. Results go to $OUT (default: a new folder below /tmp); a short
# table comes last. ASSAY: the program (build/release/assay). WORK: folder for what runs leave. WHAT: parts to run, "bench
# optimize verdicts cost unit",
# and apart, since each takes minutes, "loop" (time of an iteration by phase), "selfloop", "triton", "cutlass" (CUTLASS_PATH or
# the package nvidia-cutlass), "telemetry" (another process on the GPU), "mechanisms"
# (machine code beside the counters of ncu), "workload" (training steps in torch through the evidence protocol, readiness to final audit;
# LIFECYCLE=isolated_process: each side in a process of its own), "sanitize" (compute-sanitizer over kernels with one fault each) and "integrity" (kernels that cheat and kernels that do
# not, in CUDA and Python: BACKEND=cuda and ONLY=cuda/honest for a part, ONLY=racecheck of "sanitize"; DEADLINE: seconds after which no further one begins).
# Without a GPU it says so and ends with 0: skipped.
set -eu
cd "$(dirname "$0")/../.."
: "${ASSAY:=$PWD/build/release/assay}"
: "${OUT:=$(mktemp -d /tmp/assay-gpu-XXXXXX)}"
export ASSAY OUT
if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
	echo "skipped: no NVIDIA GPU here"
	exit 0
fi
exec python3 tests/gpu/run.py
