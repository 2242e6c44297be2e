#!/bin/sh
# Proposer of the matmul example: v1, v2, a wrong one, a slower one, v3. See examples/proposer.sh.
. "$(dirname "$0")/../proposer.sh"

case $backend.$iteration in
c.0)
	references='| memory: order of access | adopted | B is read down its columns |
| compute: vectors, register tile | conflicts | the order of loops comes first |
| sync: independent chains | adopted | the sums of a row do not depend on each other |'
	bottleneck='Every step reads a new cache line of B and waits for the sum before.'
	change='Loops in the order i, k, j.'
	pipelining='No: the hardware prefetches along rows.'
	tags='loop_order'
	propose v1
	;;
c.1)
	bottleneck='Two loads and a store for each multiplication.'
	change='Vectors of four and a tile of 4 x 4 results in registers.'
	pipelining='No: loads are hits once the tile is reused.'
	tags='loop_order simd register_blocking'
	propose v2
	;;
c.2)
	bottleneck='Loop overhead of the innermost loop.'
	change='Unroll the loop over K by four.'
	pipelining='No: as before.'
	tags='loop_order unroll_k'
	propose wrong
	;;
c.3)
	bottleneck='B is read once for every four rows.'
	change='Keep one element of B for a whole column of C.'
	pipelining='No: as before.'
	tags='b_stationary'
	propose slow
	;;
c.*)
	bottleneck='Loads of B cross rows, and each load of A serves one vector.'
	change='Pack panels of 8 columns of B, tile of 4 x 8.'
	pipelining='The packed panel is what a pipeline would fetch ahead; it fits into the first-level cache.'
	tags='loop_order simd register_blocking packing'
	propose v3
	;;
*.0)
	references='| memory: coalesced access | adopted | neighbouring threads take neighbouring rows |
| memory: shared-memory tiles | conflicts | coalescing first, to compare with |
| compute: tensor cores | does not fit | float32 results to 1e-4 are asked for |
| sync: fewer barriers | does not fit | there is none yet |'
	bottleneck='Loads of A and stores of C are not coalesced.'
	change='Neighbouring threads take neighbouring columns.'
	pipelining='No: there is no tile yet that could be fetched ahead.'
	tags='coalesced_access'
	propose v1
	;;
*.1)
	bottleneck='Each element of A and B is read from the caches again for every result.'
	change='Tiles of 32 x 32 in shared memory.'
	pipelining='Not yet: first the tile, then two of them.'
	tags='coalesced_access shared_memory_tiling'
	propose v2
	;;
*.2)
	bottleneck='Checks of the bounds in the inner loop.'
	change='Whole tiles along K only, without a check.'
	pipelining='No: as before.'
	tags='coalesced_access shared_memory_tiling no_bounds_check'
	propose wrong
	;;
*.3)
	bottleneck='Few blocks for the device.'
	change='Split K over blocks, add by atomic operations.'
	pipelining='No: parts are short.'
	tags='split_k'
	propose slow
	;;
*)
	bottleneck='Two loads from shared memory for each multiplication.'
	change='4 x 4 results a thread in registers, A transposed in shared memory.'
	pipelining='A second buffer would hide the loads of the next tile; registers for it are left (see the launch statistics).'
	tags='coalesced_access shared_memory_tiling register_blocking vectorized_load'
	propose v3
	;;
esac
