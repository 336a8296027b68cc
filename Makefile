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
MACHINE := $(firstword $(subst -, ,$(or $(CROSS),$(shell $(CC) -dumpmachine 2>/dev/null))))

WERROR ?= -Werror
WARNINGS := -Wall -Wextra -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wimplicit-fallthrough -Wundef
# Some compilers lack the last options, and -fcf-protection is for x86 alone: an option that is refused is left out.
supported = $(shell for option in $(1); do \
	$(CC) -Werror $$option -xc -c /dev/null -o /dev/null 2>/dev/null && echo $$option; done)
CFLAGS ?= -O2 -g

# ---- static or dynamic ----

# LIBC=musl is a third of glibc's size, and starts in a quarter of its time in a VM: glibc asks the
# processor some sixty questions at each start (CPUID, sysdeps/x86/dl-cacheinfo.h), and each leaves the VM.
# LIBC=glibc is for machines without musl-gcc; DYNAMIC=1 for distributions.
LIBC ?= $(if $(wildcard /usr/bin/dpkg-query),musl,glibc)
# Fedora and RHEL have no static protobuf-c. Without DYNAMIC= the programs are dynamic if a library is there without its
# archive; if both are missing, tools/deps names the package.
LIBRARIES := $(if $(filter glibc,$(LIBC)),c) cap protobuf-c yajl
found = test -s "$$($(CC) $(patsubst -L%,-B%,$(filter -L%,$(LDFLAGS))) -print-file-name=$(1) 2>/dev/null)"
ifeq ($(origin DYNAMIC)$(CROSS),undefined)
NO_ARCHIVE := $(shell for library in $(LIBRARIES); do archive=lib$$library.a; \
	test $$library != yajl || archive=libyajl_s.a; \
	$(call found,$$archive) || ! $(call found,lib$$library.so) || echo $$archive; done)
DYNAMIC := $(if $(NO_ARCHIVE),1)
else
override DYNAMIC := $(filter-out 0,$(DYNAMIC))
endif
MUSL := $(if $(DYNAMIC),,$(filter musl,$(LIBC)))

# ---- how they are compiled ----

# _FORTIFY_SOURCE is ours only if neither the given flags nor the compiler define it.
chosen = $(shell echo __OPTIMIZE__/_FORTIFY_SOURCE | $(CC) $(CPPFLAGS) $(CFLAGS) -E -P - 2>/dev/null)
HARDENING := $(if $(filter 1/_FORTIFY_SOURCE,$(chosen)),-D_FORTIFY_SOURCE=2) -fstack-protector-strong \
	$(call supported,-fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero)
# Not for a distribution's build. Frames of their own: the stack's pages are touched for what is called, not for all
# that could be.
STATIC_ONLY := -fno-asynchronous-unwind-tables $(call supported,-fno-inline-functions-called-once)
# Ours come first, so that a packager's or a person's flags win. The same commit gives the same bytes in any directory.
override CFLAGS := -std=gnu17 $(WARNINGS) $(WERROR) $(HARDENING) $(if $(DYNAMIC),,$(STATIC_ONLY)) \
	-ffunction-sections -fdata-sections -fPIE \
	-ffile-prefix-map=$(CURDIR)=. -ffile-prefix-map=$(abspath $(BUILD))=./build $(CFLAGS)
override CPPFLAGS += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -I. -I$(BUILD)/generated
ifdef CROSS
override CPPFLAGS += -isystem $(SYSROOT)/usr/include -isystem $(SYSROOT)/usr/include/$(CROSS)
SYSROOT_LIBS := -L$(SYSROOT)/usr/lib/$(CROSS) -Wl,-rpath-link,$(SYSROOT)/lib/$(CROSS):$(SYSROOT)/usr/lib/$(CROSS)
endif
override LDFLAGS := -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections,--as-needed $(LDFLAGS) $(SYSROOT_LIBS)

# ---- how programs are linked ----

# One static-pie executable: a node needs none of our libraries, and LD_* from an image reaches nothing.
# The doctor opens driver libraries at run time, so it takes the node's libc; all else it brings along.
ifneq ($(DYNAMIC),)
PIE := -pie
HOOK_LIBS := -lyajl -lcap
DOCTOR_LIBS := $(HOOK_LIBS)
else
PIE := -static-pie
HOOK_LIBS := -lyajl_s -lcap
DOCTOR_LIBS := -l:libyajl_s.a -l:libcap.a
endif
# As musl-gcc compiles, for any target. musl-gcc itself cannot link a static-pie: it knows only the dynamic start file.
# musl's headers come before glibc's, which need glibc's <features.h>: one that musl lacks does not compile.
# libc once more: on aarch64 libgcc's atomics, which libcap's archive uses, ask it for __getauxval (lse-init.c).
ifdef MUSL
MUSL_LIB := $(SYSROOT)/usr/lib/$(MACHINE)-linux-musl
PIE += -nostdlib $(MUSL_LIB)/rcrt1.o $(MUSL_LIB)/crti.o
HOOK_LIBS += $(MUSL_LIB)/libc.a -lgcc $(MUSL_LIB)/libc.a $(MUSL_LIB)/crtn.o
endif
# An engine may start the hook and the shim with a small stack. Other levels of optimization need more of it.
SMALL_FRAMES := $(if $(filter -O2,$(CFLAGS)),-Wframe-larger-than=2048)
$(BUILD)/musl/core/%.o $(BUILD)/musl/hook/%.o: override CFLAGS += $(SMALL_FRAMES)
$(BUILD)/musl/%.o: override CC := $(CC) -isystem $(SYSROOT)/usr/include/$(MACHINE)-linux-musl
NRI_LIBS := -lprotobuf-c $(HOOK_LIBS)

# ---- what they are made of ----

# What all programs share, and each program's own but its main(). The administrator's program and the doctor share what
# looks at a node, and find containers as the dry run does. The tests link these with glibc; $(O) has the objects of what nodes get.
parts = $(filter-out %/main.o,$(patsubst %.c,%.o,$(sort $(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c))))
GENERATED := $(BUILD)/generated
CORE := $(call parts,core)
EXPLAIN := $(call parts,explain)
EXPLAIN_SHARED := $(filter-out explain/dry_run.o explain/plan_json.o explain/plan_text.o,$(EXPLAIN)) $(call parts,lib)
HOOK_PARTS := $(CORE) $(call parts,hook) $(EXPLAIN) $(call parts,lib)
ADMIN_OWN := $(call parts,admin)
ADMIN_LOOKS := explain/entry_points.o $(patsubst %,lib/%.o,files finding nri_status trusted_link)
ADMIN_SHARED := $(filter admin/engine/% admin/installation/%,$(ADMIN_OWN)) $(EXPLAIN_SHARED)
NRI_OWN := $(call parts,nri) nri/message/nri.pb-c.o
NRI_SHARED := $(patsubst %,lib/%.o,child files limits nri_socket nri_status records)
DOCTOR_OWN := $(call parts,doctor) doctor/symptom/table.o
EVENTS_OWN := $(call parts,events)
O := $(BUILD)$(MUSL:%=/%)
MUSL_PARTS := $(if $(MUSL),tools/musl/fortify.o)
HOOK_OBJECTS := $(addprefix $(O)/,hook/main.o $(HOOK_PARTS) $(MUSL_PARTS))
ADMIN_OBJECTS := $(addprefix $(O)/,admin/main.o $(ADMIN_OWN) $(ADMIN_LOOKS) $(CORE) $(MUSL_PARTS))
NRI_OBJECTS := $(addprefix $(O)/,nri/main.o $(NRI_OWN) $(NRI_SHARED) $(CORE) $(MUSL_PARTS))

HOOK := $(BUILD)/oci-rdma-hook
ADMIN := $(BUILD)/oci-rdma-admin
NRI_PROGRAM := $(BUILD)/oci-rdma-nri
DOCTOR := $(BUILD)/oci-rdma-doctor
# The reporter lives in an image of its own, which brings its libraries along. Nothing else needs libcurl, so `make`
# does not build it: `make events` does.
EVENTS := $(BUILD)/oci-rdma-events

all: $(HOOK) $(ADMIN) $(NRI_PROGRAM) $(DOCTOR)
events: $(EVENTS)

help:
	@cat doc/make-help.txt

# ---- what is remembered of a build ----

# --version says which commit was built: git knows it, or `make dist` has written it.
COMMIT := $(shell { git ls-files --error-unmatch Makefile >/dev/null 2>&1 && \
	git --no-optional-locks describe --always --exclude='*' --abbrev=12 --dirty=+changes 2>/dev/null; } || \
	sed -n 's/^\([0-9a-f]\{12\}\)[0-9a-f]*$$/\1/p' .commit)
COMMIT := $(or $(COMMIT),$(strip $(file <$(BUILD)/commit)))
COMPILED_WITH := $(CC) $(CPPFLAGS) $(CFLAGS)
LINKED_WITH := $(COMPILED_WITH) $(LDFLAGS) $(LIBC) $(DYNAMIC) $(PIE) $(NRI_LIBS) $(DOCTOR_LIBS)

# $(call remember,FILE,VARIABLE): what depends on that file is made again if the variable's text changes, so that
# another compiler, LIBC=, DYNAMIC= or CFLAGS= makes again what it changes, and an edit of the help nothing. make reads
# the file to find that out, so that `make -n` and `make -q` stay true. On a machine without the compiler (sudo make
# install may see another PATH) what was built is as it should be.
HAS_CC := $(shell command -v $(firstword $(CC)))
quoted = '$(subst ','\'',$(strip $(1)))'
define remember
ifneq ($$(if $(HAS_CC),$$(strip $$(file <$(BUILD)/$(1)))),$$(if $(HAS_CC),$$(strip $$($(2)))))
.PHONY: $(BUILD)/$(1)
endif
$(BUILD)/$(1):
	@mkdir -p $$(@D)
	@printf '%s\n' $$(call quoted,$$($(2))) >$$@
endef
$(eval $(call remember,commit,COMMIT))
$(eval $(call remember,compiled-with,COMPILED_WITH))
$(eval $(call remember,linked-with,LINKED_WITH))
NAMES_COMMIT := $(BUILD)/core/command_line.o $(BUILD)/musl/core/command_line.o
$(NAMES_COMMIT): override CPPFLAGS += $(COMMIT:%=-DCOMMIT='"%"')
$(NAMES_COMMIT): $(BUILD)/commit

# The build's own packages: make names what is missing, with the command that installs it. Only targets that set up a
# machine (make demo, make check and the other tests) install packages themselves.
BUILD_PACKAGES := build $(MUSL) $(CROSS:%=cross-$(MACHINE))
$(BUILD)/.deps: tools/deps $(BUILD)/linked-with $(if $(filter $(BUILD)/sysroot,$(SYSROOT)),$(SYSROOT)/.unpacked)
	@tools/deps --say $(BUILD_PACKAGES)
	$(if $(NO_ARCHIVE),@echo 'make: no $(NO_ARCHIVE): the programs will need shared libraries as with DYNAMIC=1 (doc/build.md)')
	@touch $@
$(BUILD)/.deps-%: tools/deps | $(BUILD)/.deps
	@tools/deps $(if $(filter events,$*),--say) $*
	@touch $@
$(BUILD)/sysroot/.unpacked: tools/sysroot tools/unpack
	@tools/deps --say $(BUILD_PACKAGES)
	@tools/sysroot $(CROSS) $(SYSROOT)
	@touch $@

# ---- compiling, linking ----

# make prints a line for each file; V=1 prints the commands, and QUIET=1 only what the compiler says.
say = $(if $(V),,@$(if $(QUIET),,printf '  %-3s %s\n' $(1) $@;))
define compile
@mkdir -p $(@D)
$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
endef
# It has no recipe, so that `make -q` stays true.
$(GENERATED): $(addprefix $(GENERATED)/,confine/hook.inc confine/nri.inc confine/scrape.inc nri/message/nri.pb-c.h)
NEEDED := $(BUILD)/compiled-with | $(BUILD)/.deps $(GENERATED)
$(BUILD)/%.o: %.c $(NEEDED) ; $(compile)
$(BUILD)/%.o: $(GENERATED)/%.c $(NEEDED) ; $(compile)
$(BUILD)/musl/%.o: %.c $(NEEDED) ; $(compile)
$(BUILD)/musl/%.o: $(GENERATED)/%.c $(NEEDED) ; $(compile)
$(BUILD)/events/api.o: | $(BUILD)/.deps-events
-include $(shell find $(addprefix $(BUILD)/,core lib admin explain hook nri doctor events musl \
	$(addprefix tests/,unit cli fuzz nri vm)) -name '*.d' 2>/dev/null)

# What a program's system calls are, as a BPF program; libseccomp is needed here, and not at run time.
FILTER_SOURCES := $(wildcard tools/filter/*.c)
$(GENERATED)/confine/generate: $(FILTER_SOURCES) tools/filter/rules.h $(BUILD)/compiled-with | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(HOSTCC) -D_GNU_SOURCE -I. -std=gnu17 $(WARNINGS) $(WERROR) -O1 -o $@ $(FILTER_SOURCES) -lseccomp
$(GENERATED)/confine/%.inc: $(GENERATED)/confine/generate
	$(call say,GEN) $< $* $(CROSS:%=$(MACHINE)) >$@.new && mv $@.new $@
# NRI's messages
$(GENERATED)/%.pb-c.c $(GENERATED)/%.pb-c.h: %.proto | $(BUILD)/.deps
	@mkdir -p $(GENERATED)
	$(call say,GEN) protoc-c -I. --c_out=$(GENERATED) $<
# What messages mean is data, of which awk makes C. Its mistakes name file and line; the order of the files is that of
# causes which are equal otherwise.
SYMPTOMS := $(sort $(wildcard doctor/symptom/known/*.txt))
$(GENERATED)/doctor/symptom/table.c: doctor/symptom/table.awk $(SYMPTOMS) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,GEN) LC_ALL=C awk -f $^ >$@.new && mv $@.new $@

# $(call link,HOW,LIBRARIES): by rename, so that whoever runs the program meanwhile has the old one or the new one
link = $(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(1) -o $@.new $(filter %.o,$^) $(2) && mv $@.new $@
$(HOOK): $(HOOK_OBJECTS) $(BUILD)/linked-with
	$(call link,$(PIE),$(HOOK_LIBS))
$(ADMIN): $(ADMIN_OBJECTS) $(BUILD)/linked-with
	$(call link,$(PIE),$(HOOK_LIBS))
$(NRI_PROGRAM): $(NRI_OBJECTS) $(BUILD)/linked-with
	$(call link,$(PIE),$(NRI_LIBS))
$(DOCTOR): $(addprefix $(BUILD)/,doctor/main.o $(DOCTOR_OWN) $(CORE) $(ADMIN_SHARED)) $(BUILD)/linked-with
	$(call link,-pie,$(DOCTOR_LIBS))
$(EVENTS): $(addprefix $(BUILD)/,events/main.o $(EVENTS_OWN) lib/files.o $(CORE)) $(BUILD)/linked-with
	$(call link,-pie,-lcurl $(DOCTOR_LIBS))

# For editors and language servers: how each file is compiled.
compile_commands.json: $(BUILD)/compiled-with tools/compile-commands
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

.PHONY: all events help demo demo-page clean $(GENERATED)

include tests/tests.mk
include install/install.mk
