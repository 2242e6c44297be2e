#!/bin/sh
# Proposer of the transpose example: v1, v2, a wrong one, a slower one, v3. See examples/proposer.sh.
. "$(dirname "$0")/../proposer.sh"

case $backend.$iteration in
c.0)
	references='| memory: order of access | adopted | stores lie a row apart |
| memory: tiles | conflicts | the order of loops comes first, to compare with |
| compute: vectors | does not fit | there is no arithmetic |
| sync | does not fit | one thread |'
	bottleneck='Every store misses the cache and is waited for.'
	change='Write along rows, read down columns.'
	pipelining='No: the processor overlaps the loads by itself.'
	tags='loop_order'
	propose v1
	;;
c.1)
	bottleneck='A cache line is fetched for each element that is read from it.'
	change='Tiles of 16 x 16.'
	pipelining='No: as before.'
	tags='loop_order cache_blocking'
	propose v2
	;;
c.2)
	bottleneck='Checks of the edges in the inner loops.'
	change='Whole tiles only.'
	pipelining='No: as before.'
	tags='loop_order cache_blocking no_edge_check'
	propose wrong
	;;
c.3)
	bottleneck='The tile fits one level of the caches.'
	change='Split in halves down to single elements.'
	pipelining='No: as before.'
	tags='cache_oblivious'
	propose slow
	;;
c.*)
	bottleneck='One element a load and a store.'
	change='Tiles of 4 x 4 in vector registers.'
	pipelining='No: there is nothing to compute while a load is under way.'
	tags='loop_order cache_blocking simd'
	propose v3
	;;
*.0)
	references='| memory: coalesced access | adopted | stores lie a row apart |
| memory: shared-memory tile | conflicts | coalesced stores first, to compare with |
| compute | does not fit | there is no arithmetic |
| sync | does not fit | there is no barrier yet |'
	bottleneck='Stores are not coalesced.'
	change='Coalesced stores, loads a row apart.'
	pipelining='No: nothing is reused.'
	tags='coalesced_access'
	propose v1
	;;
*.1)
	bottleneck='Loads are not coalesced.'
	change='A tile of 32 x 32 in shared memory.'
	pipelining='No: one tile a block, nothing is reused.'
	tags='coalesced_access shared_memory_tiling'
	propose v2
	;;
*.2)
	bottleneck='Checks of the bounds.'
	change='Whole tiles only, without a check.'
	pipelining='No: as before.'
	tags='coalesced_access shared_memory_tiling no_bounds_check'
	propose wrong
	;;
*.3)
	bottleneck='Many short threads.'
	change='One thread moves a whole row.'
	pipelining='No: as before.'
	tags='thread_coarsening'
	propose slow
	;;
*)
	bottleneck='A column of the tile lies in one bank, and a thread has one load in flight.'
	change='Rows of 33 elements, four elements a thread.'
	pipelining='No: one tile a block; four loads in flight come from four elements a thread.'
	tags='coalesced_access shared_memory_tiling bank_conflict_padding instruction_level_parallelism'
	propose v3
	;;
esac
