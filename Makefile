# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets: building is here, tests and lint are in tests/tests.mk, what machines and clusters are given is in
# config/install.mk. Nothing is downloaded but the distribution's packages, by tests/deps.

VERSION := 0.1.0

BUILD ?= build
comma := ,
ifeq ($(origin CC),default)
CC := gcc
endif

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wimplicit-fallthrough -Wundef
# Not every compiler has, nor every machine can, the last ones (-fcf-protection is x86's).
supported = $(foreach option,$(1),$(shell $(CC) -Werror $(option) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(option)))
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fno-asynchronous-unwind-tables \
	$(call supported,-fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero)
CFLAGS ?= -O2 -g
override CPPFLAGS += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I.
override CFLAGS += -std=gnu17 $(WARNINGS) $(HARDENING) -ffunction-sections -fdata-sections
override LDFLAGS += -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections,--as-needed
# Frames of their own: the stack's pages are touched for what is called, not for all that could be.
FRAMES := $(call supported,-fno-inline-functions-called-once)
override CFLAGS += -fPIE $(FRAMES)

# What all programs share, and what is the hook's own but its main(): the tests link both.
CORE := $(filter-out core/musl/%,$(sort $(wildcard core/*.c core/*/*.c)))
HOOK_OWN := $(filter-out hook/main.c,$(sort $(wildcard hook/*.c hook/*/*.c)))
CORE_OBJECTS := $(CORE:%.c=$(BUILD)/%.o)
OBJECTS := $(CORE_OBJECTS) $(HOOK_OWN:%.c=$(BUILD)/%.o)

# One static-pie executable: a node needs none of our libraries, and LD_* from an image reaches nothing.
# LIBC=musl is a third of glibc's size, and starts in a quarter of its time in a VM: glibc asks the
# processor some sixty questions at each start (CPUID, sysdeps/x86/dl-cacheinfo.h), and each leaves the VM.
# LIBC=glibc is for machines without musl-gcc; DYNAMIC=1 for distributions.
LIBC ?= $(if $(wildcard /usr/bin/dpkg-query),musl,glibc)
HOOK := $(BUILD)/oci-rdma-hook
HOOK_OBJECTS := $(BUILD)/hook/main.o $(OBJECTS)
HOOK_LDFLAGS := -pie
HOOK_LIBS := -lyajl
ifndef DYNAMIC
HOOK_LIBS := -lyajl_s
# A MachineConfig carries it, and all of a pool's must stay below 1.5 MiB: relocations in the short form.
HOOK_LDFLAGS := -static-pie -Wl,-z,pack-relative-relocs
ifeq ($(LIBC),musl)
HOOK_OBJECTS := $(patsubst %.c,$(BUILD)/musl/%.o,hook/main.c $(CORE) $(HOOK_OWN) $(wildcard core/musl/*.c))
# musl-gcc itself cannot link a static-pie: it knows one start file, the dynamic one.
MUSL := /usr/lib/$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))-linux-musl
HOOK_LDFLAGS := -static-pie -nostdlib $(MUSL)/rcrt1.o $(MUSL)/crti.o
HOOK_LIBS := -lyajl_s $(MUSL)/libc.a -lgcc $(MUSL)/crtn.o
endif
endif

# The NRI plugin is made like the hook: on a node, or alone in an image. Its messages' code is made from nri.proto.
NRI_PROGRAM := $(BUILD)/oci-rdma-nri
NRI_OWN := $(filter-out nri/main.c,$(sort $(wildcard nri/*.c nri/*/*.c)))
NRI_PROTO := $(BUILD)/generated/nri/message/nri.pb-c
NRI_OWN_OBJECTS := $(NRI_OWN:%.c=$(BUILD)/%.o) $(NRI_PROTO).o
NRI_OBJECTS := $(BUILD)/nri/main.o $(NRI_OWN_OBJECTS) $(CORE_OBJECTS)
NRI_LIBS := -lprotobuf-c $(HOOK_LIBS)
ifndef DYNAMIC
NRI_LIBS := -l:libprotobuf-c.a $(HOOK_LIBS)
ifeq ($(LIBC),musl)
NRI_OBJECTS := $(patsubst %.c,$(BUILD)/musl/%.o,nri/main.c $(NRI_OWN) $(CORE) $(wildcard core/musl/*.c)) $(NRI_PROTO:$(BUILD)/%=$(BUILD)/musl/%).o
endif
endif

# The doctor opens driver libraries at run time, so it takes the node's libc; all else it brings along.
DOCTOR := $(BUILD)/oci-rdma-doctor
DOCTOR_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out doctor/main.c,$(sort $(wildcard doctor/*.c doctor/*/*.c))))
DOCTOR_LIBS := $(if $(DYNAMIC),-lyajl,-Wl$(comma)-Bstatic -lyajl_s -Wl$(comma)-Bdynamic)

# One line a file; `make V=1` shows the commands.
say = $(if $(V),,@printf '  %-3s %s\n' $(1) $@;)

all: $(HOOK) $(NRI_PROGRAM) $(DOCTOR)

help:
	@echo 'make              build $(HOOK), $(NRI_PROGRAM) and $(DOCTOR)'
	@echo 'make demo         dry run on a recorded H100 node'
	@echo 'make check        minutes: a lint, unit, cli and podman tests, and real verbs in a VM'
	@echo 'make check-all    what CI runs: check-unit check-cli check-nri check-podman check-package check-vm check-asan lint'
	@echo 'make suite S=FILE one suite, and what it needs: S=tests/cli/main.sh'
	@echo 'make check-asan   the unit and cli tests under ASan and UBSan'
	@echo 'make fuzz         each fuzz target for TIME=60 seconds'
	@echo 'make soak         N=5000 containers for each runtime in a row, WIDTH=200 at once, VM_N=100 in the VM: nothing is left'
	@echo 'make coverage     which lines and branches of core/ and hook/ the unit and cli tests reach'
	@echo 'make bench        what hook, shim and NRI plugin cost, beside the plain thing: tables, and build/bench.json'
	@echo 'make install      DESTDIR= PREFIX=$(PREFIX) HOOKSDIR=$(HOOKSDIR) HOOKS=annotation|device RUNTIME=crun|runc'
	@echo 'make uninstall    the hook first, the executable GRACE=$(GRACE) seconds later'
	@echo 'make dist         $(DIST), of the last commit; for rpm/oci-rdma-hook.spec'
	@echo 'make machineconfig      ROLE=worker PROFILE=default HOOKS=annotation|device RUNTIME=1 NRI=1, for OpenShift'
	@echo 'make iommu-passthrough  ROLE=worker ARCH=x86_64|aarch64 INTEL_IOMMU=1, for OpenShift'
	@echo 'make nri-context        what the image of config/kubernetes/nri is built from'
	@echo 'make installer          what the image of config/kubernetes is built from'
	@echo 'make format lint  clang-format; clang-tidy, cppcheck, shellcheck'
	@echo 'make LIBC=glibc   static with glibc instead of musl'
	@echo 'make DYNAMIC=1    link the shared libraries (for distributions)'

# The build's own packages; a builder that has them (rpmbuild, DESTDIR) never gets here.
$(BUILD)/.deps: tests/deps
	@mkdir -p $(@D)
	@tests/deps build
	@touch $@

$(BUILD)/%.o: %.c Makefile | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# What a program's system calls are, as a BPF program; libseccomp is needed here, and not at run time.
FILTERS := $(patsubst %,$(BUILD)/confine/%.inc,hook nri)
FILTER_SOURCES := $(wildcard core/confine/filter/*.c)
$(BUILD)/confine/generate: $(FILTER_SOURCES) $(wildcard core/confine/filter/*.h) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) -D_GNU_SOURCE -I. -std=gnu17 $(WARNINGS) -O1 -o $@ $(FILTER_SOURCES) -lseccomp
$(FILTERS): $(BUILD)/confine/%.inc: $(BUILD)/confine/generate
	$(call say,GEN) $< $* >$@.new && mv $@.new $@
$(BUILD)/%/confinement.o $(BUILD)/musl/%/confinement.o: override CPPFLAGS += -I$(BUILD)/confine
$(BUILD)/hook/confinement.o $(BUILD)/musl/hook/confinement.o: $(BUILD)/confine/hook.inc
$(BUILD)/nri/confinement.o $(BUILD)/musl/nri/confinement.o: $(BUILD)/confine/nri.inc

$(NRI_PROTO).c: nri/message/nri.proto | $(BUILD)/.deps
	@mkdir -p $(BUILD)/generated
	$(call say,GEN) protoc-c -I. --c_out=$(BUILD)/generated $<
$(NRI_PROTO).o: $(NRI_PROTO).c
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(NRI_PROTO:$(BUILD)/%=$(BUILD)/musl/%).o: $(NRI_PROTO).c | $(MUSL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC) musl-gcc $(CPPFLAGS) -isystem $(MUSL_HEADERS) $(CFLAGS) -c -o $@ $<
NRI_MESSAGES := $(patsubst %.c,%.o,$(wildcard nri/message/*.c))
$(NRI_MESSAGES:%=$(BUILD)/%) $(NRI_MESSAGES:%=$(BUILD)/musl/%): $(NRI_PROTO).c
$(NRI_PROTO).o $(NRI_PROTO:$(BUILD)/%=$(BUILD)/musl/%).o $(BUILD)/nri/message/%.o $(BUILD)/musl/nri/message/%.o: override CPPFLAGS += -I$(BUILD)/generated

# The kernel's and the libraries' headers, which musl-gcc does not look for where glibc's are
MUSL_HEADERS := $(BUILD)/musl/include
$(MUSL_HEADERS): Makefile | $(BUILD)/.deps
	@rm -rf $@ && mkdir -p $@
	@for name in linux asm-generic rdma yajl protobuf-c; do ln -s /usr/include/$$name $@/$$name || exit 1; done
	@ln -s /usr/include/$$($(CC) -print-multiarch)/asm $@/asm

$(BUILD)/musl/%.o: %.c Makefile | $(BUILD)/.deps $(MUSL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC) musl-gcc $(CPPFLAGS) -isystem $(MUSL_HEADERS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(HOOK): $(HOOK_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(HOOK_LDFLAGS) -o $@ $^ $(HOOK_LIBS)

$(NRI_PROGRAM): $(NRI_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(HOOK_LDFLAGS) -o $@ $^ $(NRI_LIBS)

$(DOCTOR): $(BUILD)/doctor/main.o $(DOCTOR_OBJECTS) $(CORE_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) -pie -o $@ $^ $(DOCTOR_LIBS)

-include $(HOOK_OBJECTS:.o=.d) $(NRI_OBJECTS:.o=.d) $(NRI_OWN_OBJECTS:.o=.d) $(OBJECTS:.o=.d) $(DOCTOR_OBJECTS:.o=.d) $(BUILD)/hook/main.d $(BUILD)/nri/main.d $(BUILD)/doctor/main.d

demo: $(HOOK)
	@tests/deps demo
	@rm -rf $(BUILD)/demo && mkdir -p $(BUILD)/demo
	@tests/nodes/mknode tests/nodes/h100.json $(BUILD)/demo/node
	@tests/bundles/mkbundle h100-trainer.json $(BUILD)/demo/bundle
	$(HOOK) --sysroot $(BUILD)/demo/node --dry-run $(BUILD)/demo/bundle

clean:
	rm -rf $(BUILD)

.PHONY: all help demo clean

include tests/tests.mk
include config/install.mk
