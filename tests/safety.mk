# SPDX-License-Identifier: Apache-2.0
# The tests that want another build: with sanitizers, with counters of what was run. Each build has a directory of its
# own, made by this same Makefile.

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DARENA_EXACT
# The plugin's time limit is minutes here, because the machine may be busy.
PATIENCE := -DSERVE_PATIENCE_MS=600000
# _FORTIFY_SOURCE hides some calls from the sanitizers.
build_with = +@$(MAKE) --no-print-directory DYNAMIC=1 HARDENING= CPPFLAGS='-DUNFILTERED'

# ---- fuzzing ----

# Seconds for each target
TIME ?= 60
FUZZ_SHARED := tests/fuzz/edit_oracle.c tests/fuzz/edit_check.c tests/fuzz/nccl_reader.c
FUZZ_SOURCES := $(filter-out tests/fuzz/replay.c $(FUZZ_SHARED),$(sort $(wildcard tests/fuzz/*.c)))
FUZZ := $(FUZZ_SOURCES:%.c=$(BUILD)/%)
FUZZ_MAIN ?= $(BUILD)/tests/fuzz/replay.o

fuzz:
	@tools/deps $(BUILD_PACKAGES) test fuzz
	$(build_with) BUILD=$(BUILD)/fuzz CC=clang WARNINGS=-Wall WERROR= CFLAGS='-O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link' \
		FUZZ_MAIN=-fsanitize=fuzzer fuzz-targets
	BUILD=$(BUILD)/fuzz TIME=$(TIME) tests/fuzz/run $(notdir $(FUZZ))
fuzz-targets: $(FUZZ)
$(FUZZ): $(BUILD)/%: $(BUILD)/%.o $(FUZZ_SHARED:%.c=$(BUILD)/%.o) $(filter %.o,$(FUZZ_MAIN)) $(TESTED)
	$(call say,LD) $(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(TESTED) $(filter-out %.o,$(FUZZ_MAIN)) $(TEST_LIBS) -lm

# ---- the programs of the same objects but one ----

# The plugin gives up what takes longer than a runtime lets it wait. On a busy machine that happens without a reason
# in the plugin, so all other tests have one that waits for minutes.
$(BUILD)/tests/oci-rdma-nri-patient: $(filter-out %/nri/plugin.o %/nri/serve.o,$(NRI_OBJECTS)) \
		$(patsubst %,$(O)/tests/nri/patient/%.o,plugin serve)
	$(call link,$(PIE),$(NRI_LIBS))
# The hook for rows that have much to read, whose five seconds a busy machine may need
$(BUILD)/tests/oci-rdma-hook-patient: $(filter-out %/core/deadline.o,$(HOOK_OBJECTS)) $(O)/tests/cli/patient/deadline.o
	@mkdir -p $(@D)
	$(call link,$(PIE),$(HOOK_LIBS))
# Whose allocations, also those of its libraries, are nomem.c's; and each of an arena is one of malloc's
$(BUILD)/tests/oci-rdma-hook-nomem: private override LDFLAGS += -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
$(BUILD)/tests/oci-rdma-hook-nomem: $(filter-out %/core/base/arena.o,$(HOOK_OBJECTS)) \
		$(patsubst %,$(O)/tests/cli/tools/%.o,exact_arena nomem)
	@mkdir -p $(@D)
	$(call link,$(PIE),$(HOOK_LIBS))
# With glibc and shared libraries, as a distribution builds it
$(BUILD)/tests/oci-rdma-hook-dynamic: $(addprefix $(BUILD)/,hook/main.o $(HOOK_PARTS))
	@mkdir -p $(@D)
	$(call link,-pie,-lyajl -lcap)

# ---- the tests under ASan and UBSan ----

ASAN := $(BUILD)/asan
# What can be run on any build of the hook: the others look at the executable, at its system calls (strace and the leak
# sanitizer both want to trace it), or at what is installed
SUITES_HOOK = $(patsubst %,tests/cli/%.sh,allocated-devices bad-input check-config config device-order device-sources \
	dry-run entry-points hook log nri policy shim shim-command-line shim-create shim-exec spec-edit)
SUITES_DOCTOR = $(sort $(wildcard tests/cli/doctor*.sh))
# core/confine is about the filter, which these builds do without
UNIT_CONFINE := $(BUILD)/tests/unit/core/confine/confine
UNIT_ASAN = $(patsubst $(BUILD)/%,$(ASAN)/%,$(filter-out $(UNIT_CONFINE),$(UNIT)))
# The same suites on the other build, by names of their own
CLI_ASAN = $(patsubst tests/cli/%,$(ASAN)/tests/cli/%,$(SUITES_DOCTOR) $(SUITES_HOOK))

$(ASAN): | $(BUILD)/.deps-test
	$(build_with) BUILD=$@ CFLAGS='-O1 -g $(SANITIZE) $(PATIENCE)' all units fuzz-targets
$(UNIT_ASAN): | $(ASAN)
$(ASAN)/tests/cli/%.sh: tests/safety.mk | $(ASAN)
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nSLOW=1 HOOK=$(ASAN)/oci-rdma-hook BUILD=$(ASAN) exec tests/cli/$*.sh\n' >$@.new
	@chmod 755 $@.new && mv $@.new $@

# ---- valgrind ----

# For tests/cli/valgrind.sh: the static executables, as nodes have them, and dynamic ones, whose every allocation
# memcheck sees. The doctor's checks have minutes.
MEMCHECK := $(BUILD)/memcheck
$(MEMCHECK): | $(BUILD)/.deps-test
	+@$(MAKE) --no-print-directory BUILD=$@/static HARDENING= CPPFLAGS=-DUNFILTERED \
		CFLAGS='-O1 -g $(PATIENCE)' all
	$(build_with) BUILD=$@/dynamic CFLAGS='-O1 -g -DARENA_EXACT -DCHECK_SECONDS=600 $(PATIENCE)' all

# ---- soak ----

# Containers for each runtime: here, in a row and at once, and in the virtual machine, where each takes seconds (a
# multiple of 4). `make check-all` has fewer.
soak: export N ?= 5000
soak: export WIDTH ?= 200
soak: export VM_N ?= 100

# ---- coverage ----

COVERAGE := $(BUILD)/coverage

SUITES_COVERAGE = $(SUITES_HOOK) $(SUITES_DOCTOR) \
	$(patsubst %,tests/cli/%.sh,deadline decision-notes html-page netns nri-missed out-of-memory outcome \
	system-call-faults)
UNIT_COVERAGE = $(UNIT_ASAN:$(ASAN)/%=$(COVERAGE)/%)

# A suite may fail here: the counters are files that the program itself writes, also below a RLIMIT_FSIZE, and they take
# time. make check-all says what is right. Less than the floor (percent of lines and branches) is a failure.
COVERAGE_FLOOR := --fail-under-line 86 --fail-under-branch 77
coverage:
	@tools/deps $(BUILD_PACKAGES) test coverage
	@rm -rf $(COVERAGE)
	+@$(MAKE) --no-print-directory LIBC=glibc HARDENING= CPPFLAGS=-DUNFILTERED BUILD=$(COVERAGE) \
		CFLAGS='-O0 -g --coverage -fprofile-update=atomic -include tests/coverage.h' all units \
		$(addprefix $(COVERAGE)/tests/,oci-rdma-nri-patient oci-rdma-hook-nomem)
	-HOOK=$(COVERAGE)/oci-rdma-hook BUILD=$(COVERAGE) tests/run $(UNIT_COVERAGE) $(SUITES_COVERAGE)
	gcovr --root . $(patsubst %,--filter %/,core lib admin explain hook nri doctor) --object-directory $(COVERAGE) \
		--exclude-throw-branches --sort-percentage --html-details $(COVERAGE)/report.html --print-summary \
		$(COVERAGE_FLOOR) $(COVERAGE)

.PHONY: $(MEMCHECK) $(ASAN) fuzz fuzz-targets coverage
