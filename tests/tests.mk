# SPDX-License-Identifier: Apache-2.0
# Tests, benchmarks and lint, for the Makefile. tests/deps installs what each kind needs, tests/run runs the suites.

# A suite is a file, tests/unit/test_NAME.c, or a folder, tests/unit/NAME: test_NAME is linked of all that lies in it.
UNIT_FOLDERS := $(notdir $(patsubst %/,%,$(sort $(dir $(wildcard tests/unit/*/*.c)))))
UNIT := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(sort $(wildcard tests/unit/test_*.c))) $(UNIT_FOLDERS:%=$(BUILD)/tests/unit/test_%)
KUBECHECK := $(BUILD)/tests/kubecheck
SUITES_UNIT = $(UNIT)
SUITES_CLI = $(sort $(wildcard tests/cli/*.sh))
SUITES_PODMAN = $(sort $(wildcard tests/podman/*.sh))
SUITES_PACKAGE = $(sort $(wildcard tests/package/*.sh))
SUITES_VM = tests/vm/check tests/vm/check-shim tests/vm/check-netns tests/vm/check-doctor tests/vm/check-install tests/vm/check-soak
VM_PROGRAMS = $(DOCTOR) $(BUILD)/tests/vm/transfer_faults

include tests/safety.mk
include tests/bench/bench.mk

check: all $(HOOK_DYNAMIC) $(UNIT) asan memcheck $(VM_PROGRAMS) check-deps $(KUBECHECK) $(MEASURE)
	HOOK=$(HOOK) BUILD=$(BUILD) tests/run $(SUITES_PODMAN) tests/lint $(SUITES_PACKAGE) $(SUITES_UNIT) $(SUITES_CLI) $(SUITES_SAFETY) -- $(SUITES_VM)

check-deps:
	@tests/deps build test podman vm lint package cluster

check-unit: $(UNIT)
	tests/run $(SUITES_UNIT)
check-cli: all $(HOOK_DYNAMIC) memcheck $(KUBECHECK) $(MEASURE)
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

unit_objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/$(1).c tests/unit/$(1:test_%=%)/*.c))
UNIT_OBJECTS := $(foreach suite,$(notdir $(UNIT)),$(call unit_objects,$(suite)))
$(UNIT_OBJECTS): | $(BUILD)/.deps-test
$(foreach suite,$(notdir $(UNIT)),$(eval $(BUILD)/tests/unit/$(suite): $(call unit_objects,$(suite))))
$(UNIT): $(OBJECTS) $(DOCTOR_OBJECTS)
	$(call say,LD) $(CC) $(CFLAGS) -o $@ $(filter %.o,$^) -lcmocka -lseccomp -lyajl -lcap

# A libcuda without a GPU, which test_cuda loads
$(BUILD)/tests/unit/fake_cuda.so: tests/unit/fake_cuda.c | $(BUILD)/.deps-test
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $<

$(BUILD)/tests/unit/test_cuda: $(BUILD)/tests/unit/fake_cuda.so
$(BUILD)/tests/unit/test_cuda.o: CPPFLAGS += -DFAKE_CUDA='"$(abspath $(BUILD))/tests/unit/fake_cuda.so"'

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

-include $(UNIT_OBJECTS:.o=.d)

# ---- lint ----

C_FILES := $(sort $(wildcard core/*.[ch] core/*/*.[ch] core/*/*/*.[ch] doctor/*.[ch] doctor/*/*.[ch] hook/*.[ch] hook/*/*.[ch] tests/unit/*.[ch] tests/unit/*/*.[ch] tests/fuzz/*.[ch] tests/bench/*.c tests/vm/*.c))

lint: $(FILTER)
	@tests/deps lint
	tests/run tests/lint

format:
	@tests/deps lint
	clang-format -i $(C_FILES)

.PHONY: check check-deps check-unit check-cli check-podman check-vm check-package lint format
