#!/usr/bin/env python3
"""Correctness and time of one kernel: the arguments are those of `assay bench`, which this starts."""
import os
import sys

program = os.environ.get("ASSAY", "assay")
try:
    os.execvp(program, [program, "bench", *sys.argv[1:]])
except OSError as e:
    sys.exit(f"{os.path.basename(sys.argv[0])}: {program}: {e.strerror}; install assay, or name it in the variable ASSAY")
