# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets: building is here, tests and lint are in tests/tests.mk, what machines and clusters are given is in
# config/install.mk. Nothing is downloaded but the distribution's packages, by tests/deps.

# The files that repeat it are listed in tests/versions, which lint runs.
VERSION := 0.1.0

comma := ,
$(if $(word 2,$(CURDIR)),$(error make takes a space in a path for the end of it: move this directory, '$(CURDIR)', to where no name has a space))
ifeq ($(origin CC),default)
CC := $(CROSS:%=%-)gcc
endif
HOSTCC ?= $(if $(CROSS),gcc,$(CC))

# CROSS=aarch64-linux-gnu builds for another machine, in a directory of its own: with Debian's cross compiler, and with the libraries
# out of that architecture's packages, which tests/sysroot unpacks into SYSROOT. Nothing of them is installed here. A SYSROOT= that is
# given is taken as it is.
BUILD ?= build$(CROSS:%=/%)
STRIP ?= $(CROSS:%=%-)strip
export STRIP
SYSROOT ?= $(CROSS:%=$(BUILD)/sysroot)
# On a new machine the compiler comes first, since what it can is asked below; who may not install it is told so by what is built.
BUILD_PACKAGES := build $(if $(CROSS),cross-$(firstword $(subst -, ,$(CROSS))))
WITHOUT_COMPILER := help clean uninstall dist iommu-passthrough format
ifneq ($(filter-out $(WITHOUT_COMPILER),$(or $(MAKECMDGOALS),all)),)
ifeq ($(shell command -v $(CC) || id -u),0)
$(shell tests/deps $(BUILD_PACKAGES) >&2)
endif
endif
TARGET := $(shell $(CC) -dumpmachine 2>/dev/null)
MULTIARCH := $(or $(CROSS),$(shell $(CC) -print-multiarch 2>/dev/null))
KERNEL_HEADERS := $(if $(CROSS),/usr/$(CROSS)/include,/usr/include)

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wimplicit-fallthrough -Wundef
# Not every compiler has, nor every machine can, the last ones (-fcf-protection is x86's).
supported = $(foreach option,$(1),$(shell $(CC) -Werror $(option) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(option)))
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fno-asynchronous-unwind-tables \
	$(call supported,-fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero)
CFLAGS ?= -O2 -g
override CPPFLAGS += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I.
override CFLAGS += -std=gnu17 $(WARNINGS) $(HARDENING) -ffunction-sections -fdata-sections
ifdef CROSS
override CPPFLAGS += -isystem $(SYSROOT)/usr/include
SYSROOT_LIBS := -L$(SYSROOT)/usr/lib/$(MULTIARCH) -Wl,-rpath-link,$(SYSROOT)/lib/$(MULTIARCH)
override LDFLAGS += $(SYSROOT_LIBS)
endif
override LDFLAGS += -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections,--as-needed
# Frames of their own: the stack's pages are touched for what is called, not for all that could be.
FRAMES := $(call supported,-fno-inline-functions-called-once)
# The same commit gives the same bytes in any directory.
override CFLAGS += -fPIE $(FRAMES) -ffile-prefix-map=$(CURDIR)=.

# What all programs share, and what is the hook's own but its main(): the tests link both.
CORE := $(filter-out core/musl/%,$(sort $(wildcard core/*.c core/*/*.c)))
HOOK_OWN := $(filter-out hook/main.c,$(sort $(wildcard hook/*.c hook/*/*.c)))
CORE_OBJECTS := $(CORE:%.c=$(BUILD)/%.o)
OBJECTS := $(CORE_OBJECTS) $(HOOK_OWN:%.c=$(BUILD)/%.o)

# YAJL=DIRECTORY is a source tree of yajl 2.1, for distributions that have no yajl any more: it is compiled with our own compiler, and no
# yajl of this machine's is looked for.
ifdef YAJL
YAJL_ARCHIVE := $(BUILD)/yajl/libyajl.a
YAJL_INCLUDE := $(BUILD)/yajl/include
YAJL_SOURCES := $(notdir $(wildcard $(YAJL)/src/*.c))
$(if $(YAJL_SOURCES),,$(error YAJL=$(YAJL): there is no src/*.c of yajl))
override CPPFLAGS += -isystem $(YAJL_INCLUDE)
endif

# One static-pie executable: a node needs none of our libraries, and LD_* from an image reaches nothing.
# LIBC=musl is a third of glibc's size, and starts in a quarter of its time in a VM: glibc asks the
# processor some sixty questions at each start (CPUID, sysdeps/x86/dl-cacheinfo.h), and each leaves the VM.
# LIBC=glibc is for machines without musl-gcc; DYNAMIC=1 for distributions.
LIBC ?= $(if $(wildcard /usr/bin/dpkg-query),musl,glibc)
HOOK := $(BUILD)/oci-rdma-hook
HOOK_OBJECTS := $(BUILD)/hook/main.o $(OBJECTS)
HOOK_LDFLAGS := -pie
HOOK_LIBS := $(or $(YAJL_ARCHIVE),-lyajl)
ifndef DYNAMIC
HOOK_LIBS := $(or $(YAJL_ARCHIVE),-lyajl_s)
# A MachineConfig carries it, and all of a pool's must stay below 1.5 MiB: relocations in the short form.
HOOK_LDFLAGS := -static-pie -Wl,-z,pack-relative-relocs
ifeq ($(LIBC),musl)
HOOK_OBJECTS := $(patsubst %.c,$(BUILD)/musl/%.o,hook/main.c $(CORE) $(HOOK_OWN) $(wildcard core/musl/*.c))
# As musl-gcc compiles, but for any target; and musl-gcc cannot link a static-pie, since it knows one start file, the dynamic one.
MUSL := $(SYSROOT)/usr/lib/$(firstword $(subst -, ,$(TARGET)))-linux-musl
HOOK_LDFLAGS := -static-pie -nostdlib $(MUSL)/rcrt1.o $(MUSL)/crti.o
HOOK_LIBS := $(or $(YAJL_ARCHIVE:$(BUILD)/%=$(BUILD)/musl/%),-lyajl_s) $(MUSL)/libc.a -lgcc $(MUSL)/crtn.o
endif
endif

# The NRI plugin is made like the hook: on a node, or alone in an image. Its messages' code is made from nri.proto. NRI_DYNAMIC=1 links
# shared libraries into it alone: Fedora and RHEL have no static protobuf-c.
NRI_PROGRAM := $(BUILD)/oci-rdma-nri
NRI_OWN := $(filter-out nri/main.c,$(sort $(wildcard nri/*.c nri/*/*.c)))
NRI_PROTO := $(BUILD)/generated/nri/message/nri.pb-c
NRI_OWN_OBJECTS := $(NRI_OWN:%.c=$(BUILD)/%.o) $(NRI_PROTO).o
NRI_OBJECTS := $(BUILD)/nri/main.o $(NRI_OWN_OBJECTS) $(CORE_OBJECTS)
NRI_LDFLAGS := -pie
NRI_LIBS := -lprotobuf-c $(or $(YAJL_ARCHIVE),-lyajl)
ifeq ($(DYNAMIC)$(NRI_DYNAMIC),)
NRI_LDFLAGS := $(HOOK_LDFLAGS)
NRI_LIBS := -l:libprotobuf-c.a $(HOOK_LIBS)
ifeq ($(LIBC),musl)
NRI_OBJECTS := $(patsubst %.c,$(BUILD)/musl/%.o,nri/main.c $(NRI_OWN) $(CORE) $(wildcard core/musl/*.c)) $(NRI_PROTO:$(BUILD)/%=$(BUILD)/musl/%).o
endif
endif

# The doctor opens driver libraries at run time, so it takes the node's libc; all else it brings along.
DOCTOR := $(BUILD)/oci-rdma-doctor
DOCTOR_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out doctor/main.c,$(sort $(wildcard doctor/*.c doctor/*/*.c doctor/*/*/*.c))))
DOCTOR_LIBS := $(if $(DYNAMIC)$(YAJL),$(or $(YAJL_ARCHIVE),-lyajl),-Wl$(comma)-Bstatic -lyajl_s -Wl$(comma)-Bdynamic)

# One line a file; `make V=1` shows the commands. QUIET=1 leaves the lines out, too, but not what a compiler has to say.
say = $(if $(V),,@$(if $(QUIET),,printf '  %-3s %s\n' $(1) $@;))

all: $(HOOK) $(NRI_PROGRAM) $(DOCTOR)

help:
	@echo 'make              build $(HOOK), $(NRI_PROGRAM) and $(DOCTOR)'
	@echo 'make demo         dry run on a recorded H100 node'
	@echo 'make check        lint, unit, cli and podman tests, and real verbs in a VM; takes minutes'
	@echo 'make check-all    everything that CI runs: check-unit check-cli check-nri check-podman check-package check-vm check-asan lint'
	@echo 'make suite S=FILE run one suite, after building what it needs: S=tests/cli/main.sh'
	@echo 'make check-asan   the unit and cli tests under ASan and UBSan'
	@echo 'make check-aarch64  the unit and cli tests of the aarch64 build, under QEMU'
	@echo 'make fuzz         each fuzz target for TIME=60 seconds'
	@echo 'make soak         N=5000 containers for each runtime in a row, WIDTH=200 at once, VM_N=100 in the VM; checks that nothing is left'
	@echo 'make coverage     which lines and branches of core/ and hook/ the unit and cli tests reach'
	@echo 'make bench        measure hook, shim and NRI plugin against runs without them; prints tables, writes build/bench.json'
	@echo 'make install      DESTDIR= PREFIX=$(PREFIX) HOOKSDIR=$(HOOKSDIR) HOOKS=annotation|device RUNTIME=crun|runc KUBECTL=1'
	@echo 'make uninstall    remove the hooks.d files, and the executable GRACE=$(GRACE) seconds later'
	@echo 'make dist         write $(DIST) from the last commit, for rpm/oci-rdma-hook.spec'
	@echo 'make release-check  whether this commit may be released: tag, CHANGELOG, dates, contacts; its tarball in an empty directory'
	@echo 'make machineconfig      ROLE=worker PROFILE=default HOOKS=annotation|device RUNTIME=1 NRI=1, for OpenShift'
	@echo 'make iommu-passthrough  ROLE=worker ARCH=x86_64|aarch64 INTEL_IOMMU=1, for OpenShift'
	@echo 'make nri-context        prepare the directory from which the image of config/kubernetes/nri is built'
	@echo 'make doctor-context     prepare the directory from which the image of config/kubernetes/doctor is built'
	@echo 'make installer          prepare the directory from which the image of config/kubernetes is built'
	@echo 'make format lint  format the C files (clang-format); run clang-tidy, cppcheck, shellcheck and more'
	@echo 'make LIBC=glibc   link statically with glibc instead of musl'
	@echo 'make DYNAMIC=1    link against shared libraries (for distributions)'
	@echo 'make CROSS=aarch64-linux-gnu [TARGET]  build for aarch64 nodes, in build/aarch64-linux-gnu; with ARCH=aarch64, a target refuses an executable for another machine'

# The build's own packages; a builder that has them (rpmbuild, DESTDIR) never gets here.
$(BUILD)/.deps: tests/deps tests/sysroot $(YAJL_INCLUDE:%=%/yajl)
	@mkdir -p $(@D)
	@tests/deps $(BUILD_PACKAGES)
	@$(if $(CROSS),$(if $(filter $(BUILD)/sysroot,$(SYSROOT)),tests/sysroot $(CROSS) $(SYSROOT)))
	@touch $@

$(BUILD)/%.o: %.c Makefile | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# What a program's system calls are, as a BPF program; libseccomp is needed here, and not at run time.
FILTERS := $(patsubst %,$(BUILD)/confine/%.inc,hook nri)
FILTER_SOURCES := $(wildcard core/confine/filter/*.c)
$(BUILD)/confine/generate: $(FILTER_SOURCES) $(wildcard core/confine/filter/*.h) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(HOSTCC) -D_GNU_SOURCE -I. -std=gnu17 $(WARNINGS) -O1 -o $@ $(FILTER_SOURCES) -lseccomp
$(FILTERS): $(BUILD)/confine/%.inc: $(BUILD)/confine/generate
	$(call say,GEN) $< $* $(firstword $(subst -, ,$(CROSS))) >$@.new && mv $@.new $@
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
	$(call say,CC) $(MUSL_CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
NRI_MESSAGES := $(patsubst %.c,%.o,$(wildcard nri/message/*.c))
$(NRI_MESSAGES:%=$(BUILD)/%) $(NRI_MESSAGES:%=$(BUILD)/musl/%): $(NRI_PROTO).c
$(NRI_PROTO).o $(NRI_PROTO:$(BUILD)/%=$(BUILD)/musl/%).o $(BUILD)/nri/message/%.o $(BUILD)/musl/nri/message/%.o: override CPPFLAGS += -I$(BUILD)/generated

# The kernel's and the libraries' headers, which are not to be looked for where glibc's are
MUSL_HEADERS := $(BUILD)/musl/include
MUSL_INCLUDE = $(SYSROOT)/usr/include/$(firstword $(subst -, ,$(TARGET)))-linux-musl
MUSL_CC = $(CC) -nostdinc -isystem $(MUSL_INCLUDE) -isystem $(shell $(CC) -print-file-name=include) -isystem $(MUSL_HEADERS)
$(MUSL_HEADERS): Makefile | $(BUILD)/.deps
	@rm -rf $@ && mkdir -p $@
	@for name in linux asm-generic rdma; do ln -s $(KERNEL_HEADERS)/$$name $@/$$name || exit 1; done
	@ln -s $(abspath $(or $(YAJL_INCLUDE),$(SYSROOT)/usr/include))/yajl $@/yajl
	@ln -s $(abspath $(SYSROOT)/usr/include)/protobuf-c $@/protobuf-c
	@ln -s $(KERNEL_HEADERS)/$(if $(CROSS),,$(MULTIARCH)/)asm $@/asm

$(BUILD)/musl/%.o: %.c Makefile | $(BUILD)/.deps $(MUSL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC) $(MUSL_CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

ifdef YAJL
# yajl's sources name their headers yajl/…, where its own build would put them; our warnings are not for them.
$(YAJL_INCLUDE)/yajl: $(YAJL)/src/api/yajl_version.h.cmake
	@rm -rf $@ && mkdir -p $@ && cp $(YAJL)/src/api/*.h $@
	@sed 's/$${YAJL_MAJOR}/2/; s/$${YAJL_MINOR}/1/; s/$${YAJL_MICRO}/0/' $< >$@/yajl_version.h
$(BUILD)/yajl/%.o: $(YAJL)/src/%.c | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) -I$(YAJL)/src $(CPPFLAGS) $(CFLAGS) -w -c -o $@ $<
$(BUILD)/musl/yajl/%.o: $(YAJL)/src/%.c | $(MUSL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC) $(MUSL_CC) -I$(YAJL)/src $(CPPFLAGS) $(CFLAGS) -w -c -o $@ $<
$(BUILD)/yajl/libyajl.a: $(YAJL_SOURCES:%.c=$(BUILD)/yajl/%.o)
$(BUILD)/musl/yajl/libyajl.a: $(YAJL_SOURCES:%.c=$(BUILD)/musl/yajl/%.o)
$(BUILD)/yajl/libyajl.a $(BUILD)/musl/yajl/libyajl.a:
	$(call say,AR) rm -f $@ && $(CROSS:%=%-)ar rcs $@ $^
endif

$(HOOK): $(filter %/libyajl.a,$(HOOK_LIBS))
$(NRI_PROGRAM): $(filter %/libyajl.a,$(NRI_LIBS))
$(DOCTOR): $(filter %/libyajl.a,$(DOCTOR_LIBS))

$(HOOK): $(HOOK_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(HOOK_LDFLAGS) -o $@ $(filter %.o,$^) $(HOOK_LIBS)

$(NRI_PROGRAM): $(NRI_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(NRI_LDFLAGS) -o $@ $(filter %.o,$^) $(NRI_LIBS)

$(DOCTOR): $(BUILD)/doctor/main.o $(DOCTOR_OBJECTS) $(CORE_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) -pie -o $@ $(filter %.o,$^) $(DOCTOR_LIBS)

-include $(HOOK_OBJECTS:.o=.d) $(NRI_OBJECTS:.o=.d) $(NRI_OWN_OBJECTS:.o=.d) $(OBJECTS:.o=.d) $(DOCTOR_OBJECTS:.o=.d) $(BUILD)/hook/main.d $(BUILD)/nri/main.d $(BUILD)/doctor/main.d

# Who looks at the demo wants its page, not a line for each file.
demo: QUIET := 1
demo: demo-begin $(HOOK)
	@rm -rf $(BUILD)/demo && mkdir -p $(BUILD)/demo
	@tests/nodes/mknode tests/nodes/h100.json $(BUILD)/demo/node
	@tests/bundles/mkbundle h100-trainer.json $(BUILD)/demo/bundle
	$(EMULATOR) $(HOOK) --sysroot $(BUILD)/demo/node --dry-run $(BUILD)/demo/bundle
demo-begin:
	@tests/deps $(BUILD_PACKAGES) demo
	@$(MAKE) --no-print-directory -q $(HOOK) 2>/dev/null || echo 'building $(HOOK) …'

clean:
	rm -rf $(BUILD)

.PHONY: all help demo demo-begin clean

include tests/tests.mk
include config/install.mk
