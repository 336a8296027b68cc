# SPDX-License-Identifier: Apache-2.0
# What measures, for tests/tests.mk: make bench, and tests/cli/footprint.sh.

bench: all $(addprefix $(BUILD)/bench/,launch floor-musl) $(BUILD)/tests/nri/judge
	@tools/deps test podman bench
	HOOK=$(HOOK) BUILD=$(BUILD) tests/bench/run

$(BUILD)/bench/%-glibc: tests/bench/%.c | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -static-pie -o $@ $<
$(BUILD)/bench/%-musl: tests/bench/%.c | $(BUILD)/.deps-bench
	@mkdir -p $(@D)
	$(call say,CC) musl-gcc $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -static -o $@ $<
# Small, since a child begins with its parent's peak of memory
$(BUILD)/bench/launch: tests/bench/launch.c | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(if $(filter musl,$(LIBC)),musl-gcc,$(CC)) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -static -o $@ $<

.PHONY: bench
