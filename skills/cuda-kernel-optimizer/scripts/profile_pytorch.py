#!/usr/bin/env python3
"""usage: profile_pytorch.py OPERATION --request FILE [--wait]

Hands the closed JSON request to `assay request`; OPERATION must be the one that the request names. Output, and the exit status
by the published rules, are assay's.
"""
import argparse
import json
import os
import sys


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("operation")
    p.add_argument("--request", required=True, metavar="FILE")
    p.add_argument("--wait", action="store_true")
    o = p.parse_args()
    try:
        with open(o.request, encoding="utf-8") as f:
            named = json.load(f).get("operation")
    except (OSError, ValueError, AttributeError) as e:
        named, why = None, str(e)
    else:
        why = f"operation {o.operation!r} differs from the request's {named!r}"
    if named != o.operation:
        print(json.dumps({"error": why[:1024], "error_code": "invalid_request", "status": "rejected"}, sort_keys=True), file=sys.stderr)
        sys.exit(2)
    program = os.environ.get("ASSAY", "assay")
    try:
        os.execvp(program, [program, "request", o.request, "--compat-exit", *(["--wait"] if o.wait else [])])
    except OSError as e:
        sys.exit(f"{program}: {e.strerror}; install assay, or name it in the variable ASSAY")


main()
