/* SASS listings of cuobjdump -sass and nvdisasm: what the machine code of each kernel consists of. Only opcodes and their
 * operands count: names, comments, strings and headers prove nothing. Costs O(kernels * distinct opcodes) memory. */
#ifndef ASSAY_READ_SASS_SASS_H
#define ASSAY_READ_SASS_SASS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "base/sha256.h"

/* what an opcode does; the table is sass/opcode.def */
enum sass_class {
	SASS_OTHER,
	SASS_LOAD,
	SASS_STORE,
	SASS_ATOMIC, /* atomics and reductions into memory */
	SASS_ASYNC,  /* asynchronous copies, by threads, TMA or bulk units */
	SASS_PREFETCH,
	SASS_TENSOR,  /* matrix products */
	SASS_BARRIER, /* over threads, mbarriers, clusters, groups of copies */
	SASS_FENCE,
	SASS_BRANCH,
	SASS_DIVERGENCE, /* reconvergence and indirect branches */
	SASS_CALL,
	SASS_CLASSES
};
enum sass_space {
	SASS_NO_SPACE,
	SASS_GLOBAL,
	SASS_SHARED,
	SASS_LOCAL,
	SASS_GENERIC,
	SASS_CONSTANT,
	SASS_DISTRIBUTED,
	SASS_TENSOR_MEMORY,
	SASS_TEXTURE,
	SASS_SPACES
};

struct sass_site {
	uint32_t pc;   /* byte offset in the kernel */
	uint32_t line; /* 1-based source line; 0: no line info */
	uint32_t file; /* index into the listing's files */
};
#define SASS_SITES 4
enum sass_opcode_flags {
	SASS_AS_MOVE = 1, /* HFMA2 R, -RZ, RZ, constants: loads a constant, computes nothing */
	SASS_SCALED = 2,  /* UTC?MMA with scale-factor operands in tensor memory */
};
struct sass_opcode {     /* one row per distinct opcode with modifiers */
	struct str name; /* "LDG.E.128.CONSTANT" */
	unsigned flags;
	bool is_unknown; /* the table of opcodes lacks it */
	enum sass_class class_of;
	enum sass_space space;
	uint32_t word;  /* index of this name and these flags among the distinct ones of the listing */
	uint32_t width; /* bytes a thread, of loads, stores, atomics and thread-issued copies; 0: not in the opcode */
	uint64_t n;
	struct sass_site sites[SASS_SITES]; /* the first min(n, SASS_SITES) */
};
struct sass_loop {           /* a backward branch */
	uint32_t begin, end; /* byte offsets of its target and of the branch */
	uint32_t line;       /* of the branch; 0: no line info */
};
struct sass_line {
	uint32_t file, line;
	uint64_t n; /* instructions */
};
struct sass_kernel {
	struct str name; /* mangled */
	struct str arch; /* "sm_90a"; empty: the listing does not say */
	unsigned sm;     /* 90; 0: unknown */
	uint64_t n;      /* instructions, padding left out */
	uint64_t n_class[SASS_CLASSES];
	uint64_t n_local;            /* loads and stores of local memory: spills and indexed local arrays */
	struct sass_opcode *opcodes; /* most frequent first */
	size_t n_opcodes;
	struct sass_loop *loops; /* in order of their ends */
	size_t n_loops;
	struct sass_line *lines; /* most instructions first, at most 64 */
	size_t n_lines;
};
struct sass_listing {
	struct sass_kernel *kernels;
	size_t n_kernels, cap_kernels;
	struct str *files; /* source files of the line info */
	size_t n_files, cap_files;
	struct sass_signatures *signatures; /* which opcodes match which patterns: inner to sass/signature.c */
	struct str problem;                 /* what could not be read as expected; empty: nothing */
	uint64_t n_unread;                  /* rows that look like instructions and could not be read */
	char binary_sha256[SHA256_HEX];     /* of the binary that was disassembled: set by the caller; empty: unbound */
};

/* True when the text looks like such a listing (first 64 KiB). */
bool sass_is_listing(struct str text);
/* `name` is for messages. No kernel at all: false. Strings are copied into `a`. */
MUST_USE bool sass_read(struct sass_listing *out, struct arena *a, const char *name, struct str text, struct err *e);
/* NULL when absent; an empty arch matches the first kernel of that name. */
const struct sass_kernel *sass_find(const struct sass_listing *l, struct str name, struct str arch);
const char *sass_class_name(enum sass_class c);
const char *sass_space_name(enum sass_space s);
/* Per kernel: instruction counts by class and opcode, loads and stores by space and width, loops, hottest lines. */
struct json *sass_json(const struct sass_listing *l, struct arena *a);

#endif
