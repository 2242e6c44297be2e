"""What HolisticTraceAnalysis takes to load a trace and break it down by kernel: bench/read.sh with PEERS."""
import os
import sys

from hta.trace_analysis import TraceAnalysis

path = os.path.abspath(sys.argv[1])
analysis = TraceAnalysis(trace_files={0: path}, trace_dir=os.path.dirname(path))
analysis.get_gpu_kernel_breakdown(visualize=False)
