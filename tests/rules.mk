# Test programs. tests/unit/test_X.c and tests/fault/test_X.c are cmocka programs, build/$(BUILD)/tests/test_X; other
# tests/fault/X.c are preloaded libraries, build/$(BUILD)/fault/X.so; tests/fuzz/fuzz_X.c are libFuzzer harnesses.

TEST_CFLAGS := -Wno-missing-prototypes -Itests
UNIT := $(patsubst tests/unit/%.c,$(OUT)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
FAULT := $(patsubst tests/fault/%.c,$(OUT)/tests/%,$(sort $(wildcard tests/fault/test_*.c)))
PRELOAD := $(patsubst tests/fault/%.c,$(OUT)/fault/%.so,$(sort $(filter-out tests/fault/test_%.c,$(wildcard tests/fault/*.c))))
FUZZ := $(patsubst tests/fuzz/%.c,$(OUT)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_SECONDS ?= 2

unit: $(UNIT)
fault: $(FAULT) $(PRELOAD)
fuzz: $(FUZZ)

$(UNIT): $(OUT)/tests/%: tests/unit/%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,test,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) -lcmocka $(LIBS)
$(FAULT): $(OUT)/tests/%: tests/fault/%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,test,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(TEST_CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) -lcmocka $(LIBS)
# Preloaded into sanitized programs too, so never sanitized itself.
$(PRELOAD): $(OUT)/fault/%.so: tests/fault/%.c
	@mkdir -p $(@D)
	$(call say,so,$<)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) $(TEST_CFLAGS) -O1 -g -MMD -MP -fPIC -shared -o $@ $< -ldl
$(FUZZ): $(OUT)/fuzz/%: tests/fuzz/%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,fuzz,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(TEST_CFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(LIB) $(LIBS)

# Each harness runs its corpus (tests/fuzz/corpus/X, committed inputs of past findings first) and then FUZZ_SECONDS more.
# What it finds stays in build/fuzz/found/.
fuzz-smoke:
	@command -v clang >/dev/null || command -v clang-14 >/dev/null || { echo 'fuzz-smoke: no clang here (Debian: apt-get install clang)'; exit 3; }
	@$(MAKE) --no-print-directory $(JOBS) BUILD=fuzz fuzz
	@tools/fuzz.sh $(FUZZ_SECONDS)

# The loop under fire, longer than in the suite: KILLS kills of it with hands that measure nothing, then of the real program;
# eight writers of one strategy memory for SECONDS.
.PHONY: kill-test memory-test
KILLS ?= 100
kill-test: $(BIN) $(OUT)/tests/test_kill
	@KILLS=$(KILLS) $(OUT)/tests/test_kill
	@ASSAY=$(BIN) tools/kill_test.py $(KILLS)
memory-test: $(OUT)/tests/test_memory_long
	@SECONDS_EACH=$(or $(SECONDS),3600) $<
