# assay skills: install, check, uninstall for every client; documents whose links, verbs, options and commands exist and run.
timeout: 120
masks: CWD INT

## every client's place: skills, references, the MCP server beside what is there
$ mkdir p; cd p; mkdir .cursor; echo '{"mcpServers":{"other":{"command":"x"}},"theme":"dark"}' > .cursor/mcp.json; mkdir .codex; echo 'model = "m"' > .codex/config.toml
+ for c in claude codex cursor gemini; do assay skills install --$c -q; assay skills check --$c | tail -1; done
+ ls .claude/skills; for f in .mcp.json .cursor/mcp.json .gemini/settings.json; do python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(sys.argv[1], sorted(d["mcpServers"]), d["mcpServers"]["assay"]["args"], d.get("theme"))' $f; done; cat .codex/config.toml
> 33 file(s) written: <CWD>/p/.claude/skills
> MCP server assay: <CWD>/p/.mcp.json
> 33 file(s) as installed: <CWD>/p/.claude/skills
> 33 file(s) written: <CWD>/p/.agents/skills
> MCP server assay: <CWD>/p/.codex/config.toml
> 33 file(s) as installed: <CWD>/p/.agents/skills
> 33 file(s) written: <CWD>/p/.cursor/skills
> MCP server assay: <CWD>/p/.cursor/mcp.json
> 33 file(s) as installed: <CWD>/p/.cursor/skills
> 33 file(s) written: <CWD>/p/.gemini/skills
> MCP server assay: <CWD>/p/.gemini/settings.json
> 33 file(s) as installed: <CWD>/p/.gemini/skills
> cuda-kernel-optimizer
> kernel-benchmark
> ncu-rep-analyze
> operator-optimize-loop
> reference
> .mcp.json ['assay'] ['mcp'] None
> .cursor/mcp.json ['assay', 'other'] ['mcp'] dark
> .gemini/settings.json ['assay'] ['mcp'] None
> model = "m"
> # assay: begin
> [mcp_servers.assay]
> command = "assay"
> args = ["mcp"]
> # assay: end

## installing again changes nothing; uninstalling leaves what others wrote
$ cd p; assay skills install --cursor | head -1; for c in claude codex cursor gemini; do assay skills uninstall --$c -q | cut -d: -f1; done; find . -type f | sort; cat .cursor/mcp.json .codex/config.toml
> 0 file(s) written: <CWD>/p/.cursor/skills
> 33 file(s) removed
> 33 file(s) removed
> 33 file(s) removed
> 33 file(s) removed
> ./.codex/config.toml
> ./.cursor/mcp.json
> {
>   "mcpServers": {
>     "other": {
>       "command": "x"
>     }
>   },
>   "theme": "dark"
> }
> model = "m"

## the published layout, named as the seeds name it
$ assay skills install | head -1; cd skills; ls -d optimized-skill/*/SKILL.md optimized-skill/reference/*/*.md cuda-kernel-optimizer/scripts/* cuda-kernel-optimizer/references/*
> 33 file(s) written: <CWD>/skills
> cuda-kernel-optimizer/references/environment_readiness.md
> cuda-kernel-optimizer/references/limits.md
> cuda-kernel-optimizer/references/ncu_metrics_guide.md
> cuda-kernel-optimizer/references/nonstationary_serving_evidence.md
> cuda-kernel-optimizer/references/performance_iteration.md
> cuda-kernel-optimizer/references/request_protocol.md
> cuda-kernel-optimizer/references/research_augmentation.md
> cuda-kernel-optimizer/references/serving_evidence_protocol.md
> cuda-kernel-optimizer/references/zh.md
> cuda-kernel-optimizer/scripts/champion.py
> cuda-kernel-optimizer/scripts/compiler_evidence.py
> cuda-kernel-optimizer/scripts/knowledge_query.py
> cuda-kernel-optimizer/scripts/profile_ncu.py
> cuda-kernel-optimizer/scripts/profile_nsys.py
> cuda-kernel-optimizer/scripts/profile_pytorch.py
> cuda-kernel-optimizer/scripts/readiness.py
> cuda-kernel-optimizer/scripts/sass_check.py
> cuda-kernel-optimizer/scripts/workload_evaluate.py
> optimized-skill/kernel-benchmark/SKILL.md
> optimized-skill/ncu-rep-analyze/SKILL.md
> optimized-skill/operator-optimize-loop/SKILL.md
> optimized-skill/reference/cuda/compute-optim.md
> optimized-skill/reference/cuda/memory-optim.md
> optimized-skill/reference/cuda/optim.md
> optimized-skill/reference/cuda/sync-optim.md
> optimized-skill/reference/cutlass/cutlass-optim.md
> optimized-skill/reference/triton/triton-optim.md

## a changed file is said, not replaced, and kept
$ echo mine >> skills/optimized-skill/kernel-benchmark/SKILL.md; assay skills check
> changed  <CWD>/skills/optimized-skill/kernel-benchmark/SKILL.md
> 32 file(s) as installed: <CWD>/skills
= 1
$ assay skills install
= 2
$ assay skills install --force -q | head -1; assay skills check | head -1; echo mine >> skills/cuda-kernel-optimizer/SKILL.md; rm skills/optimized-skill/reference/cuda/optim.md; assay skills check
> 1 file(s) written: <CWD>/skills
> 33 file(s) as installed: <CWD>/skills
> missing  <CWD>/skills/optimized-skill/reference/cuda/optim.md
> changed  <CWD>/skills/cuda-kernel-optimizer/SKILL.md
> 31 file(s) as installed: <CWD>/skills
= 1
$ assay skills uninstall; find skills -type f
> kept     <CWD>/skills/cuda-kernel-optimizer/SKILL.md
> 31 file(s) removed: <CWD>/skills
> skills/cuda-kernel-optimizer/SKILL.md
$ assay skills uninstall
= 2
$ assay skills install --claude --codex
= 2
$ assay skills frobnicate
= 2

## every link, verb, option and script in them exists; every command without a placeholder runs
$ mkdir q bin; ln -sf $(command -v python3) bin/python; export PATH=$PWD/bin:$PATH; cd q; cp $DATA/loop/loop_v0.c kernel.c; cp $DATA/loop/loop_v1.c next.c; cp $DATA/loop/loop_ref.c .; cp $DATA/loop/loop.op.json op.json
+ cp $DATA/ncu/two.ncu-repz report.ncu-rep; cp $DATA/ncu/gather.ncu-repz next.ncu-rep
+ assay skills install -q >/dev/null; assay skills install --claude -q >/dev/null
+ $ROOT/tests/tools/skills_check.py skills
> <INT> links <INT> commands 11 ran <INT> scripts
$ cd q; $ROOT/tests/tools/skills_check.py .claude/skills norun; sed -i 's/assay compare/assay compete/' skills/optimized-skill/kernel-benchmark/SKILL.md; $ROOT/tests/tools/skills_check.py skills norun
> <INT> links <INT> commands 0 ran <INT> scripts
> optimized-skill/kernel-benchmark/SKILL.md: no verb compete
> optimized-skill/kernel-benchmark/SKILL.md: no verb compete
> <INT> links <INT> commands 0 ran <INT> scripts
= 1

## what a skill has to say
$ cd q; for w in 'ask the user' ; do grep -c "$w" skills/optimized-skill/operator-optimize-loop/SKILL.md; done
+ for w in 'General coding, skill maintenance and conceptual' 'One step at a time' 'Costly steps are announced' 'One writer' 'Formal experiments are serial' 'Read-only work may be parallel' 'Sampling is done by a deterministic command' 'Upstream equivalents are checked before a non-trivial kernel is written'; do grep -c "$w" skills/cuda-kernel-optimizer/SKILL.md; done | sort -u
> 1
> 1

## the public validator, sizes
? test -x $ROOT/build/mcp-venv/bin/python
$ cd q; for d in .claude/skills/*/; do [ ! -e $d/SKILL.md ] || $ROOT/build/mcp-venv/bin/python -m skills_ref.cli validate $d 2>&1 | sed 's|.*/skills/||'; done
> cuda-kernel-optimizer
> kernel-benchmark
> ncu-rep-analyze
> operator-optimize-loop
$ cd q; for f in .claude/skills/*/SKILL.md; do wc -lc $f | awk '{ print ($1 < 500), ($2 < 20000) }'; done | sort -u
> 1 1

## scripts hand over what they got; a request's operation is held against the command line
$ cd q; cat > a <<'S'
+ #!/bin/sh
+ echo "$@"
+ S
+ chmod +x a; export ASSAY=$PWD/a; K=skills/cuda-kernel-optimizer/scripts; echo '{"operation":"check"}' > r.json
+ for s in readiness workload_evaluate profile_ncu profile_nsys profile_pytorch compiler_evidence sass_check champion; do python3 $K/$s.py check --request r.json --wait; done | sort | uniq -c | sed 's/^ *//'
+ python3 $K/knowledge_query.py list --limit 3; python3 skills/optimized-skill/kernel-benchmark/scripts/benchmark.py k.cu --M=4 --warmup=10
> 8 request r.json --compat-exit --wait
> knowledge list --limit 3
> bench k.cu --M=4 --warmup=10
$ cd q; python3 skills/cuda-kernel-optimizer/scripts/readiness.py baseline --request r.json
! {"error": "operation 'baseline' differs from the request's 'check'", "error_code": "invalid_request", "status": "rejected"}
= 2
