# Every statistic of a bench comes again from the stored rows, by scripts that share no code with the program.

## a bench on the CPU
$ assay bench $ROOT/examples/transpose/transpose_v3.c --repeat=60 --warmup=2 --json >record.json 2>/dev/null; python3 $ROOT/tools/check_record.py record.json $XDG_DATA_HOME/assay/store
> cold, warm: 0 differ

## a record that was tampered with
$ python3 -c "import json; r = json.load(open('record.json')); r['kernel']['median_ms'] *= 0.999; json.dump(r, open('forged.json', 'w'))"; python3 $ROOT/tools/check_record.py forged.json $XDG_DATA_HOME/assay/store | sed 's/: .*//'
> kernel.median_ms
> cold, warm
