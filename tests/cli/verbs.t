# Small verbs: what the store holds, who measures, caches, and what the option rows give.

## an empty store
$ assay verify | sed "s|$XDG_DATA_HOME|DATA|"
> DATA/assay/store: 0 objects, 0 records, 0 B hashed; 0 damaged, 0 leftovers of dead writers

## a store with a bench in it verifies; one flipped byte is named
$ assay bench $ROOT/examples/transpose/transpose_v3.c --repeat=3 --warmup=1 --skip-warm >/dev/null 2>&1; assay verify | sed 's/.*hashed; //'; f=$(find $XDG_DATA_HOME/assay/store/objects -type f | head -n 1); chmod u+w $f; printf X | dd of=$f bs=1 seek=30 conv=notrunc 2>/dev/null; assay verify --json | grep -c '"what": "bytes hash to'
> 0 damaged, 0 leftovers of dead writers
> 1

## damage is exit 1, no store is exit 2
$ assay verify >/dev/null; echo $?; assay verify --store nowhere 2>/dev/null; echo $?
> 1
> 2

## nobody measures
$ assay status
> no lease is held

## caches
$ assay cache stats | wc -l; assay cache clear >/dev/null; assay cache stats | awk '{ print $1, $2 }'; assay cache burn
> 3
> build 0
> reference 0
> tools 0
! assay: cache burn: there is stats and clear
= 2

## completion parses, every verb has a man page, a schema is JSON
$ assay completion bash | bash -n; for v in $(assay --help | awk '/^  [a-z]/ { print $1 }'); do assay man $v | head -n 1 | cut -c1-9; done | sort | uniq -c | awk '{ print ($1 >= 12), $2, $3 }'; assay schema bench | python3 -c 'import json, sys; print(sorted(json.load(sys.stdin))[:2])'
> 1 .TH ASSAY
> ['additionalProperties', 'properties']

## unknown names
$ assay man nothing
! assay: there is no verb 'nothing'; assay --help lists them
= 2

## help and man page name the built-in values, where they are not none
$ assay bench --help | grep -c 'default 10)\|default auto)'; assay bench --help | grep -- '--repeat' | grep -c default; assay man bench | grep -c 'default 10)'; true
> 2
> 0
> 1
