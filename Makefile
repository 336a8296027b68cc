# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets. Building is here; tests and lint are in tests/tests.mk; what machines and clusters are
# given is in install/install.mk. Nothing is installed while make reads these files.

MAKEFLAGS += --no-builtin-rules
# The files that repeat it are listed in tools/versions, which lint runs.
VERSION := 0.1.0

ifneq ($(word 2,$(CURDIR)),)
$(error make cannot build below a path with a space: \
	move this directory, '$(CURDIR)', to where no name has a space)
endif
ifeq ($(origin CC),default)
CC := $(CROSS:%=%-)gcc
endif
HOSTCC ?= $(if $(CROSS),gcc,$(CC))

# CROSS=aarch64-linux-gnu builds for another machine, in a directory of its own: with Debian's cross compiler, and with
# the libraries of that architecture's packages, which tools/sysroot unpacks into SYSROOT without installing them. A
# SYSROOT= that is given is used as it is.
BUILD ?= build$(CROSS:%=/%)
STRIP ?= $(CROSS:%=%-)strip
export STRIP
SYSROOT ?= $(CROSS:%=$(BUILD)/sysroot)
TARGET := $(shell $(CC) -dumpmachine 2>/dev/null)
MULTIARCH := $(or $(CROSS),$(shell $(CC) -print-multiarch 2>/dev/null))
KERNEL_HEADERS := $(if $(CROSS),/usr/$(CROSS)/include,/usr/include)

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wimplicit-fallthrough -Wundef
# Some compilers lack the last options, and -fcf-protection is for x86 alone: an option that is refused is left out.
try_option = $(shell $(CC) -Werror $(1) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(1))
supported = $(foreach option,$(1),$(call try_option,$(option)))
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	-fstack-protector-strong -fno-asynchronous-unwind-tables \
	$(call supported,-fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero)
CFLAGS ?= -O2 -g
override CPPFLAGS += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I.
override CFLAGS += -std=gnu17 $(WARNINGS) $(HARDENING) -ffunction-sections -fdata-sections
ifdef CROSS
override CPPFLAGS += -isystem $(SYSROOT)/usr/include
SYSROOT_LIBS := -L$(SYSROOT)/usr/lib/$(MULTIARCH) \
	-Wl,-rpath-link,$(SYSROOT)/lib/$(MULTIARCH):$(SYSROOT)/usr/lib/$(MULTIARCH)
override LDFLAGS += $(SYSROOT_LIBS)
endif
override LDFLAGS += -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections,--as-needed
# Frames of their own: the stack's pages are touched for what is called, not for all that could be.
FRAMES := $(call supported,-fno-inline-functions-called-once)
# The same commit gives the same bytes in any directory.
override CFLAGS += -fPIE $(FRAMES) -ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(abspath $(BUILD))=./build

# What all programs share; what an administrator runs, of which the doctor shares the rooms that look at a node; and
# what is the hook's own but its main(). The tests link all three.
CORE := $(filter-out core/musl/%,$(sort $(wildcard core/*.c core/*/*.c)))
ADMIN := $(sort $(wildcard admin/*.c admin/*/*.c))
ADMIN_SHARED := $(filter admin/engine/% admin/installation/% admin/bundle/%,$(ADMIN))
HOOK_OWN := $(filter-out hook/main.c,$(sort $(wildcard hook/*.c hook/*/*.c)))
CORE_OBJECTS := $(CORE:%.c=$(BUILD)/%.o)
OBJECTS := $(CORE_OBJECTS) $(ADMIN:%.c=$(BUILD)/%.o) $(HOOK_OWN:%.c=$(BUILD)/%.o)

# One static-pie executable: a node needs none of our libraries, and LD_* from an image reaches nothing.
# LIBC=musl is a third of glibc's size, and starts in a quarter of its time in a VM: glibc asks the
# processor some sixty questions at each start (CPUID, sysdeps/x86/dl-cacheinfo.h), and each leaves the VM.
# LIBC=glibc is for machines without musl-gcc; DYNAMIC=1 for distributions.
LIBC ?= $(if $(wildcard /usr/bin/dpkg-query),musl,glibc)
# A program with some shared libraries takes libcap's archive all the same; a distribution's has shared ones alone.
LIBCAP := $(if $(DYNAMIC),-lcap,-l:libcap.a)
# nettle is the doctor's. NRI_DYNAMIC=1 means a machine without archives of protobuf-c and nettle.
LIBNETTLE := $(if $(DYNAMIC)$(NRI_DYNAMIC),-lnettle,-l:libnettle.a)
HOOK := $(BUILD)/oci-rdma-hook
HOOK_OBJECTS := $(BUILD)/hook/main.o $(OBJECTS)
HOOK_LDFLAGS := -pie
HOOK_LIBS := -lyajl -lcap
ifndef DYNAMIC
HOOK_LIBS := -lyajl_s -lcap
# A MachineConfig carries it, and all of a pool's must stay below 1.5 MiB: relocations in the short form.
HOOK_LDFLAGS := -static-pie -Wl,-z,pack-relative-relocs
ifeq ($(LIBC),musl)
HOOK_SOURCES := hook/main.c $(CORE) $(ADMIN) $(HOOK_OWN) $(wildcard core/musl/*.c)
HOOK_OBJECTS := $(HOOK_SOURCES:%.c=$(BUILD)/musl/%.o)
# As musl-gcc compiles, for any target. musl-gcc itself cannot link a static-pie: it knows only the dynamic start file.
MUSL := $(SYSROOT)/usr/lib/$(firstword $(subst -, ,$(TARGET)))-linux-musl
HOOK_LDFLAGS := -static-pie -nostdlib $(MUSL)/rcrt1.o $(MUSL)/crti.o
# libc once more: on aarch64 libgcc's atomics, which libcap's archive uses, ask it for __getauxval (lse-init.c).
HOOK_LIBS := -lyajl_s -lcap \
	$(MUSL)/libc.a -lgcc $(MUSL)/libc.a $(MUSL)/crtn.o
endif
endif

# The NRI plugin is made like the hook: on a node, or alone in an image. Its messages' code is made from nri.proto.
# NRI_DYNAMIC=1 links shared libraries into it, and nettle's into the doctor, because Fedora and RHEL have no static
# protobuf-c and nettle.
NRI_PROGRAM := $(BUILD)/oci-rdma-nri
NRI_OWN := $(filter-out nri/main.c,$(sort $(wildcard nri/*.c nri/*/*.c)))
NRI_PROTO := $(BUILD)/generated/nri/message/nri.pb-c
NRI_OWN_OBJECTS := $(NRI_OWN:%.c=$(BUILD)/%.o) $(NRI_PROTO).o
NRI_OBJECTS := $(BUILD)/nri/main.o $(NRI_OWN_OBJECTS) $(CORE_OBJECTS)
NRI_LDFLAGS := -pie
NRI_LIBS := -lprotobuf-c -lyajl $(LIBCAP)
ifeq ($(DYNAMIC)$(NRI_DYNAMIC),)
NRI_LDFLAGS := $(HOOK_LDFLAGS)
NRI_LIBS := -l:libprotobuf-c.a $(HOOK_LIBS)
ifeq ($(LIBC),musl)
NRI_SOURCES := nri/main.c $(NRI_OWN) $(CORE) $(wildcard core/musl/*.c)
NRI_OBJECTS := $(NRI_SOURCES:%.c=$(BUILD)/musl/%.o) $(NRI_PROTO:$(BUILD)/%=$(BUILD)/musl/%).o
endif
endif

# The doctor opens driver libraries at run time, so it takes the node's libc; all else it brings along.
DOCTOR := $(BUILD)/oci-rdma-doctor
DOCTOR_OWN := $(filter-out doctor/main.c,$(sort $(wildcard doctor/*.c doctor/*/*.c doctor/*/*/*.c)))
# What messages mean is data, of which awk makes C.
SYMPTOMS := $(BUILD)/generated/doctor/symptom/table
DOCTOR_OBJECTS := $(DOCTOR_OWN:%.c=$(BUILD)/%.o) $(SYMPTOMS).o
DOCTOR_LIBS := -Wl,-Bstatic -lyajl_s -Wl,-Bdynamic $(LIBCAP) $(LIBNETTLE)
ifdef DYNAMIC
DOCTOR_LIBS := -lyajl $(LIBCAP) $(LIBNETTLE)
endif

# The reporter lives in an image of its own, which brings its libraries along. Nothing else needs libcurl, so `make`
# does not build it: `make events` does.
EVENTS := $(BUILD)/oci-rdma-events
EVENTS_OWN := $(filter-out events/main.c,$(sort $(wildcard events/*.c)))
EVENTS_OBJECTS := $(EVENTS_OWN:%.c=$(BUILD)/%.o)
# What of it needs no libcurl: the unit tests link that.
EVENTS_PURE := $(patsubst %,$(BUILD)/events/%.o,event ledger spool)

# What the files in BUILD were compiled and linked with. A rule of these files depends on these two, so that another
# compiler, LIBC=, DYNAMIC= or CFLAGS= makes again what it changes, and an edit of the help makes nothing again.
COMPILED_WITH := $(CC) $(CPPFLAGS) $(CFLAGS)
LINKED_WITH := $(COMPILED_WITH) $(LDFLAGS) $(LIBC) $(DYNAMIC) $(NRI_DYNAMIC) $(HOOK_LDFLAGS) $(HOOK_LIBS) $(NRI_LIBS) \
	$(DOCTOR_LIBS)
COMPILED := $(BUILD)/compiled-with
LINKED := $(BUILD)/linked-with
# On a machine without the compiler (sudo make install may see another PATH) what was built is as it should be.
ifeq ($(shell command -v $(firstword $(CC))),)
COMPILED_WITH := $(or $(file <$(COMPILED)),$(COMPILED_WITH))
LINKED_WITH := $(or $(file <$(LINKED)),$(LINKED_WITH))
endif

# make prints a line for each file; V=1 prints the commands, and QUIET=1 only what the compiler says.
say = $(if $(V),,@$(if $(QUIET),,printf '  %-3s %s\n' $(1) $@;))

all: $(HOOK) $(NRI_PROGRAM) $(DOCTOR)
events: $(EVENTS)

help:
	@cat doc/make-help.txt

# The build's own packages: make names what is missing, with the command that installs it. Only targets that set up a
# machine (make demo, make check and the other tests) install packages themselves.
BUILD_PACKAGES := build $(if $(filter rcrt1.o,$(notdir $(HOOK_LDFLAGS))),musl) \
	$(if $(CROSS),cross-$(firstword $(subst -, ,$(CROSS))))
$(BUILD)/.deps: tools/deps $(LINKED)
	@mkdir -p $(@D)
	@tools/deps --say $(BUILD_PACKAGES)
	@touch $@
ifeq ($(SYSROOT),$(BUILD)/sysroot)
$(BUILD)/.deps: $(SYSROOT)/.unpacked
$(SYSROOT)/.unpacked: tools/sysroot tools/unpack
	@tools/deps --say $(BUILD_PACKAGES)
	@tools/sysroot $(CROSS) $(SYSROOT)
	@touch $@
endif

# --version says which commit was built: git knows it, or `make dist` has written it.
COMMIT := $(shell { git ls-files --error-unmatch Makefile >/dev/null 2>&1 && \
	git --no-optional-locks describe --always --exclude='*' --abbrev=12 --dirty=+changes 2>/dev/null; } || \
	sed -n 's/^\([0-9a-f]\{12\}\)[0-9a-f]*$$/\1/p' .commit)
COMMIT := $(or $(COMMIT),$(strip $(file <$(BUILD)/commit)))
NAMES_COMMIT := $(BUILD)/core/command_line.o $(BUILD)/musl/core/command_line.o
$(NAMES_COMMIT): override CPPFLAGS += $(COMMIT:%=-DCOMMIT='"%"')
$(NAMES_COMMIT): $(BUILD)/commit
ifneq ($(strip $(file <$(BUILD)/commit)),$(COMMIT))
.PHONY: $(BUILD)/commit
endif
$(BUILD)/commit:
	@mkdir -p $(@D)
	@echo '$(COMMIT)' >$@

# They are written only if they differ; make finds that out by reading, so that `make -n` and `make -q` stay true.
ifneq ($(strip $(file <$(COMPILED))),$(strip $(COMPILED_WITH)))
.PHONY: $(COMPILED)
endif
ifneq ($(strip $(file <$(LINKED))),$(strip $(LINKED_WITH)))
.PHONY: $(LINKED)
endif
quoted = '$(subst ','\'',$(strip $(1)))'
$(COMPILED):
	@mkdir -p $(@D)
	@printf '%s\n' $(call quoted,$(COMPILED_WITH)) >$@
$(LINKED):
	@mkdir -p $(@D)
	@printf '%s\n' $(call quoted,$(LINKED_WITH)) >$@
$(HOOK) $(NRI_PROGRAM) $(DOCTOR) $(EVENTS): $(LINKED)

$(BUILD)/%.o: %.c $(COMPILED) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# What a program's system calls are, as a BPF program; libseccomp is needed here, and not at run time.
FILTERS := $(patsubst %,$(BUILD)/confine/%.inc,hook nri scrape)
FILTER_SOURCES := $(wildcard core/confine/filter/*.c)
$(BUILD)/confine/generate: $(FILTER_SOURCES) $(wildcard core/confine/filter/*.h) $(COMPILED) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(HOSTCC) -D_GNU_SOURCE -I. -std=gnu17 $(WARNINGS) -O1 -o $@ $(FILTER_SOURCES) -lseccomp
$(FILTERS): $(BUILD)/confine/%.inc: $(BUILD)/confine/generate
	$(call say,GEN) $< $* $(firstword $(subst -, ,$(CROSS))) >$@.new && mv $@.new $@
$(BUILD)/%/confinement.o $(BUILD)/musl/%/confinement.o: override CPPFLAGS += -I$(BUILD)/confine
$(BUILD)/hook/confinement.o $(BUILD)/musl/hook/confinement.o: $(BUILD)/confine/hook.inc
$(BUILD)/nri/confinement.o $(BUILD)/musl/nri/confinement.o: $(BUILD)/confine/nri.inc $(BUILD)/confine/scrape.inc

$(NRI_PROTO).c: nri/message/nri.proto | $(BUILD)/.deps
	@mkdir -p $(BUILD)/generated
	$(call say,GEN) protoc-c -I. --c_out=$(BUILD)/generated $<
$(NRI_PROTO).o: $(NRI_PROTO).c $(COMPILED)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
$(NRI_PROTO:$(BUILD)/%=$(BUILD)/musl/%).o: $(NRI_PROTO).c $(COMPILED) | $(MUSL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC) $(MUSL_CC) $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
NRI_MESSAGES := $(patsubst %.c,%.o,$(wildcard nri/message/*.c))
$(NRI_MESSAGES:%=$(BUILD)/%) $(NRI_MESSAGES:%=$(BUILD)/musl/%): $(NRI_PROTO).c
$(NRI_PROTO).o $(NRI_PROTO:$(BUILD)/%=$(BUILD)/musl/%).o: override CPPFLAGS += -I$(BUILD)/generated
$(BUILD)/nri/message/%.o $(BUILD)/musl/nri/message/%.o: override CPPFLAGS += -I$(BUILD)/generated

# Its mistakes name file and line; the order of the files is that of causes which are equal otherwise.
$(SYMPTOMS).c: doctor/symptom/table.awk $(sort $(wildcard doctor/symptom/known/*.txt)) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,GEN) LC_ALL=C awk -f $^ >$@.new && mv $@.new $@
$(SYMPTOMS).o: $(SYMPTOMS).c
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The kernel's and the libraries' headers, which are not to be looked for where glibc's are
MUSL_HEADERS := $(BUILD)/musl/include
MUSL_INCLUDE = $(SYSROOT)/usr/include/$(firstword $(subst -, ,$(TARGET)))-linux-musl
MUSL_CC = $(CC) -nostdinc -isystem $(MUSL_INCLUDE) -isystem $(shell $(CC) -print-file-name=include) \
	-isystem $(MUSL_HEADERS)
$(MUSL_HEADERS): Makefile $(COMPILED) | $(BUILD)/.deps
	@rm -rf $@ && mkdir -p $@
	@for name in linux asm-generic rdma; do ln -s $(KERNEL_HEADERS)/$$name $@/$$name || exit 1; done
	@for name in yajl protobuf-c; do ln -s $(abspath $(SYSROOT)/usr/include)/$$name $@/$$name || exit 1; done
	@mkdir $@/sys && ln -s $(abspath $(SYSROOT)/usr/include)/sys/capability.h $@/sys/capability.h
	@ln -s $(KERNEL_HEADERS)/$(if $(CROSS),,$(MULTIARCH)/)asm $@/asm

$(BUILD)/musl/%.o: %.c $(COMPILED) | $(BUILD)/.deps $(MUSL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC) $(MUSL_CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(HOOK): $(HOOK_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(HOOK_LDFLAGS) -o $@ $(filter %.o,$^) $(HOOK_LIBS)

$(NRI_PROGRAM): $(NRI_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(NRI_LDFLAGS) -o $@ $(filter %.o,$^) $(NRI_LIBS)

$(DOCTOR): $(BUILD)/doctor/main.o $(DOCTOR_OBJECTS) $(CORE_OBJECTS) $(ADMIN_SHARED:%.c=$(BUILD)/%.o)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) -pie -o $@ $(filter %.o,$^) $(DOCTOR_LIBS)

$(BUILD)/events/api.o: override CPPFLAGS += $(CROSS:%=-isystem $(SYSROOT)/usr/include/%)
$(BUILD)/events/api.o: | $(BUILD)/.deps-events
$(BUILD)/.deps-events: tools/deps
	@mkdir -p $(@D)
	@tools/deps --say events
	@touch $@
$(EVENTS): $(BUILD)/events/main.o $(EVENTS_OBJECTS) $(CORE_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) -pie -o $@ $(filter %.o,$^) -lcurl $(DOCTOR_LIBS)

-include $(sort $(patsubst %.o,%.d,$(HOOK_OBJECTS) $(NRI_OBJECTS) $(NRI_OWN_OBJECTS) $(OBJECTS) $(DOCTOR_OBJECTS) \
	$(EVENTS_OBJECTS)))
-include $(patsubst %,$(BUILD)/%/main.d,hook nri doctor events)

# For editors and language servers: how each file is compiled.
compile_commands.json: $(COMPILED) tools/compile-commands
	@tools/compile-commands '$(MAKE)' >$@.new && mv $@.new $@

# The demo shows its page, without a line for each file that is compiled.
demo:
	@tools/deps $(BUILD_PACKAGES) demo
	@$(MAKE) --no-print-directory -q $(HOOK) 2>/dev/null || echo 'building $(HOOK) …'
	@$(MAKE) --no-print-directory QUIET=1 demo-page
demo-page: $(HOOK)
	@rm -rf $(BUILD)/demo && mkdir -p $(BUILD)/demo
	@tests/nodes/mknode tests/nodes/h100.json $(BUILD)/demo/node
	@tests/bundles/mkbundle h100-trainer.json $(BUILD)/demo/bundle
	$(EMULATOR) $(HOOK) --sysroot $(BUILD)/demo/node --dry-run $(BUILD)/demo/bundle

clean:
	rm -rf $(BUILD)

.PHONY: all events help demo demo-page clean

include tests/tests.mk
include install/install.mk
