# The fake driver: build/$(BUILD)/fake/ holds libcuda.so.1, libnvidia-ml.so.1, libcupti.so.13 and nvcc; old/ a driver
# without what is optional, broken/ one without cuLaunchKernel. docs/TESTING.md says how tests use them.
FAKE := $(OUT)/fake
FAKE_CUDA := conf device memory copy stream time kernel
# What they run of ours: the twins of our kernels. Compiled once more, position independent.
FAKE_OURS := gpu/twins gpu/values gpu/philox base/dtype base/clock base/err base/str base/utf8
FAKE_CFLAGS = $(CPPFLAGS) $(CFLAGS) -fPIC -Itests/fake -Wno-missing-prototypes
FAKE_OBJ := $(FAKE_CUDA:%=$(FAKE)/obj/%.o) $(FAKE_OURS:%=$(FAKE)/obj/%.o)
FAKE_OLD := $(shell sed -n 's/^DRV.[^"]*"\([^"]*\)", *"\([^"]*\)", *[0-9]*, *1,.*/\1 \2/p' src/gpu/driver.def)

fake: $(FAKE)/libcuda.so.1 $(FAKE)/libnvidia-ml.so.1 $(FAKE)/libcupti.so.13 $(FAKE)/nvcc \
	$(FAKE)/old/libcuda.so.1 $(FAKE)/broken/libcuda.so.1

$(FAKE)/obj/%.o: tests/fake/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FAKE_CFLAGS) -c -o $@ $<
$(FAKE)/obj/%.o: src/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(FAKE_CFLAGS) -c -o $@ $<

# Sanitizers' symbols come from the program, which has them once.
FAKE_LDFLAGS = $(filter-out -fsanitize=% -fno-sanitize% -static-libasan -rdynamic,$(LDFLAGS))
FAKE_LINK = $(CC) -shared $(FAKE_LDFLAGS) $(if $(findstring -fsanitize=,$(LDFLAGS)),,-Wl,-z,defs) \
	-Wl,-soname,$(@F) -Wl,-Bsymbolic
$(FAKE)/libcuda.so.1: $(FAKE_OBJ)
	$(call say,so,$@)
	$(Q)$(FAKE_LINK) -o $@ $^ -lm -lpthread
$(FAKE)/libnvidia-ml.so.1: $(FAKE)/obj/nvml.o $(FAKE)/obj/conf.o
	$(call say,so,$@)
	$(Q)$(FAKE_LINK) -o $@ $^
$(FAKE)/libcupti.so.13: $(FAKE)/obj/cupti.o $(FAKE)/obj/conf.o $(FAKE)/libcuda.so.1
	$(call say,so,$@)
	$(Q)$(FAKE_LINK) -Wl,-rpath,'$$ORIGIN' -o $@ $(filter %.o,$^) -L$(FAKE) -l:libcuda.so.1
$(FAKE)/%.map: src/gpu/driver.def tests/fake/rules.mk
	@mkdir -p $(@D)
	@printf '{ global: *; local: %s };\n' '$(if $(filter old,$*),$(FAKE_OLD:%=%;),cuLaunchKernel;)' > $@
$(FAKE)/old/libcuda.so.1 $(FAKE)/broken/libcuda.so.1: $(FAKE)/%/libcuda.so.1: $(FAKE)/%.map $(FAKE_OBJ)
	@mkdir -p $(@D)
	$(call say,so,$@)
	$(Q)$(FAKE_LINK) -Wl,--version-script=$< -o $@ $(filter %.o,$^) -lm -lpthread
$(FAKE)/nvcc: tests/fake/nvcc
	@mkdir -p $(@D)
	@ln -sf $(abspath $<) $@

-include $(wildcard $(FAKE)/obj/*.d $(FAKE)/obj/*/*.d)

# Unit tests that start real workers on it.
$(addprefix $(OUT)/tests/test_,fake worker keeper lab record hold): | fake $(BIN)
