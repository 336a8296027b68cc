# SPDX-License-Identifier: Apache-2.0
# Tests, benchmarks and lint, for the Makefile. tools/deps installs what each kind needs, tests/run runs the suites.

# A suite is a file with a main(), which stands where stands what it tests: tests/unit/core/base/text.c. If that is a
# whole room, suite.c has the main(), and the files beside it without one are linked to it.
UNIT_MAINS := $(sort $(shell grep -rl --include='*.c' '^int main\>' tests/unit))
UNIT := $(UNIT_MAINS:%.c=$(BUILD)/%)
unit_sources = $(1).c $(if $(filter suite,$(notdir $(1))),$(filter-out $(UNIT_MAINS),$(wildcard $(dir $(1))*.c)))
TESTED := $(BUILD)/tests/tested.a
KUBECHECK := $(BUILD)/tests/kubecheck
KUSTOMIZE := $(BUILD)/tests/kustomize
CDI_VALIDATE := $(BUILD)/tests/cdi/validate
JUDGE := $(BUILD)/tests/nri/judge
CRI := $(BUILD)/tests/nri/cri
YAJL_TREE := $(BUILD)/tests/yajl
SUITES_UNIT = $(UNIT)
SUITES_CLI = $(sort $(wildcard tests/cli/*.sh))
SUITES_NRI = tests/nri/judge.sh
SUITES_PODMAN = $(sort $(wildcard tests/podman/*.sh))
SUITES_PACKAGE = $(sort $(wildcard tests/package/*.sh))
SUITES_VM = $(addprefix tests/vm/,check-podman check-engines check-node check-long check-soak)

include tests/safety.mk
include tests/cross/cross.mk
include tests/bench/bench.mk

# check-all is what CI runs. Each suite runs once: under ASan and UBSan where it can, otherwise on the programs as nodes
# get them. check-long has what takes long and seldom fails; it runs before a release. check is for a person.
SUITES_LONG = tests/analyze $(patsubst %,tests/cli/%.sh,events-types valgrind) $(patsubst %,tests/podman/%.sh,builder soak) \
	tests/vm/check-long tests/vm/check-soak \
	$(patsubst %,tests/package/%.sh,again rpm-aarch64) \
	$(filter-out $(SUITES_SMOKE),$(SUITES_CROSS))
SUITES_ALL = $(filter-out $(SUITES_LONG),$(SUITES_PODMAN) tests/tidy tests/lint $(SUITES_PACKAGE) \
	$(filter-out $(SUITES_HOOK) $(SUITES_DOCTOR),$(SUITES_CLI)) $(SUITES_NRI) $(UNIT_CONFINE) $(SUITES_SAFETY) \
	$(SUITES_SMOKE) $(SUITES_VM))
# Left out of check: other builds, single steps, what is packaged, compiled or fetched for one suite, and most of what
# happens in the VM, of which check-brief is a part.
NOT_BRIEF = tests/tidy $(SUITES_PACKAGE) $(SUITES_LONG) $(patsubst %,tests/cli/%.sh,alerts cdi-schema cluster executable \
	footprint monitoring node-disruption)
SUITES = $(filter-out $(NOT_BRIEF),$(SUITES_PODMAN) tests/lint $(SUITES_CLI) $(UNIT)) tests/vm/check-brief

# ---- running ----

check: RUN = $(SUITES)
check-all: RUN = $(SUITES_ALL)
check-long: RUN = $(SUITES_LONG)
check-unit: RUN = $(SUITES_UNIT)
check-cli: RUN = $(SUITES_CLI)
check-nri: RUN = $(SUITES_NRI)
check-podman: RUN = $(SUITES_PODMAN)
check-package: RUN = $(SUITES_PACKAGE)
check-vm: RUN = $(SUITES_VM)
check-asan: RUN = $(SUITES_SAFETY)
check-aarch64: RUN = $(SUITES_CROSS)
soak: RUN = tests/podman/soak.sh tests/vm/check-soak
lint: RUN = tests/lint
# S may name a unit test's source: a file of a room is a part of the room's suite.
unit_suite = $(BUILD)/$(if $(filter $(1),$(UNIT_MAINS)),$(1:%.c=%),$(dir $(1))suite)
suite_of = $(if $(filter tests/unit/%.c,$(1)),$(call unit_suite,$(1)),$(1))
suite: RUN = $(foreach suite,$(or $(S),$(error which? make suite S=tests/cli/dry-run.sh)),$(call suite_of,$(suite)))
RUNS := check check-all check-long check-unit check-cli check-nri check-podman check-package check-vm check-asan check-aarch64 \
	soak lint suite

# First the packages, all at once; then what the suites need; then the suites.
$(RUNS):
	@tools/deps $(sort $(foreach suite,$(RUN),$(call packages,$(suite))))
	@NEEDS='$(RUN)' $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) needs
	@HOOK=$(HOOK) BUILD=$(BUILD) ROW=$(if $(filter suite,$@),$(call quoted,$(ROW))) tests/run $(RUN)
# Whether the commit that is checked out may be released. TARBALL=0 leaves out the tests: those of its tarball in an
# empty directory, and check-long.
release-check:
	@tools/release-check $(if $(filter 0,$(TARBALL)),--without-tarball)

# What a suite needs: packages (groups of tools/deps) by its name or its folder, and as prerequisites what is built.
packages = $(BUILD_PACKAGES) test $(PACKAGES-$(patsubst %/,%,$(dir $(1)))) $(PACKAGES-$(1)) \
	$(if $(filter $(1),$(SUITES_SMOKE) $(SUITES_CROSS)),cross-aarch64)
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
$(foreach suite,again deb publish,$(eval PACKAGES-tests/package/$(suite).sh = package podman installer cross-aarch64 events))
PACKAGES-tests/cli/node-disruption.sh = systemd
PACKAGES-tests/nri = cluster
PACKAGES-tests/vm/check-engines = cluster
PACKAGES-tests/vm/check-node = cluster package podman
PACKAGES-tests/vm/check-long = cluster package podman
PACKAGES-tests/vm/check-brief = cluster package

$(SUITES_CLI) $(SUITES_PODMAN) $(SUITES_PACKAGE) $(SUITES_VM): $(HOOK) $(NRI_PROGRAM) $(DOCTOR)
tests/vm/check-brief: $(HOOK) $(NRI_PROGRAM) $(DOCTOR)
$(patsubst %,tests/cli/%.sh,confine out-of-memory): $(HOOK_DYNAMIC)
$(patsubst %,tests/cli/%.sh,nri nri-missed outcome) $(SUITES_NRI): $(NRI_PATIENT)
tests/cli/events.sh tests/cli/events-types.sh: $(EVENTS)
tests/cli/events-types.sh: $(KUBECHECK)
tests/package/man.sh: $(EVENTS)
tests/cli/cluster.sh: $(KUBECHECK) $(KUSTOMIZE)
tests/cli/cdi-schema.sh: $(CDI_VALIDATE)
$(SUITES_NRI): $(NRI_PROGRAM) $(JUDGE)
tests/cli/kubectl.sh: $(BUILD)/tests/kubectl
tests/vm/check-node tests/vm/check-long: $(KUBECHECK) $(KUSTOMIZE)
$(addprefix tests/vm/check-,engines node long brief): $(CRI)
tests/package/engines.sh: $(BUILD)/tests/engines/.unpacked
$(patsubst %,tests/package/%.sh,again deb publish rpm rpm-aarch64): $(YAJL_TREE)/.unpacked
tests/cli/footprint.sh: $(MEASURE)
tests/cli/valgrind.sh: memcheck
PACKAGES-tests/analyze = lint events
tests/lint tests/tidy tests/analyze: $(FILTERS) $(NRI_PROTO).c
tests/vm/check-podman: $(BUILD)/tests/vm/transfer_faults
$(SUITES_SAFETY): asan
$(filter-out $(SUITES_SMOKE),$(SUITES_CROSS)): aarch64-tests
$(SUITES_SMOKE) tests/package/rpm-aarch64.sh: aarch64
tests/cross/smoke.sh: $(HOOK) $(FILTERS)
needs: $(NEEDS)
	@:

# ---- building ----

unit_objects = $(patsubst %.c,$(BUILD)/%.o,$(call unit_sources,$(1)))
UNIT_OBJECTS := $(foreach main,$(UNIT_MAINS:%.c=%),$(call unit_objects,$(main)))
$(UNIT_OBJECTS): | $(BUILD)/.deps-test
$(foreach main,$(UNIT_MAINS:%.c=%),$(eval $(BUILD)/$(main): $(call unit_objects,$(main))))
$(UNIT): $(TESTED)
	$(call say,LD) $(CC) $(CFLAGS) $(SYSROOT_LIBS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		-lcmocka -lseccomp -lyajl -lcap -lnettle -lprotobuf-c
# Of an archive a suite takes what it needs: with all objects a link takes five times as long. q: two may have one name.
$(TESTED): $(OBJECTS) $(NRI_OWN_OBJECTS) $(DOCTOR_OBJECTS) $(EVENTS_PURE)
	@mkdir -p $(@D)
	$(call say,AR) rm -f $@ && $(CROSS:%=%-)ar qcsT $@ $^

# A libcuda without a GPU, which the suite loads
FAKE_CUDA := $(BUILD)/tests/unit/doctor/cuda/fake_cuda.so
$(FAKE_CUDA): tests/unit/doctor/cuda/fake_cuda.c | $(BUILD)/.deps-test
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $<

$(BUILD)/tests/unit/doctor/cuda/cuda: $(FAKE_CUDA)
$(BUILD)/tests/unit/doctor/cuda/cuda.o: CPPFLAGS += -DFAKE_CUDA='"$(abspath $(FAKE_CUDA))"'

# Go programs, which stand opposite to ours: an API server's judgement of config/, engines' of a CDI spec, the runtime's
# side of NRI and another plugin, and for the VM the kubelet's side of a runtime. Debian 12's Go is too old.
GO := $(BUILD)/tests/go
$(GO)/.unpacked: tools/unpack tests/go-packages
	@rm -rf $(GO)
	$(call say,GET) tools/unpack trixie $(GO) $$(grep -v '^#' tests/go-packages)
	@touch $@
$(KUBECHECK): SOURCES := tests/cluster/kubecheck.go
$(CDI_VALIDATE): SOURCES := tests/cdi/validate
$(JUDGE): SOURCES := tests/nri/judge tests/nri/stub
$(CRI): SOURCES := tests/vm/cri
$(KUBECHECK) $(CDI_VALIDATE) $(JUDGE) $(CRI): tools/build-go $(GO)/.unpacked \
	$(wildcard tests/cluster/*.go tests/cdi/*/*.go tests/nri/*/*.go tests/vm/cri/*.go)
	$(call say,GO) tools/build-go $(GO) $(@D) $(SOURCES)
$(KUSTOMIZE): $(GO)/.unpacked
	@cp $(GO)/usr/bin/kustomize $@

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

# yajl's sources, as they came from upstream: a distribution without yajl has to bring them (the RPM's Source1)
$(YAJL_TREE)/.unpacked: tools/unpack
	@rm -rf $(YAJL_TREE)
	$(call say,GET) tools/unpack --source bookworm $(YAJL_TREE).new yajl
	@mv $(YAJL_TREE).new/yajl-* $(YAJL_TREE) && rmdir $(YAJL_TREE).new && touch $@

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
