#!/bin/sh
# Proposer of the softmax in Triton: v1. See examples/proposer.sh.
stem=softmax
. "$(dirname "$0")/../proposer.sh"

references='| shape: tile_shape | does not fit | a row is one tile |
| shape: num_warps | adopted | one warp a row: its reductions need no shared memory |
| shape: num_stages | does not fit | there is no loop |
| autotune: autotune | conflicts | one change at a time |'
bottleneck='Four warps reduce a row through shared memory and wait for each other twice.'
change='One warp a row.'
pipelining='No: a row is read once and nothing is reused; more rows in flight come from more programs.'
tags='warp_reduction streaming_store reciprocal'
propose v1
