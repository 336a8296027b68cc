# SPDX-License-Identifier: Apache-2.0
# The build for aarch64 nodes, run here by QEMU's user emulation. It is another machine's instructions on this machine's kernel.
#
# What it cannot show, and so is left out: what QEMU has no part of (seccomp filters, ptrace, stacks of 16 KiB), and what it does by itself
# (paths below /proc, limits, signals and memory, which it needs for its own). doc/build.md says what ran on an aarch64 kernel.

AARCH64 := $(BUILD)/aarch64-linux-gnu
QEMU_PACKAGE := $(BUILD)/tests/qemu
QEMU := $(QEMU_PACKAGE)/usr/bin/qemu-aarch64

UNIT_NOT_EMULATED := arena config confine container cuda device_files files image interrupted nccl_conf podnet process races replace root target
UNIT_AARCH64 = $(patsubst $(BUILD)/%,$(AARCH64)/run/%,$(filter-out $(UNIT_NOT_EMULATED:%=$(BUILD)/tests/unit/test_%),$(UNIT)))
CLI_AARCH64 = $(patsubst %,$(AARCH64)/run/tests/cli/%.sh,deadline hook identity image log main node-doctor order paths policy proof scan shim-odd)
SUITES_CROSS = $(UNIT_AARCH64) $(CLI_AARCH64)

aarch64: $(QEMU)
	+@$(MAKE) --no-print-directory CROSS=aarch64-linux-gnu SYSROOT=$(AARCH64)/sysroot BUILD=$(AARCH64) aarch64-targets
aarch64-targets: all $(UNIT)

# Debian 12's QEMU answers openat2(2) with ENOSYS.
$(QEMU): tests/unpack
	@rm -rf $(QEMU_PACKAGE)
	$(call say,GET) tests/unpack trixie $(QEMU_PACKAGE) qemu-user
	@touch $@

demo: $(if $(CROSS),$(QEMU))
EMULATOR := $(if $(CROSS),$(QEMU))

# The same suites on the other build, by names of their own
$(AARCH64)/run/tests/cli/%.sh: tests/cross/cross.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexport SYSROOT=$(AARCH64)/sysroot BUSYBOX=$(AARCH64)/sysroot/bin/busybox STRIP=aarch64-linux-gnu-strip\nHOOK=$(AARCH64)/oci-rdma-hook BUILD=$(AARCH64) exec tests/cross/with-qemu $(QEMU) tests/cli/$*.sh\n' >$@.new && \
		chmod 755 $@.new && mv $@.new $@
$(AARCH64)/run/tests/unit/%: tests/cross/cross.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nexport QEMU_LD_PREFIX=$(abspath $(AARCH64))/sysroot\nexec tests/cross/with-qemu $(QEMU) $(AARCH64)/tests/unit/$*\n' >$@.new && \
		chmod 755 $@.new && mv $@.new $@

check-aarch64:
	+$(call suites,$(SUITES_CROSS))

.PHONY: aarch64 aarch64-targets check-aarch64
