/* Option rows of the options that every verb with a kernel file shares (verb/candidate.h). */
/* table: option rows */
#ifndef ASSAY_VERB_CANDIDATE_ROWS_H
#define ASSAY_VERB_CANDIDATE_ROWS_H

#include "verb/candidate.h"

/* Row initialisers; T is the verb's options struct, M the member that holds a candidate_options. */
#define CANDIDATE_AT(T, M, field) (offsetof(T, M) + offsetof(struct candidate_options, field))
/* CANDIDATE_INPUT_ROWS: what is measured and where; CANDIDATE_ROWS: that and how one kernel is sampled. */
#define CANDIDATE_INPUT_ROWS(T, M)                                                                                     \
	{.name = "problem",                                                                                            \
	 .type = OPT_STRING,                                                                                           \
	 .offset = CANDIDATE_AT(T, M, problem),                                                                        \
	 .meta = "PATH",                                                                                               \
	 .help = "Problem of another project (see assay import), of which FILE is a solution."},                       \
		{.name = "ref",                                                                                        \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, ref),                                                                    \
		 .meta = "FILE",                                                                                       \
		 .help = "Reference: .py with reference(**kwargs), .c, .cpp or .cu with the same entry."},             \
		{.name = "op-file",                                                                                    \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, op_file),                                                                \
		 .meta = "FILE",                                                                                       \
		 .help = "Operator file with roles, shapes, cases, tolerances."},                                      \
		{.name = "setup",                                                                                      \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, setup),                                                                  \
		 .meta = "FILE",                                                                                       \
		 .help = "A .py whose setup() supplies the data, and that the kernel's own must agree with."},         \
		{.name = "backend",                                                                                    \
		 .type = OPT_ENUM,                                                                                     \
		 .offset = CANDIDATE_AT(T, M, backend),                                                                \
		 .choices = "c|cuda|cutlass|triton|torch",                                                             \
		 .meta = "B",                                                                                          \
		 .help = "Backend; without it by the file's ending."},                                                 \
		{.name = "entry",                                                                                      \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, entry),                                                                  \
		 .meta = "NAME",                                                                                       \
		 .help = "Entry function; without it solve, solution, run_kernel or the only one."},                   \
		{.name = "ptr-size",                                                                                   \
		 .type = OPT_I64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, ptr_size),                                                               \
		 .min = 0,                                                                                             \
		 .max = 1e12,                                                                                          \
		 .meta = "N",                                                                                          \
		 .help = "Elements of every tensor whose size is guessed."},                                           \
		{.name = "seed",                                                                                       \
		 .type = OPT_I64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, seed),                                                                   \
		 .min = 0,                                                                                             \
		 .max = 9e18,                                                                                          \
		 .meta = "N",                                                                                          \
		 .help = "Seed of the inputs."},                                                                       \
		{.name = "atol",                                                                                       \
		 .type = OPT_F64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, atol),                                                                   \
		 .min = 0,                                                                                             \
		 .max = 1e300,                                                                                         \
		 .meta = "X",                                                                                          \
		 .help = "Absolute tolerance for every output."},                                                      \
		{.name = "rtol",                                                                                       \
		 .type = OPT_F64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, rtol),                                                                   \
		 .min = 0,                                                                                             \
		 .max = 1e300,                                                                                         \
		 .meta = "X",                                                                                          \
		 .help = "Relative tolerance for every output."},                                                      \
		{.name = "gpu",                                                                                        \
		 .type = OPT_I64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, gpu),                                                                    \
		 .min = 0,                                                                                             \
		 .max = 1023,                                                                                          \
		 .meta = "I",                                                                                          \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "GPU number, as nvidia-smi counts."},                                                         \
		{.name = "arch",                                                                                       \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, arch),                                                                   \
		 .meta = "SM",                                                                                         \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "nvcc target such as sm_90a; without it the GPU's."},                                         \
		{.name = "flags",                                                                                      \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, flags),                                                                  \
		 .meta = "TEXT",                                                                                       \
		 .help = "Extra compiler flags, part of the version's identity."},                                     \
		{.name = "nvcc-bin",                                                                                   \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, nvcc_bin),                                                               \
		 .meta = "FILE",                                                                                       \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "nvcc to use."},                                                                              \
		{.name = "python",                                                                                     \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, python),                                                                 \
		 .meta = "FILE",                                                                                       \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Interpreter for .py references."},                                                           \
		{.name = "cupti",                                                                                      \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, cupti),                                                                  \
		 .meta = "FILE",                                                                                       \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "libcupti to use."},                                                                          \
		{.name = "time-budget",                                                                                \
		 .type = OPT_F64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, time_budget_s),                                                          \
		 .min = 0.01,                                                                                          \
		 .max = 3600,                                                                                          \
		 .meta = "S",                                                                                          \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Seconds of sampling."},                                                                      \
		{.name = "timeout",                                                                                    \
		 .type = OPT_F64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, timeout_s),                                                              \
		 .min = 0.1,                                                                                           \
		 .max = 86400,                                                                                         \
		 .meta = "S",                                                                                          \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Deadline of one batch of calls."},                                                           \
		{.name = "evict",                                                                                      \
		 .type = OPT_I64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, evict_mib),                                                              \
		 .min = 0,                                                                                             \
		 .max = 4096,                                                                                          \
		 .meta = "MIB",                                                                                        \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Read before each cold call on the CPU; 0: twice the last-level cache, at most 192."},        \
		{.name = "wait",                                                                                       \
		 .type = OPT_F64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, wait_s),                                                                 \
		 .min = 0,                                                                                             \
		 .max = 1e7,                                                                                           \
		 .meta = "S",                                                                                          \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Seconds to wait for a lease that is taken (0; optimize: a day)."},                           \
		{.name = "store",                                                                                      \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, store),                                                                  \
		 .meta = "DIR",                                                                                        \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Store of raw samples and records."},                                                         \
	{                                                                                                              \
		.name = "no-build-cache", .type = OPT_FLAG, .offset = CANDIDATE_AT(T, M, no_cache),                    \
		.help = "Compile and run the reference anew."                                                          \
	}
#define CANDIDATE_ROWS(T, M)                                                                                           \
	CANDIDATE_INPUT_ROWS(T, M),                                                                                    \
		{.name = "warmup",                                                                                     \
		 .type = OPT_I64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, warmup),                                                                 \
		 .min = 0,                                                                                             \
		 .max = 1e6,                                                                                           \
		 .meta = "N",                                                                                          \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Calls before sampling."},                                                                    \
		{.name = "repeat",                                                                                     \
		 .type = OPT_I64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, repeat),                                                                 \
		 .min = 0,                                                                                             \
		 .max = 1e6,                                                                                           \
		 .meta = "N",                                                                                          \
		 .help = "Exactly N samples; without it until --noise or --time-budget."},                             \
		{.name = "noise",                                                                                      \
		 .type = OPT_F64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, noise_pct),                                                              \
		 .min = 0.001,                                                                                         \
		 .max = 100,                                                                                           \
		 .meta = "PCT",                                                                                        \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Wanted half width of the 95 % interval, in percent."},                                       \
		{.name = "speedup-budget",                                                                             \
		 .type = OPT_F64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, speedup_budget_s),                                                       \
		 .min = -1,                                                                                            \
		 .max = 3600,                                                                                          \
		 .meta = "S",                                                                                          \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Seconds for a native reference and the kernel in turn; 0: none, -1: 5 on a GPU, 2 on the "   \
			 "CPU."},                                                                                      \
		{.name = "max-memory",                                                                                 \
		 .type = OPT_I64,                                                                                      \
		 .offset = CANDIDATE_AT(T, M, max_memory_mb),                                                          \
		 .min = 64,                                                                                            \
		 .max = 1 << 24,                                                                                       \
		 .meta = "MB",                                                                                         \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Host memory of the kernel's process; without it four fifths of what is free."},              \
		{.name = "forbid",                                                                                     \
		 .type = OPT_STRING,                                                                                   \
		 .offset = CANDIDATE_AT(T, M, forbid),                                                                 \
		 .meta = "FLAGS",                                                                                      \
		 .flags = OPT_SETTABLE,                                                                                \
		 .help = "Flags that reject, with commas between: library, precision, allocation, sync, "              \
			 "zeroed_output, alignment, nondeterminism, off_grid, range, threads, constant, unordered, "   \
			 "unrecorded."},                                                                               \
		{.name = "skip-integrity",                                                                             \
		 .type = OPT_FLAG,                                                                                     \
		 .offset = CANDIDATE_AT(T, M, no_battery),                                                             \
		 .help = "No integrity battery: nothing is said about how the answer came about."},                    \
	{                                                                                                              \
		.name = "skip-warm", .type = OPT_FLAG, .offset = CANDIDATE_AT(T, M, no_warm), .flags = OPT_SETTABLE,   \
		.help = "No warm-cache series."                                                                        \
	}

#endif
