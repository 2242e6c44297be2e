#!/usr/bin/env python3
"""Planted reports against knowledge cards: for each fault a launch that shows it and its clean twin, as `ncu --csv --page raw`
prints them; precision and recall of `assay knowledge query --from` over all.

usage: tests/tools/knowledge_table.py   prints a table; exit 1 when a planted fault is missed, a clean twin reported, or a card
reported that is not true of the launch
"""
import csv
import json
import subprocess
import sys

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# A large launch near the memory roof with nothing wrong: what the planted ones change.
BASE = {
    "gpu__time_duration.sum": 400000, "launch__waves_per_multiprocessor": 12, "launch__grid_size": 6336,
    "launch__registers_per_thread": 40, "launch__sm_count": 132, "profiler__replayer_passes": 1,
    "sm__throughput.avg.pct_of_peak_sustained_elapsed": 45,
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 58,
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 58, "lts__throughput.avg.pct_of_peak_sustained_elapsed": 40,
    "lts__t_sector_hit_rate.pct": 55, "lts__t_sectors.sum": 1e7, "lts__t_sectors_srcunit_ltcfabric.sum": 1e6,
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": 4,
    "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio": 4,
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": 100,
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct": 100,
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 2e6, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": 1e6,
    "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": 0, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": 0,
    "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum": 0,
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 0, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 0,
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed": 0,
    "derived__memory_l1_conflicts_shared_nway": 1, "derived__local_spilling_requests": 0,
    "sass__inst_executed_register_spilling": 0, "smsp__inst_executed.sum": 1e8,
    "sm__warps_active.avg.pct_of_peak_sustained_active": 80, "launch__occupancy_limit_registers": 8,
    "launch__occupancy_limit_shared_mem": 32, "launch__occupancy_limit_warps": 8, "launch__occupancy_limit_blocks": 32,
    "smsp__warps_eligible.avg.per_cycle_active": 2, "smsp__issue_inst0.avg.pct_of_peak_sustained_active": 40,
    "sm__inst_issued.avg.pct_of_peak_sustained_active": 60,
    "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": 0,
    "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": 25,
    "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active": 20,
    "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": 5,
    "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active": 20,
    "sm__inst_executed_pipe_tensor_op_hmma.avg.pct_of_peak_sustained_active": 0,
    "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active": 0,
    "smsp__thread_inst_executed_per_inst_executed.ratio": 32, "l1tex__cycles_active.max": 1e5, "l1tex__cycles_active.avg": 99000,
    "launch__cluster_size": 1, "launch__occupancy_cluster_gpu_pct": 100, "launch__shared_mem_per_block_dynamic": 0,
    **{STALL.format(s): 0.2 for s in ("long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle", "barrier", "wait",
                                      "math_pipe_throttle", "membar", "branch_resolving", "no_instruction", "imc_miss", "drain",
                                      "gmma", "not_selected")},
}
WAITS = {STALL.format("long_scoreboard"): 12, "smsp__issue_inst0.avg.pct_of_peak_sustained_active": 75,
         "smsp__warps_eligible.avg.per_cycle_active": 0.4, "sm__inst_issued.avg.pct_of_peak_sustained_active": 25}
WAITING = {"stall_vs_issue", "software_prefetch"}
SHARED = {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 1e6, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 1e4,
          "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed": 30}
GEMM = {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": 85, "lts__t_sector_hit_rate.pct": 80,
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": 85, "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active": 85,
        "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 40,
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 20}
# fault: clean twin's values, what is planted on top, cards that must be reported, cards that are true of it too,
# cards that are true of the twin.
CASES = {
    "uncoalesced": ({}, {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio": 28,
                         "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": 13, **WAITS},
                    {"coalesced_access"}, {"data_layout", "transpose_smem"} | WAITING, set()),
    "bank conflict": (SHARED, {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 9e5, "derived__memory_l1_conflicts_shared_nway": 8,
                               STALL.format("short_scoreboard"): 4, STALL.format("mio_throttle"): 3},
                      {"bank_conflict", "smem_swizzle"}, {"wide_shared_access"}, set()),
    "spill": ({}, {"derived__local_spilling_requests": 5e5, "sass__inst_executed_register_spilling": 2e6,
                   "launch__registers_per_thread": 255},
              {"register_spill"}, {"smem_register_spilling"}, set()),
    "atomics": ({}, {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": 1.5e6, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum": 1.6e6,
                     **WAITS}, {"atomic_optimize", "warp_aggregated_atomics"}, WAITING, set()),
    "tensor idle": (GEMM, {"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": 0,
                           "sm__inst_executed_pipe_tensor_op_gmma.avg.pct_of_peak_sustained_active": 0,
                           "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": 85},
                    {"tensor_core_idle", "mma_sync", "tf32"}, {"roofline_side"}, {"roofline_side", "sparse_mma", "fp8"}),
    "launch bound": ({}, {"gpu__time_duration.sum": 2600, "launch__waves_per_multiprocessor": 0.06, "launch__grid_size": 8,
                          "sm__throughput.avg.pct_of_peak_sustained_elapsed": 1,
                          "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 1,
                          "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 1},
                     {"cuda_graphs", "launch_overhead"}, {"pdl_overlap", "stream_event"}, set()),
    "divergence": ({}, {"smsp__thread_inst_executed_per_inst_executed.ratio": 11}, {"branch_eliminate"}, set(), set()),
    "tail": ({}, {"launch__waves_per_multiprocessor": 1.1, "l1tex__cycles_active.max": 2e5, "l1tex__cycles_active.avg": 1.2e5},
             {"wave_quantization", "longest_first"}, set(), set()),
    "barrier": (SHARED, {**WAITS, STALL.format("long_scoreboard"): 0.2, STALL.format("barrier"): 9,
                         STALL.format("short_scoreboard"): 2}, {"barrier_reduction", "warp_shuffle"}, {"stall_vs_issue"}, set()),
}


def write(path, values):
    names = sorted(values)
    head = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
            "Device", "CC"]
    row = ["0", "1", "app", "127.0.0.1", "planted(float *)", "1", "7", "(256, 1, 1)", "(6336, 1, 1)", "0", "9.0"]
    with open(path, "w", newline="") as f:
        w = csv.writer(f, quoting=csv.QUOTE_ALL, lineterminator="\n")
        w.writerow(head + names)
        w.writerow([""] * (len(head) + len(names)))
        w.writerow(row + [repr(values[n]) for n in names])


def reported(path):
    p = subprocess.run(["assay", "knowledge", "query", "--from", path, "--json", "--limit", "1000", "--layer", "kernel"],
                       stdout=subprocess.PIPE, check=True)
    q = subprocess.run(["assay", "knowledge", "query", "--from", path, "--json", "--limit", "1000"], stdout=subprocess.PIPE, check=True)
    cards = {c["id"]: c for c in json.loads(q.stdout)["cards"]}
    assert {c["id"] for c in json.loads(p.stdout)["cards"]} <= set(cards)
    for c in cards.values():
        assert c["applies"] == "applicable" and c["launches"][0]["values"], c
    return set(cards)


def main():
    n_true = n_reported = n_must = n_found = bad = 0
    print("case           must found extra  twin")
    for name, (twin, plant, must, also, twin_also) in CASES.items():
        write("planted.csv", {**BASE, **twin, **plant})
        write("clean.csv", {**BASE, **twin})
        got, clean = reported("planted.csv"), reported("clean.csv")
        extra, twin_extra = got - must - also, clean - twin_also
        n_must, n_found = n_must + len(must), n_found + len(got & must)
        n_reported, n_true = n_reported + len(got) + len(clean), n_true + len(got) - len(extra) + len(clean) - len(twin_extra)
        print(f"{name:14} {len(must):4} {len(got & must):5} {len(extra):5} {len(clean & must):5}", *sorted(extra | twin_extra))
        bad |= bool(extra or must - got or clean & must or twin_extra)
    print(f"precision {n_true / n_reported:.3f}  recall {n_found / n_must:.3f}")
    sys.exit(bad)


main()
