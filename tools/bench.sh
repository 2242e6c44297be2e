#!/bin/sh
# make bench: speed as ratios against yardsticks that are timed in the same run. Figures that were kept are in
# docs/measurements/ and docs/PERFORMANCE.md.
set -eu
cd "$(dirname "$0")/.."
python3 bench/start.py "${ASSAY:-build/release/assay}"
python3 bench/page.py "${ASSAY:-build/release/assay}"
python3 bench/mcp.py "${ASSAY:-build/release/assay}"
"${MAKE:-make}" --no-print-directory bench-protocol CALLS=50 MB=256
"${MAKE:-make}" --no-print-directory bench-read
