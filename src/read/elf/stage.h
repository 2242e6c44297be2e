/* Compiler stages as files: source, Triton IR, LLVM IR, PTX, SASS text, binary. What each says about itself, and no claim
 * beyond its stage: IR shows what the compiler was given, only SASS and binaries what it made. */
#ifndef ASSAY_READ_ELF_STAGE_H
#define ASSAY_READ_ELF_STAGE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/sha256.h"

/* id, published name, extension in Triton's cache, markers that the text of the stage has */
#define STAGE_TABLE(X)                                                                                                 \
	X(SOURCE, "source", ".source", "", "")                                                                         \
	X(TTIR, "ttir", ".ttir", "module", "tt.func")                                                                  \
	X(TTGIR, "ttgir", ".ttgir", "module", "ttg.")                                                                  \
	X(LLVM_IR, "llvm_ir", ".llir", "define", "{")                                                                  \
	X(PTX, "ptx", ".ptx", ".version", ".target")                                                                   \
	X(SASS, "sass", ".sass", "/*0000*/", "")                                                                       \
	X(BINARY, "binary", ".cubin", "", "")
enum stage {
#define STAGE_X(id, name, extension, a, b) STAGE_##id,
	STAGE_TABLE(STAGE_X)
#undef STAGE_X
		STAGE_COUNT
};

struct stage_facts {
	enum stage stage;
	char sha256[SHA256_HEX];
	uint64_t bytes;
	bool is_text, is_ascii, ends_with_newline; /* text: no NUL byte */
	uint64_t n_lines;
	uint64_t n_markers[2]; /* occurrences of the stage's markers */
	bool is_whole;         /* every marker of the stage occurs */
	struct str *functions; /* tt.func, define, .entry and .func; SASS: Function lines */
	size_t n_functions;
	struct str target; /* "cuda:90" of ttgir, "sm_90a" of PTX, "sm_90a" of SASS; may be empty */
	struct str triple; /* LLVM IR: "nvptx64-nvidia-cuda" */
	/* Triton's module attributes; -1: not there */
	int64_t num_warps, num_ctas, threads_per_warp, shared_bytes;
};

const char *stage_name(enum stage s);
/* By extension; STAGE_COUNT when none fits. ".cubin", ".so", ".o", ".fatbin" are binaries, ".cu" and ".py" sources. */
enum stage stage_of_path(const char *path);
/* By content: binaries, PTX, IR, SASS; anything else that is text is STAGE_COUNT. */
enum stage stage_of_text(struct str bytes);
void stage_read(struct stage_facts *out, struct arena *a, enum stage stage, struct str bytes);
struct json *stage_json(const struct stage_facts *f, struct arena *a);

struct stage_triton { /* Triton's metadata beside the stages: NAME.json in its cache folder */
	struct str name, backend, hash;
	int64_t arch, num_warps, num_stages, num_ctas, shared_bytes; /* -1: not there */
};
MUST_USE bool stage_triton_read(struct stage_triton *out, struct arena *a, const char *name, struct str text,
				struct err *e);

#endif
