#!/bin/sh
# Proposer of the CUTLASS example: v1. See examples/proposer.sh.
. "$(dirname "$0")/../proposer.sh"

references='| pattern: tensor_core | adopted | wgmma instead of mma.sync: sm_90a |
| pattern: epilogue_fusion | adopted | relu in the epilogue, as before |
| pattern: split_k_parallel_reduce | does not fit | the tiles fill the device |
| structural parameters: tile_shape | adopted | 128x128x64, two blocks share the columns of B |
| structural parameters: multi_stage_pipeline | adopted | as many stages as shared memory holds |
| structural parameters: tile_scheduler_swizzle | conflicts | the tile shape comes first |'
bottleneck='mma.sync reaches about half of the rate of this tensor core, and its operands pass through registers.'
change='CUTLASS 3.x: wgmma with operands in shared memory, fed by the bulk copy engine.'
pipelining='Yes: a producer warp group keeps the stages full while two consumer groups multiply.'
tags='wgmma tma_bulk_copy warp_specialization thread_block_cluster'
propose v1
