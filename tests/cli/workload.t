# A workload in torch through the evidence protocol, the driver as `assay driver new` writes it but for its hooks: what tests/gpu/run.sh
# does on a GPU, on the CPU, where its primary metric is what it counts, so that a busy machine does not change the verdict.
masks: NUM VERSION
needs: /usr/bin/python3 -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("torch"))'
timeout: 240

## readiness to final audit, a wrong candidate on the way, a sample that was changed afterwards
$ /usr/bin/python3 -B $ROOT/tests/gpu/workload.py chain | sed 's/[0-9]* to [0-9]* operators, +[0-9]* %/N to M operators, fewer/; s/takes [0-9]* op/takes N op/'
> readiness     <NUM> s  torch <VERSION> on the CPU
> baseline      <NUM> s  a step takes N operators
> experiment    <NUM> s  wrong
> target        <NUM> s  the wrong one: rejected, correctness_failed, 1 call(s)
> experiment    <NUM> s  candidate
> screen        <NUM> s  inconclusive: N to M operators, fewer, 1 call(s)
> target        <NUM> s  passed: N to M operators, fewer, 3 call(s)
> select        <NUM> s  selected
> audit         <NUM> s  passed: N to M operators, fewer, 3 call(s)
> tampered      <NUM> s  a sample of the audit: named by verify
> all           <NUM> s  same_process
> failed: 0
