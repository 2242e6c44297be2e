# assay: one Makefile. BUILD=release|debug|asan|tsan|cov|fuzz goes into build/$(BUILD)/.
# make (the program), make demo, make test, make lint, make bench, make install. `make help` lists them.

BUILD ?= release
CC ?= gcc
PREFIX ?= /usr/local
OUT := build/$(BUILD)

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Wvla \
	-Wformat=2 -Wundef -Wswitch-enum -Wimplicit-fallthrough -Werror
OPT_release := -O2 -g
OPT_debug := -O0 -g3
OPT_asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT_tsan := -O1 -g -fsanitize=thread
OPT_cov := -O0 -g --coverage
OPT_fuzz := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
ifeq ($(BUILD),fuzz)
CC := clang
endif

CPPFLAGS += -Isrc -D_GNU_SOURCE -DASSAY_BUILD='"$(BUILD)"'
# -ffp-contract=off: values that C and PTX must agree on bit for bit (base/dtype.h).
CFLAGS += -std=c17 $(WARN) $(OPT_$(BUILD)) -fno-common -ffp-contract=off -fvisibility=hidden -MMD -MP
LDFLAGS += $(OPT_$(BUILD)) -rdynamic -Wl,--as-needed
LIBS := -l:libcrypto.a -l:libsqlite3.a -l:libseccomp.a -l:libffi.a -l:libelf.a -l:libzstd.a -l:libz.a -lm -ldl -lpthread
ifeq ($(BUILD),asan)
LDFLAGS += -static-libasan
endif

SRC := $(sort $(wildcard src/*/*.c src/*/*/*.c))
ASM := $(sort $(wildcard src/*/*.S src/*/*/*.S))
MAIN := src/door/main.c
OBJ := $(patsubst src/%.c,$(OUT)/obj/%.o,$(filter-out $(MAIN),$(SRC))) $(patsubst src/%.S,$(OUT)/obj/%.S.o,$(ASM))
LIB := $(OUT)/libassay.a
BIN := $(OUT)/assay
UNIT := $(patsubst tests/unit/%.c,$(OUT)/tests/%,$(sort $(wildcard tests/unit/test_*.c)))
FUZZ := $(patsubst tests/fuzz/%.c,$(OUT)/fuzz/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))

.PHONY: all demo test unit lint format bench install clean help deps FORCE
all: $(BIN)

# The commit goes into one small object, rebuilt only when it changes.
$(OUT)/commit.h: FORCE
	@mkdir -p $(OUT)
	@c=$$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown); \
	if [ "$$c" != unknown ] && ! git diff --quiet HEAD -- src Makefile 2>/dev/null; then c=$$c+dirty; fi; \
	printf '#define ASSAY_COMMIT "%s"\n' "$$c" > $@.new; cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(OUT)/obj/base/version.o: $(OUT)/commit.h
$(OUT)/obj/base/version.o: CPPFLAGS += -include $(OUT)/commit.h

$(OUT)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
# Assembler files embed other files with .incbin, which -MMD does not see.
$(OUT)/obj/%.S.o: src/%.S $(wildcard src/*/*.ptx src/*/*.py src/*/*.css src/*/*.js src/*/*.json)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -c -o $@ $<

$(LIB): $(OBJ)
	@rm -f $@
	ar rcs $@ $^
$(BIN): $(OUT)/obj/door/main.o $(LIB)
	$(CC) $(LDFLAGS) -o $@ $< -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive $(LIBS)

$(OUT)/tests/%: tests/unit/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -Itests $(LDFLAGS) -o $@ $< $(LIB) -lcmocka $(LIBS)
$(OUT)/fuzz/%: tests/fuzz/%.c $(LIB)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(LIB) $(LIBS)

-include $(wildcard $(OUT)/obj/*/*.d $(OUT)/obj/*/*/*.d $(OUT)/tests/*.d)

unit: $(UNIT)
fuzz: $(FUZZ)
fake:
-include tests/fake/rules.mk tests/rules.mk bench/rules.mk

deps:
	@tools/deps.sh build
demo: 
	@tools/deps.sh build
	@$(MAKE) --no-print-directory -j$$(nproc) all
	@tools/demo.sh
test:
	@tools/deps.sh test
	@$(MAKE) --no-print-directory -j$$(nproc) all unit fake
	@tools/test.sh
lint:
	@tools/deps.sh lint
	@tools/lint.sh
format:
	clang-format -i $(SRC) $(wildcard src/*/*.h src/*/*/*.h tests/unit/*.c tests/fake/*.c tests/fuzz/*.c)
bench: all
	@tools/bench.sh
install:
	@tools/deps.sh build
	@$(MAKE) --no-print-directory -j$$(nproc) all
	install -D -m 755 $(BIN) $(DESTDIR)$(PREFIX)/bin/assay
clean:
	rm -rf build
help:
	@echo 'make            the program: build/$(BUILD)/assay'
	@echo 'make demo       installs what is missing, builds, runs the loop on examples/softmax'
	@echo 'make test       the whole test-suite; ends with "N passed, N failed"'
	@echo 'make lint       format, clang-tidy, cppcheck, rooms, limits, PTX, symbol versions'
	@echo 'make bench      speed as ratios against yardsticks timed in the same run'
	@echo 'make install    PREFIX=$(PREFIX), DESTDIR honoured'
