# SPDX-License-Identifier: Apache-2.0
# The build for aarch64 nodes, run here by QEMU's user emulation: another
# machine's instructions on this machine's kernel.
#
# Left out is what it cannot show: what QEMU does not emulate (seccomp filters, ptrace, stacks of 16 KiB), and what QEMU
# handles itself (paths below /proc, limits, signals and memory). doc/build.md says what ran on an aarch64 kernel.

AARCH64 := $(BUILD)/aarch64-linux-gnu
QEMU_PACKAGE := $(BUILD)/tests/qemu
QEMU := $(QEMU_PACKAGE)/usr/bin/qemu-aarch64

NOT_EMULATED := core/base/arena core/base/fs/interrupted core/base/fs/open core/base/fs/root core/base/replace \
	core/child core/confine/% core/container/container core/nccl_conf/% core/node/podnet core/policy/suite core/process/% \
	doctor/cuda/cuda doctor/target/% nri/report
UNIT_EMULATED = $(filter-out $(NOT_EMULATED:%=$(BUILD)/tests/unit/%),$(UNIT))
UNIT_AARCH64 = $(UNIT_EMULATED:$(BUILD)/%=$(AARCH64)/run/%)
CLI_EMULATED := allocated-devices deadline device-order device-sources dry-run hook identity image-nccl-conf log \
	node-doctor policy privileged-scan shim-odd-spec
CLI_AARCH64 = $(CLI_EMULATED:%=$(AARCH64)/run/tests/cli/%.sh)
SUITES_CROSS = $(UNIT_AARCH64) $(CLI_AARCH64)
SUITES_SMOKE = tests/cross/smoke.sh $(AARCH64)/run/tests/cli/hook.sh

aarch64 aarch64-tests: $(QEMU)
	+@$(MAKE) --no-print-directory CROSS=aarch64-linux-gnu SYSROOT=$(AARCH64)/sysroot BUILD=$(AARCH64) all \
		$(if $(filter %-tests,$@),units)
aarch64-tests: | aarch64
units: $(UNIT)

# Debian 12's QEMU answers openat2(2) with ENOSYS.
$(QEMU): tools/unpack
	@rm -rf $(QEMU_PACKAGE)
	$(call say,GET) tools/unpack trixie $(QEMU_PACKAGE) qemu-user
	@touch $@

demo-page: $(if $(CROSS),$(QEMU))
EMULATOR := $(if $(CROSS),$(QEMU))

# The same suites on the other build, by names of their own
$(AARCH64)/run/tests/cli/%.sh: tests/cross/cross.mk
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'export SYSROOT=$(AARCH64)/sysroot BUSYBOX=$(AARCH64)/sysroot/bin/busybox' \
		'export STRIP=aarch64-linux-gnu-strip HOOK=$(AARCH64)/oci-rdma-hook BUILD=$(AARCH64)' \
		'exec tests/cross/with-qemu $(QEMU) tests/cli/$*.sh' >$@.new
	@chmod 755 $@.new && mv $@.new $@
$(AARCH64)/run/tests/unit/%: tests/cross/cross.mk
	@mkdir -p $(@D)
	@printf '%s\n' '#!/bin/sh' 'export QEMU_LD_PREFIX=$(abspath $(AARCH64))/sysroot' \
		'exec tests/cross/with-qemu $(QEMU) $(AARCH64)/tests/unit/$*' >$@.new
	@chmod 755 $@.new && mv $@.new $@

.PHONY: aarch64 aarch64-tests units
