# SPDX-License-Identifier: Apache-2.0
# The build for aarch64 nodes, run here by QEMU's user emulation: another
# machine's instructions on this machine's kernel.
#
# Left out is what it cannot show: what QEMU does not emulate (seccomp filters, ptrace, stacks of 16 KiB), and what QEMU
# handles itself (paths below /proc, limits, signals and memory). doc/build.md says what ran on an aarch64 kernel.

AARCH64 := $(BUILD)/aarch64-linux-gnu
QEMU := $(BUILD)/tests/qemu/usr/bin/qemu-aarch64

NOT_EMULATED := core/base/arena core/base/fs/interrupted core/base/fs/open core/base/fs/root core/base/replace \
	core/confine/% core/container/container core/nccl_conf/% core/policy/suite core/process/% \
	doctor/cuda/cuda doctor/target/% lib/child lib/trusted_link nri/report
UNIT_EMULATED = $(filter-out $(NOT_EMULATED:%=$(BUILD)/tests/unit/%),$(UNIT))
UNIT_AARCH64 = $(UNIT_EMULATED:$(BUILD)/%=$(AARCH64)/run/%)
CLI_EMULATED := allocated-devices deadline device-order device-sources dry-run hook identity image-nccl-conf log \
	node-doctor policy privileged-scan shim-odd-spec
CLI_AARCH64 = $(CLI_EMULATED:%=$(AARCH64)/run/tests/cli/%.sh)
CROSS_SMOKE = $(AARCH64)/run/tests/cli/hook.sh

$(AARCH64) aarch64-units: $(BUILD)/tests/qemu/.unpacked
	@tools/deps cross-aarch64
	+@$(MAKE) --no-print-directory CROSS=aarch64-linux-gnu BUILD=$(AARCH64) $(if $(filter %-units,$@),units,all)
aarch64-units: | $(AARCH64)
demo-page: $(if $(CROSS),$(BUILD)/tests/qemu/.unpacked)
EMULATOR := $(if $(CROSS),$(QEMU))

# The same suites on the other build, by names of their own
$(UNIT_AARCH64): | aarch64-units
$(CLI_AARCH64) $(CROSS_SMOKE): | $(AARCH64)
CLI_SETTINGS := HOOK=$(AARCH64)/oci-rdma-hook BUILD=$(AARCH64) STRIP=aarch64-linux-gnu-strip \
	SYSROOT=$(AARCH64)/sysroot BUSYBOX=$(AARCH64)/sysroot/bin/busybox
$(AARCH64)/run/%: tests/cross/cross.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexport %s\nexec tests/cross/with-qemu $(QEMU) %s\n' $(if $(filter %.sh,$*), \
		'$(CLI_SETTINGS)' '$*','QEMU_LD_PREFIX=$(abspath $(AARCH64))/sysroot' '$(AARCH64)/$*') >$@.new
	@chmod 755 $@.new && mv $@.new $@

.PHONY: $(AARCH64) aarch64-units
