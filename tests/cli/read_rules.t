# Bottleneck rules through a report: for each rule two planted kernels and a clean twin, which differs in one value; none and
# several. Real reports: sm_targeted (a softmax), two (six launches), gather.
## planted
$ cat >plant.py <<'END'
+ import json, subprocess
+ NAMES = {"sm": "sm__throughput.avg.pct_of_peak_sustained_elapsed", "mem": "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "dram": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
+     "ld": "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "st": "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", "ld_use": "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", "st_use": "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
+     "l1": "l1tex__throughput.avg.pct_of_peak_sustained_active", "sh": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed", "conf": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "waves_sh": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
+     "occ": "sm__warps_active.avg.pct_of_peak_sustained_active", "occ_max": "sm__maximum_warps_per_active_cycle_pct", "elig": "smsp__warps_eligible.avg.per_cycle_active", "busy": "sm__instruction_throughput.avg.pct_of_peak_sustained_active", "ns": "gpu__time_duration.sum", "waves": "launch__waves_per_multiprocessor"}
+ UNITS = {"ld": "sector", "st": "sector", "conf": "", "waves_sh": "", "elig": "warp", "ns": "ns", "waves": ""}
+ BASE = dict(sm=50, mem=50, dram=50, ld=8, st=8, ld_use=100, st_use=100, l1=50, sh=20, conf=0, waves_sh=1000, occ=80, occ_max=100, elig=2, busy=50, ns=100000, waves=4)
+ PLANTED = { # rule: two kernels, their clean twin
+     "roofline_compute": (dict(sm=75), dict(sm=61), dict(sm=59)), "roofline_memory": (dict(mem=75), dict(mem=61), dict(mem=59)), "roofline_latency": (dict(sm=20, mem=30), dict(sm=39, mem=1), dict(sm=20, mem=41)),
+     "DRAM_MEMORY_BOUND": (dict(dram=90, ld=32), dict(dram=61, st_use=40), dict(dram=90)), "L1_PRESSURE_BOUND": (dict(l1=80, conf=500), dict(sh=70, conf=101), dict(l1=80, conf=99)),
+     "LATENCY_BOUND": (dict(elig=0.3), dict(occ=31, elig=0.9), dict(elig=1.1)), "COMPUTE_BOUND": (dict(busy=90), dict(sm=81, mem=80), dict(busy=79)), "OCCUPANCY_BOUND": (dict(occ=20, occ_max=25), dict(occ=49, occ_max=59), dict(occ=20, occ_max=100)),
+     "HOST_OR_LAUNCH_BOUND": (dict(ns=3000, waves=0.1), dict(ns=9999, waves=0.9), dict(ns=3000)), "MIXED_BOUND": (dict(sm=75, mem=70), dict(sm=61, mem=61), dict(sm=75, mem=60))}
+ rows = ['"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"']
+ def kernel(name, values):
+     for key, v in {**BASE, **values}.items(): rows.append(f'"{kernel.n}","1","p","h","{name}","1","7","(64, 1, 1)","(64, 1, 1)","0","9.0","Command line profiler metrics","{NAMES[key]}","{UNITS.get(key, "%")}","{v}"')
+     kernel.n += 1
+ kernel.n = 0
+ for rule, (a, b, clean) in PLANTED.items():
+     for what, v in (("planted", a), ("planted", b), ("clean", clean)): kernel(f"{what}_{rule}", v)
+ kernel("none", {}); kernel("several", dict(sm=20, mem=30, elig=0.3, occ=40, occ_max=50, ns=3000, waves=0.1))
+ open("planted.csv", "w").write("\n".join(rows) + "\n")
+ d = json.loads(subprocess.run(["assay", "read", "planted.csv", "--json"], capture_output=True, text=True).stdout)
+ found = {r["id"]: (r["name"], [x["rule"] for x in r["rules"] if x["state"] == "satisfied"]) for r in d["results"]}
+ for name, rules in found.values():
+     what, _, rule = name.partition("_")
+     if what == "planted" and rule not in rules or what == "clean" and rule in rules: print("WRONG", name, rules)
+ print(len(PLANTED), sorted(PLANTED) == sorted(x["rule"] for x in d["results"][0]["rules"]), [r for r in found.values() if r[0] in ("none", "several")])
+ END
+ python3 -S plant.py
> 10 True [('none', []), ('several', ['roofline_latency', 'LATENCY_BOUND', 'OCCUPANCY_BOUND', 'HOST_OR_LAUNCH_BOUND'])]

## real reports: one, several, none of a rule that their values do not satisfy
$ for f in sm_targeted two gather; do assay read $DATA/ncu/$f.ncu-repz --table rules --csv --columns id,rule | tail -n +2 | paste -sd' '; done
> 0,roofline_compute
> 0,roofline_latency 1,roofline_latency 2,roofline_latency 2,HOST_OR_LAUNCH_BOUND 3,roofline_latency 4,roofline_latency 5,roofline_latency 5,HOST_OR_LAUNCH_BOUND
> 0,roofline_latency 0,LATENCY_BOUND
