# Programs that prove numbers: not part of the program, each prints what a document quotes.

$(OUT)/bench/%: bench/%.c $(LIB)
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(LIBS)

.PHONY: sim spending
# The comparison engine against simulated machines: docs/measurements/simulation.md. SIM="comparisons-a-scenario seed".
sim: $(OUT)/bench/sim
	@$< $(SIM)
# Computes the spending table again and compares it with the committed one.
spending: $(OUT)/bench/spending
	@$< > $(OUT)/spending.def
	@cmp $(OUT)/spending.def src/stats/spending.def && echo 'src/stats/spending.def is what bench/spending.c computes'

.PHONY: bench-read
# The readers of profiles against yardsticks. KERNELS: millions of kernels in the nsys export; TRACE_MB: of the trace.
bench-read: all $(OUT)/bench/gen_ncu $(OUT)/bench/gen_nsys $(OUT)/bench/gen_kineto
	@bench/read.sh $(or $(KERNELS),1) $(TRACE_MB)

.PHONY: bank-replay
# The engine over placements that were recorded by bench/gpu/bank.sh: BANK=folder, REPLAY="comparisons seed".
bank-replay: $(OUT)/bench/replay
	@$< $(or $(BANK),$(error BANK=folder: what bench/gpu/bank.sh recorded)) $(REPLAY)

.PHONY: bench-protocol
# A supervised driver call against a direct one; freezing against cp -r and sha256sum. CALLS, MB: how many, how large.
bench-protocol: all $(OUT)/bench/evidence
	@python3 bench/protocol.py $(BIN) $(OUT)/bench/evidence $(or $(CALLS),200) $(or $(MB),512)
