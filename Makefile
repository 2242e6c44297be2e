# assay: one Makefile. BUILD=release|debug|asan|tsan|cov|fuzz goes into build/$(BUILD)/. `make help` lists the targets;
# V=1 shows the commands.

BUILD ?= release
prefix ?= /usr/local
PREFIX ?= $(prefix)
OUT := build/$(BUILD)
ifeq ($(origin CC),default)
CC := gcc
endif

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wformat=2 -Wundef -Wswitch-enum -Wimplicit-fallthrough -Wno-missing-field-initializers -Werror
OPT_release := -O2 -g
OPT_debug := -O0 -g3
OPT_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_tsan := -O1 -g -fsanitize=thread
OPT_cov := -O0 -g --coverage
OPT_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
ifndef OPT_$(BUILD)
$(error BUILD=$(BUILD): it is one of release debug asan tsan cov fuzz)
endif
ifeq ($(BUILD),fuzz)
CC := $(firstword $(shell command -v clang clang-14 2>/dev/null) clang)
endif

CPPFLAGS += -Isrc -D_GNU_SOURCE -DASSAY_BUILD='"$(BUILD)"'
# -ffp-contract=off: values that C and PTX must agree on bit for bit (base/dtype.h).
CFLAGS += -std=c17 $(WARN) $(OPT_$(BUILD)) -fno-common -ffp-contract=off -fvisibility=hidden -MMD -MP
LDFLAGS += $(OPT_$(BUILD)) -rdynamic -Wl,--as-needed
# Static libraries keep their symbols to themselves; a sanitizer's are for the fake driver too.
ifeq ($(findstring -fsanitize=,$(OPT_$(BUILD))),)
LDFLAGS += -Wl,--exclude-libs,ALL
else
LDFLAGS += -Wl,--exclude-libs,libcrypto.a:libsqlite3.a:libseccomp.a:libffi.a:libelf.a:libzstd.a:libz.a
endif
LIBS := -l:libcrypto.a -l:libsqlite3.a -l:libseccomp.a -l:libffi.a -l:libelf.a -l:libzstd.a -l:libz.a -lm -ldl -lpthread
ifeq ($(BUILD),asan)
LDFLAGS += -static-libasan
endif

SRC := $(sort $(wildcard src/*/*.c src/*/*/*.c))
ASM := $(sort $(wildcard src/*/*.S src/*/*/*.S))
MAIN := src/door/main.c
OBJ := $(patsubst src/%.c,$(OUT)/obj/%.o,$(filter-out $(MAIN),$(SRC))) $(patsubst src/%.S,$(OUT)/obj/%.S.o,$(ASM)) $(OUT)/obj/documents.o
LIB := $(OUT)/libassay.a
BIN := $(OUT)/assay

# V=1 prints commands, else one word and the file.
ifneq ($(V),1)
Q := @
say = @printf '%-4s %s\n' $(1) $(2)
endif
JOBS = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: show-warn all demo integrity test unit fault fake fuzz fuzz-smoke lint format bench install deb dist clean help deps FORCE
all: $(BIN)

# The commit goes into one small object, rebuilt only when it changes.
$(OUT)/commit.h: FORCE
	@mkdir -p $(OUT)
	@c=$$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown); \
	if [ "$$c" != unknown ] && ! git diff --quiet HEAD -- src Makefile 2>/dev/null; then c=$$c+dirty; fi; \
	printf '#define ASSAY_COMMIT "%s"\n' "$$c" > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(OUT)/obj/base/version.o: $(OUT)/commit.h
$(OUT)/obj/base/version.o: CPPFLAGS += -include $(OUT)/commit.h

# What `assay --version --verbose` says of the build; $(OUT)/flags makes it again when it changes.
$(OUT)/obj/verb/about.o: private CPPFLAGS += -DASSAY_FLAGS='"$(filter-out -W% -MMD -MP,$(CFLAGS))"' -DASSAY_LINK_FLAGS='"$(LDFLAGS)"'

# Objects are made again when compiler or flags change.
$(OUT)/flags: FORCE
	@mkdir -p $(OUT)
	@printf '%s\n' '$(subst ','\'',$(CC) $(CPPFLAGS) $(CFLAGS))' > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(OUT)/obj/%.o: src/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
# Assembler files embed other files with .incbin, which -MMD does not see.
$(OUT)/obj/%.S.o: src/%.S $(wildcard src/*/*.ptx src/*/*.py src/protocol/skeleton* src/*/*.css src/*/*.js src/*/*.json)
	@mkdir -p $(@D)
	$(call say,as,$<)
	$(Q)$(CC) $(CPPFLAGS) -c -o $@ $<

# The files of skills/ go into the program (knowledge/document.c).
DOCUMENTS := $(shell find -L skills -type f 2>/dev/null)
$(OUT)/documents.S: tools/documents.sh $(DOCUMENTS) $(OUT)/flags
	$(Q)tools/documents.sh > $@.new && mv $@.new $@
$(OUT)/obj/documents.o: $(OUT)/documents.S
	$(call say,as,$<)
	$(Q)$(CC) $(CPPFLAGS) -c -o $@ $<

# probe.so: what a Python worker loads. Never sanitized or counted: it goes into the user's own interpreter.
PROBE_SRC := $(filter src/base/% src/wire/% src/gpu/% src/probe/%,$(SRC) $(ASM))
PROBE_OBJ := $(patsubst src/%.c,$(OUT)/pic/%.o,$(filter %.c,$(PROBE_SRC))) $(patsubst src/%.S,$(OUT)/pic/%.S.o,$(filter %.S,$(PROBE_SRC)))
PROBE_SO := $(OUT)/probe.so
$(OUT)/pic/%.o: src/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call say,pic,$<)
	$(Q)$(CC) $(CPPFLAGS) -std=c17 $(WARN) -O2 -fPIC -fno-common -ffp-contract=off -fvisibility=hidden -ffunction-sections -fdata-sections -MMD -MP -c -o $@ $<
$(OUT)/pic/%.S.o: src/%.S $(wildcard src/*/*.ptx)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -c -o $@ $<
$(PROBE_SO): $(PROBE_OBJ)
	$(call say,so,$@)
	$(Q)$(CC) -shared -s -Wl,--gc-sections -Wl,--as-needed -Wl,--no-undefined -Wl,--exclude-libs,ALL -o $@ $^ -l:libcrypto.a -l:libffi.a -l:libz.a -l:libzstd.a -lm -ldl -lpthread
$(OUT)/pic/base/version.o: $(OUT)/commit.h
$(OUT)/pic/base/version.o: private CPPFLAGS += -include $(OUT)/commit.h
$(OUT)/obj/run/embed.S.o: $(PROBE_SO)
$(OUT)/obj/run/embed.S.o: private CPPFLAGS += -DASSAY_PROBE_SO='"$(PROBE_SO)"'

$(LIB): $(OBJ)
	@rm -f $@
	$(call say,ar,$@)
	$(Q)ar rcs $@ $^
$(BIN): $(OUT)/obj/door/main.o $(LIB)
	$(call say,link,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $< -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(LIBS)

-include $(wildcard $(OUT)/pic/*/*.d $(OUT)/obj/*/*.d $(OUT)/obj/*/*/*.d $(OUT)/tests/*.d $(OUT)/fuzz/*.d $(OUT)/fault/*.d)

unit: ; @:
fault: ; @:
fake: ; @:
fuzz: ; @:
-include tests/fake/rules.mk bench/rules.mk
include tests/rules.mk

deps:
	@tools/deps.sh build
demo:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory $(JOBS) all
	@ASSAY=$(BIN) tools/demo.sh
test:
	@tools/deps.sh test
	@$(MAKE) --no-print-directory $(JOBS) all unit fault fake
	@BUILD=$(BUILD) tools/test.py $(T)
integrity: all
	@tools/integrity.py $(if $(T),--only "$(T)")
	@$(if $(T),:,bench/integrity_cost.py $(BIN))
lint:
	@tools/deps.sh lint
	@tools/lint.sh
format:
	clang-format-14 -i $(SRC) $(wildcard src/*/*.h src/*/*/*.h tests/*/*.h tests/*/*.c)
bench: all
	@tools/bench.sh
install:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory $(JOBS) all
	@ASSAY=$(BIN) tools/package.sh tree '$(DESTDIR)' '$(PREFIX)'
# Packages of the release build, into build/package.
deb dist:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory $(JOBS) BUILD=release all
	@tools/package.sh $@ $(if $(DESTDIR),$(DESTDIR),build/package)
clean:
	rm -rf build
show-warn:
	@echo $(WARN)
help:
	@echo 'make            the program: build/$(BUILD)/assay'
	@echo 'make demo       installs what is missing, builds, runs the loop on examples/softmax'
	@echo 'make test       installs what is missing, builds, runs the whole suite; ends with "N passed, N failed"'
	@echo '                T="json cli/bench": only tests whose name holds one of these words'
	@echo 'make integrity  kernels that cheat and kernels that do not: detection rate, false-alarm rate, cost'
	@echo '                T="late_work inplace": only these classes or files, without the cost'
	@echo 'make lint       format, clang-tidy, cppcheck, rooms, limits, words, PTX, symbol versions'
	@echo 'make fuzz-smoke each fuzz harness over its corpus and 2 s more (needs clang)'
	@echo 'make bench      speed as ratios against yardsticks timed in the same run'
	@echo 'make install    the program, man pages, completions; PREFIX=$(PREFIX), DESTDIR honoured'
	@echo 'make deb dist   a Debian package, a tarball with its sha256: into build/package'
	@echo 'BUILD=release|debug|asan|tsan|cov|fuzz, V=1'
