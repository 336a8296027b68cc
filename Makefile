# SPDX-License-Identifier: Apache-2.0
# `make help` lists the targets. Nothing is downloaded but the distribution's packages, by tests/deps.

VERSION := 0.1.0

# Where things go; DESTDIR goes in front of each
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
COMPLETIONSDIR ?= $(DATADIR)/bash-completion/completions
HOOKSDIR ?= /usr/share/containers/oci/hooks.d
SYSCONFDIR ?= /etc
# Which hooks.d files `make install` takes: annotation, or device for clusters with "opt_in": "device"
HOOKS ?= annotation

BUILD ?= build
comma := ,
ifeq ($(origin CC),default)
CC := gcc
endif
INSTALL ?= install

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes \
	-Wmissing-prototypes -Wwrite-strings -Wimplicit-fallthrough -Wundef
# Not every compiler has, nor every machine can, the last ones (-fcf-protection is x86's).
supported = $(foreach option,$(1),$(shell $(CC) -Werror $(option) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(option)))
HARDENING := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fno-asynchronous-unwind-tables \
	$(call supported,-fstack-clash-protection -fcf-protection -ftrivial-auto-var-init=zero)
CFLAGS ?= -O2 -g
override CPPFLAGS += -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -Ihook -I.
override CFLAGS += -std=gnu17 $(WARNINGS) $(HARDENING) -ffunction-sections -fdata-sections
override LDFLAGS += -Wl,-z,relro,-z,now,-z,noexecstack,--gc-sections,--as-needed
# Frames of their own: the stack's pages are touched for what is called, not for all that could be.
override CFLAGS += -fPIE $(call supported,-fno-inline-functions-called-once)

MODULES := $(filter-out hook/musl/%,$(sort $(wildcard hook/*/*.c)))
OBJECTS := $(MODULES:%.c=$(BUILD)/%.o)

# One static-pie executable: a node needs none of our libraries, and LD_* from an image reaches nothing.
# LIBC=musl is a quarter of glibc's size, and starts in a quarter of its time in a VM: glibc asks the
# processor some sixty questions at each start (CPUID, sysdeps/x86/dl-cacheinfo.h), and each leaves the VM.
# LIBC=glibc is for machines without musl-gcc; DYNAMIC=1 for distributions.
LIBC ?= $(if $(wildcard /usr/bin/dpkg-query),musl,glibc)
HOOK := $(BUILD)/oci-rdma-hook
HOOK_OBJECTS := $(BUILD)/hook/main.o $(OBJECTS)
HOOK_LDFLAGS := -pie
HOOK_LIBS := -lyajl -lcap
ifndef DYNAMIC
HOOK_LIBS := -lyajl_s -lcap
# A MachineConfig carries it, and all of a pool's must stay below 1.5 MiB: relocations in the short form.
HOOK_LDFLAGS := -static-pie -Wl,-z,pack-relative-relocs
ifeq ($(LIBC),musl)
HOOK_OBJECTS := $(patsubst %.c,$(BUILD)/musl/%.o,hook/main.c $(MODULES) $(wildcard hook/musl/*.c))
# musl-gcc itself cannot link a static-pie: it knows one start file, the dynamic one.
MUSL := /usr/lib/$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))-linux-musl
HOOK_LDFLAGS := -static-pie -nostdlib $(MUSL)/rcrt1.o $(MUSL)/crti.o
HOOK_LIBS := -lyajl_s -lcap $(MUSL)/libc.a -lgcc $(MUSL)/crtn.o
endif
endif

# The doctor opens driver libraries at run time, so it takes the node's libc; all else it brings along.
DOCTOR := $(BUILD)/oci-rdma-doctor
DOCTOR_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(filter-out doctor/main.c,$(sort $(wildcard doctor/*.c doctor/*/*.c))))
DOCTOR_LIBS := $(if $(DYNAMIC),-lyajl -lcap,-Wl$(comma)-Bstatic -lyajl_s -lcap -Wl$(comma)-Bdynamic)
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
C_FILES := $(sort $(wildcard doctor/*.[ch] doctor/*/*.[ch] hook/*.c hook/*/*.[ch] tests/unit/*.[ch] tests/fuzz/*.[ch] tests/bench/*.c tests/vm/*.c))
SHELL_FILES := $(shell grep -lE '^\#!.*\b(ba)?sh\b' -r tests config .ci 2>/dev/null | sort)

# One line a file; `make V=1` shows the commands.
say = $(if $(V),,@printf '  %-3s %s\n' $(1) $@;)

all: $(HOOK) $(DOCTOR)

help:
	@echo 'make              build $(HOOK)'
	@echo 'make demo         dry run on a recorded H100 node'
	@echo 'make check        all tests: check-unit check-cli check-podman check-package check-vm, and lint'
	@echo 'make check-asan   the unit and cli tests under ASan and UBSan'
	@echo 'make fuzz         each fuzz target for TIME=60 seconds'
	@echo 'make coverage     which lines and branches of hook/ the unit and cli tests reach'
	@echo 'make bench        what hook and shim cost, beside the plain thing: tables, and build/bench.json'
	@echo 'make install      DESTDIR= PREFIX=$(PREFIX) HOOKSDIR=$(HOOKSDIR) HOOKS=annotation|device'
	@echo 'make uninstall    the hook first, the executable GRACE=$(GRACE) seconds later'
	@echo 'make dist         $(DIST), of the last commit; for rpm/oci-rdma-hook.spec'
	@echo 'make machineconfig      ROLE=worker PROFILE=default HOOKS=annotation|device RUNTIME=1, for OpenShift'
	@echo 'make iommu-passthrough  ROLE=worker ARCH=x86_64|aarch64 INTEL_IOMMU=1, for OpenShift'
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

# The hook's system calls as a BPF program; libseccomp is needed here, and not at run time.
FILTER := $(BUILD)/confine/filter.inc
$(BUILD)/confine/generate: hook/confine/filter/generate.c | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) -D_GNU_SOURCE -std=gnu17 $(WARNINGS) -O1 -o $@ $< -lseccomp
$(FILTER): $(BUILD)/confine/generate
	$(call say,GEN) $< >$@.new && mv $@.new $@
$(BUILD)/hook/confine/confine.o $(BUILD)/musl/hook/confine/confine.o: $(FILTER)
$(BUILD)/hook/confine/confine.o $(BUILD)/musl/hook/confine/confine.o: override CPPFLAGS += -I$(dir $(FILTER))

# The kernel's and the libraries' headers, which musl-gcc does not look for where glibc's are
MUSL_HEADERS := $(BUILD)/musl/include
$(MUSL_HEADERS): Makefile | $(BUILD)/.deps
	@rm -rf $@ && mkdir -p $@/sys
	@for name in linux asm-generic rdma yajl; do ln -s /usr/include/$$name $@/$$name || exit 1; done
	@ln -s /usr/include/$$($(CC) -print-multiarch)/asm $@/asm
	@ln -s /usr/include/sys/capability.h $@/sys/capability.h

$(BUILD)/musl/%.o: %.c Makefile | $(BUILD)/.deps $(MUSL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC) musl-gcc $(CPPFLAGS) -isystem $(MUSL_HEADERS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(HOOK): $(HOOK_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(HOOK_LDFLAGS) -o $@ $^ $(HOOK_LIBS)

$(DOCTOR): $(BUILD)/doctor/main.o $(DOCTOR_OBJECTS) $(OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) -pie -o $@ $^ $(DOCTOR_LIBS)

-include $(HOOK_OBJECTS:.o=.d) $(OBJECTS:.o=.d) $(DOCTOR_OBJECTS:.o=.d) $(BUILD)/hook/main.d $(BUILD)/doctor/main.d $(UNIT:=.d)

demo: $(HOOK)
	@tests/deps demo
	@rm -rf $(BUILD)/demo && mkdir -p $(BUILD)/demo
	@tests/nodes/mknode tests/nodes/h100.json $(BUILD)/demo/node
	@tests/bundles/mkbundle h100-trainer.json $(BUILD)/demo/bundle
	$(HOOK) --sysroot $(BUILD)/demo/node --dry-run $(BUILD)/demo/bundle

# ---- tests ----

KUBECHECK := $(BUILD)/tests/kubecheck
# What the costs are measured with
MEASURE := $(addprefix $(BUILD)/bench/,launch count floor-glibc)
SUITES_UNIT = $(UNIT)
SUITES_CLI = $(sort $(wildcard tests/cli/*.sh))
SUITES_PODMAN = $(sort $(wildcard tests/podman/*.sh))
SUITES_PACKAGE = $(sort $(wildcard tests/package/*.sh))
SUITES_VM = tests/vm/check tests/vm/check-shim tests/vm/check-netns tests/vm/check-doctor tests/vm/check-install
VM_PROGRAMS = $(DOCTOR) $(BUILD)/tests/vm/transfer_faults

include tests/safety.mk

check: all $(HOOK_DYNAMIC) $(UNIT) asan $(VM_PROGRAMS) check-deps $(KUBECHECK) $(MEASURE)
	HOOK=$(HOOK) BUILD=$(BUILD) tests/run $(SUITES_PODMAN) tests/lint $(SUITES_PACKAGE) $(SUITES_UNIT) $(SUITES_CLI) $(SUITES_SAFETY) -- $(SUITES_VM)

check-deps:
	@tests/deps build test podman vm lint package cluster

check-unit: $(UNIT)
	tests/run $(SUITES_UNIT)
check-cli: all $(HOOK_DYNAMIC) $(KUBECHECK) $(MEASURE)
	@tests/deps build test cluster
	HOOK=$(HOOK) BUILD=$(BUILD) tests/run $(SUITES_CLI)
check-podman: all
	@tests/deps test podman
	HOOK=$(HOOK) BUILD=$(BUILD) tests/run $(SUITES_PODMAN)
check-package: all
	@tests/deps build test lint package
	HOOK=$(HOOK) BUILD=$(BUILD) tests/run $(SUITES_PACKAGE)
check-vm: all $(VM_PROGRAMS)
	@tests/deps test vm
	HOOK=$(HOOK) BUILD=$(BUILD) tests/run -- $(SUITES_VM)

BENCH := $(MEASURE) $(addprefix $(BUILD)/bench/,floor-musl hook-go)

bench: $(HOOK) $(BENCH)
	@tests/deps test podman bench
	HOOK=$(HOOK) BUILD=$(BUILD) tests/bench/run
	$(if $(DOC),BUILD=$(BUILD) tests/bench/into-doc)

$(BUILD)/.deps-bench: tests/deps
	@mkdir -p $(@D)
	@tests/deps build bench
	@touch $@

$(BUILD)/bench/%-glibc: tests/bench/%.c | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -static-pie -o $@ $<
$(BUILD)/bench/floor-musl: tests/bench/floor.c | $(BUILD)/.deps-bench
	@mkdir -p $(@D)
	$(call say,CC) musl-gcc $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -static -o $@ $<
$(BUILD)/bench/hook-go: tests/bench/hook.go | $(BUILD)/.deps-bench
	@mkdir -p $(@D)
	$(call say,GO) CGO_ENABLED=0 GOFLAGS= GO111MODULE=off GOCACHE=$(abspath $(BUILD))/bench/gocache go build -ldflags '-s -w' -o $@ $<
# Small, since a child begins with its parent's peak of memory
$(BUILD)/bench/launch: tests/bench/launch.c | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(if $(filter musl,$(LIBC)),musl-gcc,$(CC)) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -static -o $@ $<
$(BUILD)/bench/count: tests/bench/count.c | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -pie -o $@ $<

$(BUILD)/tests/unit/%: tests/unit/%.c $(OBJECTS) $(DOCTOR_OBJECTS) | $(BUILD)/.deps-test
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(OBJECTS) $(DOCTOR_OBJECTS) -lcmocka -lseccomp -lyajl -lcap

# A libcuda without a GPU, which test_cuda loads
$(BUILD)/tests/unit/fake_cuda.so: tests/unit/fake_cuda.c | $(BUILD)/.deps-test
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $<

$(BUILD)/tests/unit/test_cuda: $(BUILD)/tests/unit/fake_cuda.so
$(BUILD)/tests/unit/test_cuda: CPPFLAGS += -DFAKE_CUDA='"$(abspath $(BUILD))/tests/unit/fake_cuda.so"'

# What a Kubernetes API server would say of config/
$(KUBECHECK): tests/cluster/prepare tests/cluster/kubecheck.go
	@tests/cluster/prepare $(@D)

# As the doctor is linked: the VM has the node's libraries, not the build's.
$(BUILD)/tests/vm/%: tests/vm/%.c $(OBJECTS) $(DOCTOR_OBJECTS) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -pie -o $@ $< $(DOCTOR_OBJECTS) $(OBJECTS) $(DOCTOR_LIBS)

$(BUILD)/.deps-test: tests/deps
	@mkdir -p $(@D)
	@tests/deps test
	@touch $@

lint: $(FILTER)
	@tests/deps lint
	tests/run tests/lint

format:
	@tests/deps lint
	clang-format -i $(C_FILES)

# ---- installation ----

OURS := $(DATADIR)/oci-rdma-hook
SHIMS := oci-rdma-runtime oci-rdma-runtime-crun oci-rdma-runtime-runc
# A precreate hook never goes into a directory that CRI-O reads: one such file keeps CRI-O from starting.
PRECREATEDIR ?= $(OURS)/precreate.d
CONFIGDIR = $(SYSCONFDIR)/oci-rdma-hook
# Seconds from the hook files' end to the executable's: what is being created meanwhile has the hook in its config.json.
GRACE ?= 10
GRACE_HERE = $(if $(DESTDIR),0,$(GRACE))

PROGRAMS = oci-rdma-hook oci-rdma-doctor
PAGES = $(sort $(wildcard doc/man/*.[58]))
COMPLETIONS = $(addprefix config/completion/,$(PROGRAMS))
# Files with the executable's path in them, for who wants more than the default, to be copied to where engines read
TEMPLATES = $(sort $(filter-out config/hooks.d/$(HOOKS)/%,$(wildcard config/hooks.d/*/*.json))) config/crio/60-oci-rdma-hook.conf config/podman/oci-rdma-hook.conf
PRECREATE := $(notdir $(wildcard config/podman/precreate.d/*.json))
HOOK_FILES = $(notdir $(wildcard config/hooks.d/$(HOOKS)/*.json))

# $(call place,MODE,FROM,TO): by rename, since engines may run or read it meanwhile; under a name that they do not look at
define place
$(INSTALL) -d -m 0755 $(DESTDIR)$(dir $(3))
$(INSTALL) -m $(1) $(2) $(DESTDIR)$(dir $(3)).$(notdir $(3)).new
mv -fT $(DESTDIR)$(dir $(3)).$(notdir $(3)).new $(DESTDIR)$(3)

endef

# $(call render,FROM,TO): likewise, with the executable's path put in; stays under the name that no engine looks at
define render
$(INSTALL) -d -m 0755 $(DESTDIR)$(dir $(2))
sed 's|/usr/local/bin/|$(BINDIR)/|g' $(1) >$(DESTDIR)$(dir $(2)).$(notdir $(2)).new
chmod 0644 $(DESTDIR)$(dir $(2)).$(notdir $(2)).new

endef

# $(call switch_on,FILE…)
define switch_on
$(foreach file,$(1),mv -fT $(DESTDIR)$(dir $(file)).$(notdir $(file)).new $(DESTDIR)$(file)
)
endef

# The executable before the hook files that name it, and off in the other order: a hook file without its executable is skipped
# silently, and its containers start without RDMA. What would keep an engine from starting is found before it is switched on;
# below DESTDIR the owners and paths are not yet those of a node.
install: all
	$(call place,0755,$(HOOK),$(BINDIR)/oci-rdma-hook)
	$(call place,0755,$(DOCTOR),$(BINDIR)/oci-rdma-doctor)
	for name in $(SHIMS); do \
		ln -sfT oci-rdma-hook $(DESTDIR)$(BINDIR)/.$$name.new && \
		mv -fT $(DESTDIR)$(BINDIR)/.$$name.new $(DESTDIR)$(BINDIR)/$$name || exit 1; \
	done
	$(foreach page,$(PAGES),$(call place,0644,$(page),$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page))))
	for name in $(filter-out oci-rdma-runtime,$(SHIMS)); do \
		ln -sfT oci-rdma-runtime.8 $(DESTDIR)$(MANDIR)/man8/$$name.8 || exit 1; \
	done
	$(foreach file,$(COMPLETIONS),$(call place,0644,$(file),$(COMPLETIONSDIR)/$(notdir $(file))))
	$(call place,0644,config/profiles/roce-legacy.json,$(OURS)/profiles/roce-legacy.json)
	$(foreach file,$(TEMPLATES),$(call render,$(file),$(OURS)/$(file:config/%=%)))
	$(call switch_on,$(TEMPLATES:config/%=$(OURS)/%))
	$(INSTALL) -d -m 0755 $(DESTDIR)$(CONFIGDIR)
	test -e $(DESTDIR)$(CONFIGDIR)/config.json || $(INSTALL) -m 0644 config/config.json $(DESTDIR)$(CONFIGDIR)/config.json
	$(foreach file,$(PRECREATE),$(call render,config/podman/precreate.d/$(file),$(PRECREATEDIR)/$(file)))
	$(foreach file,$(HOOK_FILES),$(call render,config/hooks.d/$(HOOKS)/$(file),$(HOOKSDIR)/$(file)))
	$(if $(DESTDIR),,$(BINDIR)/oci-rdma-hook --check-config $(CONFIGDIR)/config.json \
		$(foreach file,$(PRECREATE),$(PRECREATEDIR)/.$(file).new) $(foreach file,$(HOOK_FILES),$(HOOKSDIR)/.$(file).new))
	$(call switch_on,$(PRECREATE:%=$(PRECREATEDIR)/%) $(HOOK_FILES:%=$(HOOKSDIR)/%))

# $(call drop,RENDERED,FILE): an administrator's copy of a file of ours goes if he left it as it was, and stays, named, if not
define drop
if test -e $(DESTDIR)$(2); then \
	if sed 's|/usr/local/bin/|$(BINDIR)/|g' $(1) | cmp -s - $(DESTDIR)$(2); then rm -f $(DESTDIR)$(2); \
	else echo 'kept, as it was changed: $(DESTDIR)$(2)'; fi; \
fi

endef

uninstall:
	rm -f $(HOOK_FILES:%=$(DESTDIR)$(HOOKSDIR)/%) $(HOOK_FILES:%=$(DESTDIR)$(HOOKSDIR)/.%.new)
	rm -rf $(DESTDIR)$(PRECREATEDIR)
	$(call drop,config/podman/oci-rdma-hook.conf,$(SYSCONFDIR)/containers/containers.conf.d/oci-rdma-hook.conf)
	sleep $(GRACE_HERE)
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(SHIMS) oci-rdma-hook oci-rdma-doctor)
	rm -f $(SHIMS:%=$(DESTDIR)$(MANDIR)/man8/%.8) \
		$(foreach page,$(wildcard doc/man/*.[58]),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page)))
	rm -f $(DESTDIR)$(COMPLETIONSDIR)/oci-rdma-hook $(DESTDIR)$(COMPLETIONSDIR)/oci-rdma-doctor
	rm -rf $(DESTDIR)$(OURS)
	$(call drop,config/config.json,$(CONFIGDIR)/config.json)
	rmdir $(DESTDIR)$(CONFIGDIR) 2>/dev/null || true

DIST := $(BUILD)/oci-rdma-hook-$(VERSION).tar.gz

# The same bytes for the same commit: git archive takes its date for the files', gzip -n none at all.
dist:
	@git rev-parse -q --verify HEAD >/dev/null || { echo 'make dist: needs a git checkout' >&2; exit 1; }
	@git diff-index --quiet HEAD || echo 'make dist: what is not committed is not in it' >&2
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=oci-rdma-hook-$(VERSION)/ HEAD | gzip -9n >$(DIST).new
	@mv -f $(DIST).new $(DIST)

# ---- clusters ----

ROLE ?= worker

machineconfig: $(HOOK)
	@ROLE='$(ROLE)' PROFILE='$(PROFILE)' HOOKS='$(HOOKS)' RUNTIME='$(RUNTIME)' \
		config/machineconfig/render-hook $(HOOK) $(BUILD)/99-$(ROLE)-oci-rdma-hook.yaml

iommu-passthrough:
	@ROLE='$(ROLE)' ARCH='$(ARCH)' INTEL_IOMMU='$(INTEL_IOMMU)' \
		config/machineconfig/render-iommu $(BUILD)/98-$(ROLE)-iommu-passthrough.yaml

# The context of config/kubernetes/Containerfile, of this tree and a busybox alone
installer: $(HOOK)
	@tests/deps installer
	@config/kubernetes/make-context $(HOOK) $(BUILD)/installer

clean:
	rm -rf $(BUILD)

.PHONY: all help demo bench check check-deps check-unit check-cli check-podman check-vm check-package lint format \
	install uninstall dist machineconfig iommu-passthrough installer clean
