#!/usr/bin/env python3
"""The operator loop: the arguments are those of `assay optimize`, which this starts."""
import os
import sys

program = os.environ.get("ASSAY", "assay")
try:
    os.execvp(program, [program, "optimize", *sys.argv[1:]])
except OSError as e:
    sys.exit(f"{os.path.basename(sys.argv[0])}: {program}: {e.strerror}; install assay, or name it in the variable ASSAY")
