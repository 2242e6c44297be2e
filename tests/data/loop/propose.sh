#!/bin/sh
# Proposer of the loop's tests: v1 faster, v2 wrong, v3 slower, v4 fastest, by factors of ten. See examples/proposer.sh.
: "${examples:=$(dirname "$0")/../../../examples}"
. "$examples/proposer.sh"

references='| memory: as it is | does not fit | nothing to see |
| compute: less of it | adopted | rounds repeat the same work |
| sync: none | does not fit | one thread |'
bottleneck='The same work is done in every round.'
change='Fewer rounds.'
pipelining='No: one thread.'
case $iteration in
0) tags='fewer_rounds' ;;
1) tags='fewer_rounds add_one' ;;
2) tags='sum' ;;
*) tags='fewer_rounds few_rounds' ;;
esac
propose v$((iteration + 1))
