#!/bin/sh
# Proposer of the softmax example: v1, v2, a wrong one, a slower one, v3. See examples/proposer.sh.
. "$(dirname "$0")/../proposer.sh"

case $backend.$iteration in
c.0)
	references='| memory: fewer passes over the row | does not fit | a row fits into the first-level cache |
| compute: no work twice | adopted | each exponential is computed twice, each element is divided |
| sync: independent chains | conflicts | libm calls stand between the elements; later |'
	bottleneck='exp is called twice an element and there is a division an element: the row is bound by instructions.'
	change='Keep the exponential in y and multiply by the reciprocal of the sum.'
	pipelining='No: one thread, and the row is in the first-level cache, so there is no latency of memory to hide.'
	tags='exp_once reciprocal'
	propose v1
	;;
c.1)
	bottleneck='One call of expf an element, and maximum and sum each wait for the element before.'
	change='A polynomial instead of the call, four maxima and four sums side by side.'
	pipelining='Only of arithmetic: four independent chains; memory is not what is waited for.'
	tags='exp_once reciprocal polynomial_exp instruction_level_parallelism'
	propose v2
	;;
c.2)
	bottleneck='The loops run one element at a time.'
	change='Take the row in fours.'
	pipelining='No: as before.'
	tags='exp_once reciprocal four_at_a_time'
	propose wrong
	;;
c.3)
	bottleneck='Three passes over the row.'
	change='The online form: maximum and sum in one pass.'
	pipelining='No: each element waits for the one before; that is the price of one pass.'
	tags='online_softmax'
	propose slow
	;;
c.*)
	bottleneck='Three passes of scalar instructions; the exponential is a polynomial and so has a vector form.'
	change='Vectors of four in all three passes, two of them in flight, the tail one by one.'
	pipelining='Only of arithmetic: two vectors in flight.'
	tags='exp_once reciprocal polynomial_exp instruction_level_parallelism simd'
	propose v3
	;;
*.0)
	references='| memory: coalesced access | adopted | neighbouring threads read addresses a row apart |
| memory: shared memory | adopted | maximum and sum are reduced over a block |
| compute: tensor cores | does not fit | there is no matrix product |
| compute: fast exponential | conflicts | the reduction comes first; with v2 |
| sync: warp shuffles | conflicts | block reduction first, to compare with |'
	bottleneck='One thread a row: accesses are not coalesced and few warps run.'
	change='One block a row, reduction in shared memory.'
	pipelining='No: a row is read once a pass and nothing is reused, so there is no tile to prefetch.'
	tags='coalesced_access shared_memory_reduction'
	propose v1
	;;
*.1)
	bottleneck='Eight barriers a reduction, and each exponential is computed twice.'
	change='Warp shuffles, two barriers, the exponential kept in y.'
	pipelining='No: as before; latency is hidden by other blocks.'
	tags='coalesced_access warp_shuffle exp_once fast_math'
	propose v2
	;;
*.2)
	bottleneck='Loads of one element an instruction.'
	change='Take the row in fours.'
	pipelining='No: as before.'
	tags='coalesced_access warp_shuffle exp_once four_at_a_time'
	propose wrong
	;;
*.3)
	bottleneck='Two reductions with a barrier each.'
	change='Reduce by atomic operations on shared memory.'
	pipelining='No: nothing is loaded ahead.'
	tags='shared_memory_atomics'
	propose slow
	;;
*)
	bottleneck='The row is read from memory in each of three passes and y is written twice.'
	change='float4 loads, the row stays in registers between the passes.'
	pipelining='No: one load a row; more rows in flight come from more blocks.'
	tags='coalesced_access warp_shuffle exp_once fast_math vectorized_load register_blocking'
	propose v3
	;;
esac
