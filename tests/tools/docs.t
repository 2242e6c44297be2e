# The documents against the program: links, verbs, options, error words, and the commands themselves.
needs: assay --help >/dev/null
timeout: 280
masks: INT

## links resolve; verbs, options, flags, targets and paths exist; every error word has an entry, every check a section
$ $ROOT/tools/docs.py check
> docs: <INT> documents, <INT> blocks, <INT> error words: ok

## every command of a block that is not marked runs and ends as it says
$ $ROOT/tools/docs.py run
> README.zh.md: its commands are those of another document
> docs/zh/QUICKSTART.md: its commands are those of another document
> docs: <INT> commands of <INT> documents run, 0 failed

## blocks that are not run name their reason
$ $ROOT/tools/docs.py list | grep -c 'not run, needs a GPU\|not run, takes minutes\|not run, installs or needs privileges' | sed 's/[0-9][0-9]*/some/'
> some
$ $ROOT/tools/docs.py list | grep -v 'needs a GPU\|takes minutes\|installs or needs privileges\|needs the network'
= 1

## what does not exist is found: a link, an anchor, a verb, an option, a dim, a target, a script, a tag, a command outside
$ cat >bad.md <<'E'
+ # A title
+ [a](nothing.md) [b](#nowhere) [c](#a-title) [d](https://example.org/x)
+ `assay frobnicate`, `assay bench --frob=1`, `--frobnicate`, `make nothing`, `tests/nothing.t`, `assay bench k.c --M=4`
+ 
+     assay bench k.c
+ 
+ ```sh gpu
+ assay bench k.cu --M=4 \
+     --time-budgett=3
+ assay doctor --M=4
+ make nothing
+ tools/nothing.sh | assay reed x
+ ```
+ ```sh maybe
+ assay doctor
+ ```
+ ```
+ $ assay doctor
+ ```
+ ```text
+ assay compare a b --placement=3
+ ```
+ ```sh
+ E
$ $ROOT/tools/docs.py check bad.md
> bad.md:2: link to nothing.md: there is no such file
> bad.md:2: link to #nowhere: no heading gives this anchor
> bad.md:3: assay has no verb 'frobnicate'
> bad.md:3: assay bench has no option --frob
> bad.md:3: no verb has an option --frobnicate
> bad.md:3: make has no target 'nothing'
> bad.md:3: there is no tests/nothing.t
> bad.md:5: a command outside of a ```sh block is not run: put it into one
> bad.md:23: this block has no end
> bad.md:8: assay bench has no option --time-budgett
> bad.md:10: assay doctor has no option --M
> bad.md:11: make has no target 'nothing'
> bad.md:12: there is no tools/nothing.sh
> bad.md:12: assay has no verb 'reed'
> bad.md:14: ```sh maybe: the tag is one of gpu, network, long, system
> bad.md:17: ```: commands stand in ```sh, output in ```text
> bad.md:21: assay compare has no option --placement
= 1

## a command that ends otherwise than it says is found, with what it printed; blocks of a file share one shell; marked ones do not run
$ cat >run.md <<'E'
+ ```sh
+ x=1; cd examples
+ ```
+ ```sh
+ test $x = 1 && test -d softmax
+ cat > /dev/null <<'END'
+ not a command
+ END
+ echo said; false
+ false    # exit status 1
+ true     # exit status 1
+ ```
+ ```sh long
+ false
+ ```
+ E
$ $ROOT/tools/docs.py run run.md
> run.md:9: echo said; false: ended with 1, not 0
>     said
> run.md:11: true     # exit status 1: ended with 0, not 1
>     
> docs: 6 commands of 1 documents run, 2 failed
= 1

## a document with the same commands in the same order is not run twice; one that has more is
$ printf '```sh\ntrue    # one\nfalse # exit status 1\n```\n' >a.md; printf '```sh\ntrue\nfalse # exit status 1\n```\n' >b.md; printf '```sh\nfalse # exit status 1\ntrue\n```\n' >c.md
$ $ROOT/tools/docs.py run a.md b.md c.md
> b.md: its commands are those of another document
> docs: 4 commands of 2 documents run, 0 failed

## an error word without an entry, an entry without a word, a check without a section
$ mkdir -p t; cp -rs $ROOT/src $ROOT/docs $ROOT/tools $ROOT/Makefile t/; rm t/docs/TROUBLESHOOTING.md t/docs/INTEGRITY.md t/docs/FORMATS.md
+ sed 's/assay.cache-v1/assay\/cash-v1/' $ROOT/docs/FORMATS.md >t/docs/FORMATS.md
+ sed '/^| `lease_taken`/d; s/^| `hang`/| `hung`/' $ROOT/docs/TROUBLESHOOTING.md >t/docs/TROUBLESHOOTING.md; sed 's/^### late_writes/### late/; s/flagged:sync/flagged:syn/' $ROOT/docs/INTEGRITY.md >t/docs/INTEGRITY.md
+ t/tools/docs.py check | grep -v ': link to\|there is no \|has no option\|: no verb has\|make has no'
> docs/TROUBLESHOOTING.md: no entry for `hang` (src/facts/verdict.def)
> docs/TROUBLESHOOTING.md: no entry for `lease_taken` (src/base/err.def)
> docs/TROUBLESHOOTING.md: `hung` is no word of the program
> docs/INTEGRITY.md: no row for flagged:sync
> docs/INTEGRITY.md: no section for the check late_writes
> docs/FORMATS.md: assay/cache-v1 is not described
> docs/FORMATS.md: assay/cash-v1 is no format of the program
