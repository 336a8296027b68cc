# SPDX-License-Identifier: Apache-2.0
# Tests, benchmarks and lint, for the Makefile. tools/deps installs what each kind needs, tests/run runs the suites.

# A suite is a file with a main(), which stands where stands what it tests: tests/unit/core/base/text.c. If that is a
# whole room, suite.c has the main(), and the files beside it without one are linked to it.
UNIT_MAINS := $(sort $(shell grep -rl --include='*.c' '^int main\>' tests/unit))
UNIT := $(UNIT_MAINS:%.c=$(BUILD)/%)
unit_sources = $(1).c $(if $(filter suite,$(notdir $(1))),$(filter-out $(UNIT_MAINS),$(wildcard $(dir $(1))*.c)))
KUBECHECK := $(BUILD)/tests/kubecheck
CDI_VALIDATE := $(BUILD)/tests/cdi/validate
JUDGE := $(BUILD)/tests/nri/judge
CRI := $(BUILD)/tests/nri/cri
YAJL_TREE := $(BUILD)/tests/yajl
SUITES_UNIT = $(UNIT)
SUITES_CLI = $(sort $(wildcard tests/cli/*.sh))
SUITES_NRI = tests/nri/judge.sh
SUITES_PODMAN = $(sort $(wildcard tests/podman/*.sh))
SUITES_PACKAGE = $(sort $(wildcard tests/package/*.sh))
SUITES_VM = $(addprefix tests/vm/,check check-shim check-netns check-doctor check-install check-nri check-node \
	check-engines check-cdi check-soak)

include tests/safety.mk
include tests/cross/cross.mk
include tests/bench/bench.mk

# `make check` is for a person: less than ten minutes on two processors. What takes long is left to check-all: other
# builds, single steps, a thousand containers, packages that are made or fetched, Kubernetes' types and Prometheus,
# which are compiled or started, and most of what happens in the VM.
LONG := tests/tidy $(SUITES_NRI) $(SUITES_PACKAGE) $(SUITES_SAFETY) $(SUITES_CROSS) $(SUITES_VM) \
	$(patsubst %,tests/cli/%.sh,alerts cdi-schema cluster events-types executable footprint monitoring \
	node-disruption nri-standby valgrind) \
	tests/podman/soak.sh tests/podman/builder.sh
SUITES_ALL = $(SUITES_PODMAN) tests/tidy tests/lint $(SUITES_PACKAGE) $(SUITES_CLI) $(SUITES_NRI) $(SUITES_UNIT) \
	$(SUITES_SAFETY) $(SUITES_CROSS) $(SUITES_VM)
# check-brief is a part of check-node.
SUITES = $(filter-out $(LONG),$(SUITES_ALL)) tests/vm/check-brief

# ---- running ----

check: RUN = $(SUITES)
check-all: RUN = $(SUITES_ALL)
check-unit: RUN = $(SUITES_UNIT)
check-cli: RUN = $(SUITES_CLI)
check-nri: RUN = $(SUITES_NRI)
check-podman: RUN = $(SUITES_PODMAN)
check-package: RUN = $(SUITES_PACKAGE)
check-vm: RUN = $(SUITES_VM)
check-asan: RUN = $(SUITES_SAFETY)
check-aarch64: RUN = $(SUITES_CROSS)
soak: RUN = tests/podman/soak.sh tests/vm/check-soak
lint: RUN = tests/lint tests/tidy
# S may name a unit test's source: a file of a room is a part of the room's suite.
unit_suite = $(BUILD)/$(if $(filter $(1),$(UNIT_MAINS)),$(1:%.c=%),$(dir $(1))suite)
suite_of = $(if $(filter tests/unit/%.c,$(1)),$(call unit_suite,$(1)),$(1))
suite: RUN = $(foreach suite,$(or $(S),$(error which? make suite S=tests/cli/dry-run.sh)),$(call suite_of,$(suite)))
RUNS := check check-all check-unit check-cli check-nri check-podman check-package check-vm check-asan check-aarch64 \
	soak lint suite

# First the packages, all at once; then what the suites need; then the suites.
$(RUNS):
	@tools/deps $(sort $(foreach suite,$(RUN),$(call packages,$(suite))))
	@NEEDS='$(RUN)' $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) needs
	@HOOK=$(HOOK) BUILD=$(BUILD) ROW=$(if $(filter suite,$@),$(call quoted,$(ROW))) tests/run $(RUN)
# Whether the commit that is checked out may be released. TARBALL=0 leaves out its build and tests in an empty
# directory.
release-check:
	@tools/release-check $(if $(filter 0,$(TARBALL)),--without-tarball)

# What a suite needs: packages (groups of tools/deps) by its name or its folder, and as prerequisites what is built.
packages = $(BUILD_PACKAGES) test $(PACKAGES-$(patsubst %/,%,$(dir $(1)))) $(PACKAGES-$(1)) \
	$(if $(filter $(1),$(SUITES_CROSS)),cross-aarch64)
PACKAGES-tests/podman = podman
PACKAGES-tests/podman/builder.sh = podman vm
PACKAGES-tests/podman/installer.sh = cluster
PACKAGES-tests/package = lint package
PACKAGES-tests/package/rpm-aarch64.sh = lint package cross-aarch64
PACKAGES-tests/vm = vm
PACKAGES-tests/lint = lint
PACKAGES-tests/tidy = lint events
PACKAGES-tests/cli = cluster installer
PACKAGES-tests/cli/monitoring.sh = monitoring
PACKAGES-tests/cli/alerts.sh = monitoring
PACKAGES-tests/cli/events.sh = events
PACKAGES-tests/cli/events-types.sh = events
PACKAGES-tests/package/man.sh = lint package events
PACKAGES-tests/package/publish.sh = package podman installer cross-aarch64 events
PACKAGES-tests/cli/node-disruption.sh = systemd
PACKAGES-tests/cli/nri-standby.sh = systemd
PACKAGES-tests/nri = cluster
PACKAGES-tests/vm/check-nri = cluster podman
PACKAGES-tests/vm/check-engines = cluster
PACKAGES-tests/vm/check-node = cluster package podman
PACKAGES-tests/vm/check-brief = cluster package

$(SUITES_CLI) $(SUITES_PODMAN) $(SUITES_PACKAGE) $(SUITES_VM): $(HOOK) $(NRI_PROGRAM) $(DOCTOR)
tests/vm/check-brief: $(HOOK) $(NRI_PROGRAM) $(DOCTOR)
$(patsubst %,tests/cli/%.sh,confine hook-dynamic out-of-memory): $(HOOK_DYNAMIC)
$(patsubst %,tests/cli/%.sh,nri nri-missed outcome) $(SUITES_NRI): $(NRI_PATIENT)
tests/cli/events.sh tests/cli/events-types.sh: $(EVENTS)
tests/cli/events-types.sh: $(KUBECHECK)
tests/package/man.sh: $(EVENTS)
tests/cli/cluster.sh: $(KUBECHECK)
tests/cli/cdi-schema.sh: $(CDI_VALIDATE)
$(SUITES_NRI): $(NRI_PROGRAM) $(JUDGE)
tests/cli/kubectl.sh: $(BUILD)/tests/kubectl
tests/vm/check-nri tests/vm/check-node: $(KUBECHECK)
$(addprefix tests/vm/check-,nri engines node brief): $(CRI)
tests/package/engines.sh: $(BUILD)/tests/engines/.unpacked
$(patsubst %,tests/package/%.sh,yajl rpm rpm-aarch64 publish): $(YAJL_TREE)/.unpacked
tests/package/rpm-aarch64.sh: aarch64
tests/cli/footprint.sh: $(MEASURE)
tests/cli/valgrind.sh: memcheck
tests/lint tests/tidy: $(FILTERS) $(NRI_PROTO).c
tests/vm/check-doctor: $(BUILD)/tests/vm/transfer_faults
# make's own rule would link a suite of another build here, once its object is there.
%: %.o
$(SUITES_SAFETY): asan
$(SUITES_CROSS): aarch64
needs: $(NEEDS)
	@:

# ---- building ----

unit_objects = $(patsubst %.c,$(BUILD)/%.o,$(call unit_sources,$(1)))
UNIT_OBJECTS := $(foreach main,$(UNIT_MAINS:%.c=%),$(call unit_objects,$(main)))
$(UNIT_OBJECTS): | $(BUILD)/.deps-test
$(foreach main,$(UNIT_MAINS:%.c=%),$(eval $(BUILD)/$(main): $(call unit_objects,$(main))))
$(UNIT): $(OBJECTS) $(NRI_OWN_OBJECTS) $(DOCTOR_OBJECTS) $(EVENTS_PURE)
	$(call say,LD) $(CC) $(CFLAGS) $(SYSROOT_LIBS) -o $@ $(filter %.o,$^) \
		-lcmocka -lseccomp -lyajl -lcap -lnettle -lprotobuf-c

# A libcuda without a GPU, which the suite loads
FAKE_CUDA := $(BUILD)/tests/unit/doctor/cuda/fake_cuda.so
$(FAKE_CUDA): tests/unit/doctor/cuda/fake_cuda.c | $(BUILD)/.deps-test
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $<

$(BUILD)/tests/unit/doctor/cuda/cuda: $(FAKE_CUDA)
$(BUILD)/tests/unit/doctor/cuda/cuda.o: CPPFLAGS += -DFAKE_CUDA='"$(abspath $(FAKE_CUDA))"'

# What a Kubernetes API server would say of config/
$(KUBECHECK): tests/cluster/prepare tools/build-go tests/cluster/kubecheck.go
	@tests/cluster/prepare $(@D)

# kubectl, whose 1.20 of Debian 12 is too old
$(BUILD)/tests/kubectl: tools/unpack
	@tools/unpack trixie $(@D)/kubectl-package kubectl
	@mv $(@D)/kubectl-package/usr/bin/kubectl $@ && rm -rf $(@D)/kubectl-package && touch $@

# Engines that Debian 12 has not: of each what reads its configuration
ENGINES := $(BUILD)/tests/engines
$(ENGINES)/.unpacked: tools/unpack
	@rm -rf $(ENGINES) && mkdir -p $(ENGINES)
	$(call say,GET) tools/unpack trixie $(ENGINES) containerd docker.io
	@touch $@

# yajl's sources, as they came from upstream: a distribution without yajl has to bring them (make YAJL=, the RPM's
# Source1)
$(YAJL_TREE)/.unpacked: tools/unpack
	@rm -rf $(YAJL_TREE)
	$(call say,GET) tools/unpack --source bookworm $(YAJL_TREE).new yajl
	@mv $(YAJL_TREE).new/yajl-* $(YAJL_TREE) && rmdir $(YAJL_TREE).new && touch $@

# What engines would say of a CDI spec
$(CDI_VALIDATE): tests/cdi/prepare tools/build-go $(wildcard tests/cdi/*/*.go)
	@tests/cdi/prepare $(@D)

# What stands opposite to the NRI plugin: the runtime's side and another plugin; and for the VM the kubelet's side
$(JUDGE): tests/nri/prepare tools/build-go $(wildcard tests/nri/*/*.go)
	@tests/nri/prepare $(@D) judge stub
$(CRI): tests/nri/prepare tools/build-go $(wildcard tests/vm/cri/*.go)
	@tests/nri/prepare $(@D) cri

# As the doctor is linked: the VM has the node's libraries, not the build's.
$(BUILD)/tests/vm/%: tests/vm/%.c $(OBJECTS) $(DOCTOR_OBJECTS) | $(BUILD)/.deps
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -MMD -MP -pie -o $@ $< \
		$(DOCTOR_OBJECTS) $(OBJECTS) $(DOCTOR_LIBS)

$(BUILD)/.deps-test: tools/deps
	@mkdir -p $(@D)
	@tools/deps test
	@touch $@

-include $(UNIT_OBJECTS:.o=.d)

# ---- lint ----

C_FILES = $(shell find core admin doctor events hook nri tests -name '*.[ch]')

format:
	@tools/deps lint
	@clang-format -i $(C_FILES)

.PHONY: $(RUNS) needs release-check format
