# SPDX-License-Identifier: Apache-2.0
# The tests that want another build: with sanitizers, with counters of what was run. Each build has a directory of its
# own, made by this same Makefile.

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DARENA_EXACT
# _FORTIFY_SOURCE hides some calls from the sanitizers.
build_with = +@$(MAKE) --no-print-directory DYNAMIC=1 HARDENING= CPPFLAGS='-DUNFILTERED -DARENA_STANDING=0'

# ---- fuzzing ----

# Seconds for each target
TIME ?= 60
FUZZ_SHARED := tests/fuzz/edit_oracle.c tests/fuzz/edit_check.c tests/fuzz/nccl_reader.c
FUZZ_SOURCES := $(filter-out tests/fuzz/replay.c $(FUZZ_SHARED),$(sort $(wildcard tests/fuzz/*.c)))
FUZZ_NAMES := $(FUZZ_SOURCES:tests/fuzz/%.c=%)
FUZZ := $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/%)
FUZZ_MAIN ?= $(BUILD)/tests/fuzz/replay.o

fuzz:
	@tools/deps $(BUILD_PACKAGES) test fuzz
	$(build_with) BUILD=$(BUILD)/fuzz CC=clang WARNINGS=-Wall CFLAGS='-O1 -g $(SANITIZE) -fsanitize=fuzzer-no-link' \
		FUZZ_MAIN=-fsanitize=fuzzer fuzz-targets
	BUILD=$(BUILD)/fuzz TIME=$(TIME) tests/fuzz/run $(FUZZ_NAMES)

fuzz-targets: $(FUZZ)

FUZZ_OBJECTS = $(FUZZ_SHARED:%.c=$(BUILD)/%.o) $(filter %.o,$(FUZZ_MAIN)) $(TESTED)
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(filter-out %.o,$(FUZZ_MAIN)) \
		-lyajl -lcap -lnettle -lprotobuf-c -lm

# Its oracle unpacks what the plugin reads by itself.
$(BUILD)/tests/fuzz/nri.o: $(NRI_PROTO).c
$(BUILD)/tests/fuzz/nri.o: override CPPFLAGS += -I$(BUILD)/generated

-include $(wildcard $(BUILD)/tests/fuzz/*.d)

# ---- the NRI plugin with patience ----

# The plugin gives up what takes longer than a runtime lets it wait. On a busy machine that happens without a reason
# in the plugin, so all other tests have one of the same objects that waits for minutes.
NRI_PATIENT := $(BUILD)/tests/oci-rdma-nri-patient
PATIENT_MS := 600000
PATIENT := $(patsubst %,$(BUILD)/tests/patient/%.o,plugin serve)

$(NRI_PATIENT): $(filter-out %/nri/plugin.o %/nri/serve.o,$(NRI_OBJECTS)) $(PATIENT)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) $(NRI_LDFLAGS) -o $@ $(filter %.o,$^) $(NRI_LIBS)

$(PATIENT): $(BUILD)/tests/patient/%.o: nri/%.c tests/safety.mk $(COMPILED) | $(BUILD)/.deps $(MUSL_HEADERS)
	@mkdir -p $(@D)
	$(call say,CC) $(if $(filter $(BUILD)/musl/%,$(NRI_OBJECTS)),$(MUSL_CC),$(CC)) $(CPPFLAGS) $(CFLAGS) \
		-DSERVE_PATIENCE_MS=$(PATIENT_MS) -MMD -MP -c -o $@ $<

-include $(PATIENT:.o=.d)

# ---- the tests under ASan and UBSan ----

ASAN := $(BUILD)/asan
# What can be run on any build of the hook: the others look at the executable, at its system calls (strace and the leak
# sanitizer both want to trace it), or at what is installed
SUITES_HOOK = $(patsubst %,tests/cli/%.sh,allocated-devices bad-input check-config config device-order device-sources \
	dry-run entry-points hook log nri policy shim shim-command-line shim-create shim-exec shim-record spec-edit \
	test-generators)
SUITES_DOCTOR = $(sort $(wildcard tests/cli/doctor*.sh))
# core/confine is about the filter, which these builds do without
UNIT_CONFINE := $(BUILD)/tests/unit/core/confine/confine
UNIT_ASAN = $(patsubst $(BUILD)/%,$(ASAN)/%,$(filter-out $(UNIT_CONFINE),$(UNIT)))
# The same suites on the other build, by names of their own
CLI_ASAN = $(patsubst tests/cli/%,$(ASAN)/tests/cli/%,$(SUITES_DOCTOR) $(SUITES_HOOK))
SUITES_SAFETY = tests/fuzz/check $(UNIT_ASAN) $(CLI_ASAN)

asan: | $(BUILD)/.deps-test
	$(build_with) BUILD=$(ASAN) CFLAGS='-O1 -g $(SANITIZE) -DSERVE_PATIENCE_MS=$(PATIENT_MS)' asan-targets

asan-targets: $(HOOK) $(NRI_PROGRAM) $(DOCTOR) $(UNIT) $(FUZZ)

$(ASAN)/tests/cli/%.sh: tests/safety.mk
	@mkdir -p $(@D)
	@printf '#!/bin/sh\nSLOW=1 HOOK=$(ASAN)/oci-rdma-hook BUILD=$(ASAN) exec tests/cli/$*.sh\n' >$@.new
	@chmod 755 $@.new && mv $@.new $@

# ---- allocations that fail ----

HOOK_DYNAMIC := $(BUILD)/tests/oci-rdma-hook-dynamic

# Of the same objects, so that a preloaded malloc reaches it; but each allocation of an arena is one of malloc's
$(HOOK_DYNAMIC): $(BUILD)/hook/main.o $(BUILD)/tests/arena.o $(filter-out %/base/arena.o,$(OBJECTS))
	@mkdir -p $(@D)
	$(call say,LD) $(CC) $(CFLAGS) $(LDFLAGS) -pie -o $@ $^ -lyajl -lcap

$(BUILD)/tests/arena.o: core/base/arena.c core/base/arena.h $(COMPILED) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) -DARENA_EXACT $(CFLAGS) -c -o $@ $<

# ---- valgrind ----

MEMCHECK := $(BUILD)/memcheck
VALGRIND := $(BUILD)/tests/valgrind

# For tests/cli/valgrind.sh: the static executables, as nodes have them, and dynamic ones, whose every allocation
# memcheck sees. Time limits of their own are minutes here, because the machine may be busy.
MEMCHECK_PATIENCE := -DCHECK_SECONDS=600 -DSERVE_PATIENCE_MS=$(PATIENT_MS)
memcheck: $(VALGRIND)/default.supp | $(BUILD)/.deps-test
	+@$(MAKE) --no-print-directory BUILD=$(MEMCHECK)/static HARDENING= CPPFLAGS=-DUNFILTERED \
		CFLAGS='-O1 -g $(MEMCHECK_PATIENCE)' memcheck-static-targets
	$(build_with) BUILD=$(MEMCHECK)/dynamic CFLAGS='-O1 -g -DARENA_EXACT $(MEMCHECK_PATIENCE)' memcheck-dynamic-targets

memcheck-static-targets: $(HOOK) $(NRI_PROGRAM)
memcheck-dynamic-targets: $(HOOK) $(NRI_PROGRAM) $(DOCTOR)

# Debian 12's valgrind answers openat2(2) with ENOSYS; 3.24 knows it. Of its files only memcheck's are kept.
$(VALGRIND)/default.supp: tools/unpack
	@rm -rf $(VALGRIND) && mkdir -p $(VALGRIND)
	$(call say,GET) tools/unpack trixie $(VALGRIND)/package valgrind
	@cd $(VALGRIND) && mv package/usr/libexec/valgrind/*memcheck-* package/usr/libexec/valgrind/vgpreload_core-* .
	@mv $(VALGRIND)/package/usr/libexec/valgrind/default.supp $@ && touch $@ && rm -r $(VALGRIND)/package

# ---- soak ----

# Containers for each runtime: here, in a row and at once, and in the virtual machine, where each takes seconds (a
# multiple of 4). `make check-all` has fewer.
N ?= 5000
WIDTH ?= 200
VM_N ?= 100

soak: export N := $(N)
soak: export WIDTH := $(WIDTH)
soak: export VM_N := $(VM_N)

# ---- coverage ----

COVERAGE := $(BUILD)/coverage

SUITES_COVERAGE = $(SUITES_HOOK) $(SUITES_DOCTOR) \
	$(patsubst %,tests/cli/%.sh,deadline decision-notes html-page netns nri-missed out-of-memory outcome \
	system-call-faults topology)
UNIT_COVERAGE = $(UNIT_ASAN:$(ASAN)/%=$(COVERAGE)/%)

# A suite may fail here: the counters are files that the program itself writes, also below a RLIMIT_FSIZE, and they take
# time. make check-all says what is right. Less than the floor (percent of lines and branches) is a failure.
COVERAGE_FLOOR := --fail-under-line 86 --fail-under-branch 77
coverage:
	@tools/deps $(BUILD_PACKAGES) test coverage
	@rm -rf $(COVERAGE)
	+@$(MAKE) --no-print-directory LIBC=glibc HARDENING= CPPFLAGS=-DUNFILTERED BUILD=$(COVERAGE) \
		CFLAGS='-O0 -g --coverage -fprofile-update=atomic -include tests/coverage.h' coverage-targets
	-HOOK=$(COVERAGE)/oci-rdma-hook BUILD=$(COVERAGE) tests/run $(UNIT_COVERAGE) $(SUITES_COVERAGE)
	gcovr --root . $(patsubst %,--filter %/,core admin hook nri doctor) --object-directory $(COVERAGE) \
		--exclude-throw-branches --sort-percentage --html-details $(COVERAGE)/report.html --print-summary \
		$(COVERAGE_FLOOR) $(COVERAGE)

coverage-targets: $(HOOK) $(NRI_PROGRAM) $(NRI_PATIENT) $(DOCTOR) $(HOOK_DYNAMIC) $(UNIT)

.SECONDARY: $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/%.o) $(FUZZ_SHARED:%.c=$(BUILD)/%.o) $(BUILD)/tests/fuzz/replay.o
.PHONY: memcheck memcheck-static-targets memcheck-dynamic-targets fuzz fuzz-targets asan asan-targets coverage \
	coverage-targets
