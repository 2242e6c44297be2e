# What this program is.
masks: VERSION COMMIT NUM

## one line; with --verbose the build, what is linked in, what it needs, what this kernel allows
$ assay --version; assay --version --verbose | sed 's/^\(build\|flags\|linked\|libraries\|needs\|sandbox\)\( *\)[^ ].*/\1/' | grep -v '^ '; assay --version -v | sed -n 's/^needs  *Linux on [^ ]*, //p'
> assay <VERSION> (<COMMIT>)
> assay <VERSION> (<COMMIT>)
> build
> flags
> linked
> libraries
> needs
> sandbox
> glibc <NUM> or newer

## the document: nothing is unknown, twice the same, no date in it
$ assay --version --verbose --json > a; assay --version --verbose --json | cmp - a && python3 - <<END
+ import json, re
+ text = open("a").read()
+ d = json.loads(text)
+ print(d["format"], sorted(d["libraries"]), "unknown" in text, re.search(r"20[0-9]{2}-[0-9]{2}|[A-Z][a-z]{2} 20[0-9]{2}", text))
+ print("-std=c17" in d["build"]["flags"], d["sandbox"]["session"], d["sandbox"]["rlimits"], d["build"]["c_standard"])
+ END
> assay/about-v1 ['SQLite', 'libcrypto', 'libelf', 'libffi', 'libseccomp', 'zlib', 'zstd'] False None
> True active active 201710

## the least glibc is the highest version among the symbols
? command -v objdump && test $BUILD = release
$ objdump -T $ASSAY | grep -o 'GLIBC_2\.[0-9]*' | sort -uV | tail -n 1 | sed 's/GLIBC_//' > highest; assay --version --verbose --json | grep -c "\"glibc_at_least\": \"$(cat highest)\""
> 1

## other words
$ assay --version --long
! assay: --version: it takes --verbose and --json, not '--long'
= 2
