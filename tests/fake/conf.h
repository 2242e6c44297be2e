/* What a test asks the fake libraries to do: lines "key value ..." of a file fake.conf in a folder of LD_LIBRARY_PATH.
 * A worker's environment keeps that variable and its sandbox lets it read those folders, so that one file reaches every
 * process; without a file all is well. An unknown key aborts: a misspelt fault would be a test that cannot fail. */
#ifndef ASSAY_FAKE_CONF_H
#define ASSAY_FAKE_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* key, type, default, meaning. Counts are of candidate kernels in one process, from 1; 0: never. */
#define FAKE_CONF(X)                                                                                                   \
	X(gpus, 1)          /* GPUs of the machine */                                                                  \
	X(mig, 0)           /* MIG instances on GPU 0 */                                                               \
	X(memory_mb, 4096)  /* device memory */                                                                        \
	X(l2_kb, 1024)      /* second-level cache: small, so that evicting it is quick */                              \
	X(kernel_ns, 3200)  /* of a candidate kernel whose data come from memory */                                    \
	X(warm_pct, 70)     /* of that, when its data are in the cache */                                              \
	X(dirty_pct, 16)    /* added when lines in the cache must be written back first */                             \
	X(gap_ns, 800)      /* between two kernels of a stream */                                                      \
	X(quantum_ns, 32)   /* lattice of CUPTI's time stamps */                                                       \
	X(period_ns, 0)     /* a disturbance that often, 100150 on an H200 ... */                                      \
	X(period_pct, 9)    /* ... adds so much to a kernel that meets it */                                           \
	X(drift_ppm, 0)     /* each kernel is slower than the one before by so much */                                 \
	X(throttle_at, 0)   /* from that kernel on the clock is at 60 % */                                             \
	X(sticky_at, 0)     /* that kernel leaves the context broken */                                                \
	X(sticky_code, 719) /* with that error */                                                                      \
	X(hang_at, 0)       /* that kernel never ends */                                                               \
	X(lazy, 0)          /* a kernel's first launch waits until the device is idle */                               \
	X(cupti_refuses, 0) /* code that cuptiActivityEnable gives */                                                  \
	X(cupti_silent, 0)  /* CUPTI accepts all and records nothing */                                                \
	X(cupti_drops, 0)   /* records that CUPTI says it lost */                                                      \
	X(cupti_cuts, 0)    /* the last record of a buffer lacks its end */                                            \
	X(nvml_refuses, 0)  /* code that nvmlInit_v2 gives */                                                          \
	X(throttled, 0)     /* NVML says so */                                                                         \
	X(xid, 0)           /* NVML has an event of that Xid */                                                        \
	X(foreign_pid, 0)   /* NVML lists a process that is not ours */                                                \
	X(compute_mode, 0)  /* 3: exclusive process */

enum { FAKE_MAX_FAILS = 16 };
/* "fail SYMBOL NTH CODE WHO": the NTH call (0: each) of that function gives CODE, in processes whose command line holds
 * WHO ("worker", "keeper"; "any": all of them). */
struct fake_fail {
	char symbol[64], who[16];
	unsigned nth;
	int code;
};
struct fake_conf {
#define FAKE_X(key, value) unsigned long long key;
	FAKE_CONF(FAKE_X)
#undef FAKE_X
	struct fake_fail fails[FAKE_MAX_FAILS];
	size_t n_fails;
};
/* Read on first use, kept from then on. */
const struct fake_conf *fake_conf(void);
/* The code that this call of the function is to give; 0: none. Counts the call. */
int fake_conf_fail(const char *symbol);
/* "GPU-fa4e0000-..." of a GPU, "MIG-..." of an instance on GPU 0; bytes as the driver gives them. */
void fake_uuid(unsigned char out[16], unsigned i_gpu, unsigned i_mig);
void fake_uuid_text(char out[48], unsigned i_gpu, unsigned i_mig);
/* i_mig for a whole GPU */
#define FAKE_WHOLE 0u

#endif
