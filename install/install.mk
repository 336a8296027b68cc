# SPDX-License-Identifier: Apache-2.0
# What a machine or a cluster gets, for the Makefile: make install and uninstall,
# dist, and what OpenShift and Kubernetes are given.

# Where things go; DESTDIR goes in front of each
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
COMPLETIONSDIR ?= $(DATADIR)/bash-completion/completions
UNITDIR ?= $(PREFIX)/lib/systemd/system
HOOKSDIR ?= /usr/share/containers/oci/hooks.d
SYSCONFDIR ?= /etc
RUNSTATEDIR ?= /run
# Which hooks.d files `make install` takes: annotation, or device for clusters with "opt_in": "device"
HOOKS ?= annotation
$(if $(findstring |$(HOOKS)|,|annotation|device|),,$(error HOOKS=$(HOOKS): must be annotation or device))

INSTALL ?= install

OURS := $(DATADIR)/oci-rdma-hook
SHIMS := oci-rdma-runtime oci-rdma-runtime-crun oci-rdma-runtime-runc
# A precreate hook never goes into a directory that CRI-O reads: one such file keeps CRI-O from starting.
PRECREATEDIR ?= $(OURS)/precreate.d
CONFIGDIR = $(SYSCONFDIR)/oci-rdma-hook
# Seconds from the hook files' end to the executable's: what is being created meanwhile has the hook in its
# config.json, and its hooks run one after another. NVIDIA's asks each GPU, for one to three seconds where persistence
# is off: that is the longest, of eight GPUs. The packages' scripts and install/kubernetes/node-install have the same
# number; tests/cli/install.sh holds them to it.
GRACE ?= 30
GRACE_HERE = $(if $(DESTDIR),0,$(GRACE))

PROGRAMS = oci-rdma-hook oci-rdma-admin oci-rdma-nri oci-rdma-doctor
# `make install KUBECTL=1` also takes kubectl's plugin: for a cluster's administrator, not for its nodes
PLUGIN = kubectl-rdma_doctor kubectl-rdma_doctor-job kubectl-rdma_doctor-selftest
# The reporter of events runs in its image alone, so that its page is not installed. The keys of the policy's page are those of configuration.md.
POLICY_PAGE := $(BUILD)/man/oci-rdma-hook.json.5
PAGES = $(filter-out doc/man/oci-rdma-events.8 doc/man/$(notdir $(POLICY_PAGE)),$(sort $(wildcard doc/man/*.[58]))) $(POLICY_PAGE)
$(POLICY_PAGE): doc/man/$(notdir $(POLICY_PAGE)) doc/configuration.md tools/man-keys.awk
	@mkdir -p $(@D)
	$(call say,MAN) LC_ALL=C awk -f tools/man-keys.awk doc/configuration.md $< >$@.new && mv $@.new $@
all: $(POLICY_PAGE)
COMPLETIONS = $(addprefix config/completion/,$(PROGRAMS))
# Files with the executable's path in them, for who wants more than the default, to be copied to where engines read
TEMPLATES = $(sort $(filter-out config/hooks.d/$(HOOKS)/%,$(wildcard config/hooks.d/*/*.json))) \
	config/podman/oci-rdma-hook.conf config/docker/daemon.json install/containerd/render-base-spec \
	install/monitoring/collect config/monitoring/rules.yaml
# $(call ours,FILE…): where they are put
ours = $(patsubst install/%,$(OURS)/%,$(patsubst config/%,$(OURS)/%,$(1)))
# Units, none of them switched on
UNITS := nri/oci-rdma-nri-a.service nri/oci-rdma-nri-b.service monitoring/oci-rdma-metrics.service \
	cdi/oci-rdma-hook-cdi.service cdi/oci-rdma-hook-cdi.path
CDI_FILE = $(RUNSTATEDIR)/cdi/oci-rdma-hook.json
PRECREATE := $(notdir $(wildcard config/podman/precreate.d/*.json))
HOOK_FILES = $(notdir $(wildcard config/hooks.d/$(HOOKS)/*.json))

# Files are made under a name that nobody looks at, and renamed, since engines may run or read them meanwhile.
new = $(DESTDIR)$(dir $(1)).$(notdir $(1)).new
# $(call place,MODE,FROM,TO)
define place
$(INSTALL) -d -m 0755 $(DESTDIR)$(dir $(3))
$(INSTALL) -m $(1) $(2) $(call new,$(3))
mv -fT $(call new,$(3)) $(DESTDIR)$(3)

endef
# $(call switch_on,FILE): from its new name
switch_on = mv -fT $(call new,$(1)) $(DESTDIR)$(1)
# $(call stage,FROM,TO): the new one, with the executable's path put in
PATHS = s|/usr/local/bin/|$(BINDIR)/|g; s|/usr/local/share/|$(DATADIR)/|g
define stage
$(INSTALL) -d -m 0755 $(DESTDIR)$(dir $(2))
sed '$(PATHS)' $(1) >$(call new,$(2))
chmod $(if $(filter %/render-base-spec %/collect,$(1)),0755,0644) $(call new,$(2))

endef
# $(call render,FROM,TO)
define render
$(stage)$(call switch_on,$(2))

endef

# The handler that ends in this runtime, made from this machine's own CRI-O; RUNTIME=1 is RUNTIME=crun. By rename from
# another directory, since CRI-O reads every file in its own.
HANDLERS = $(filter-out 0,$(patsubst 1,crun,$(RUNTIME)))
HANDLER_DIR = $(SYSCONFDIR)/crio/crio.conf.d
handler_file = 60-oci-rdma-hook$(if $(filter-out crun,$(1)),-$(1)).conf
define handler
$(BINDIR)/oci-rdma-admin --crio-handler $(BINDIR)/oci-rdma-runtime-$(1) >$(CONFIGDIR)/.handler.new || \
	{ rm -f $(CONFIGDIR)/.handler.new; exit 1; }
$(INSTALL) -d -m 0755 $(HANDLER_DIR)
chmod 0644 $(CONFIGDIR)/.handler.new
mv -fT $(CONFIGDIR)/.handler.new $(HANDLER_DIR)/$(handler_file)
echo 'the handler takes effect with: systemctl restart crio'

endef

# A new file has the label of its directory, which for units and others is not the one of the policy's file contexts
# (doc/selinux.md).
define label
if command -v restorecon >/dev/null; then restorecon -R $(addprefix $(BINDIR)/,$(PROGRAMS) $(SHIMS)) \
	$(foreach unit,$(UNITS),$(UNITDIR)/$(notdir $(unit))) $(HOOK_FILES:%=$(HOOKSDIR)/%) $(OURS) $(CONFIGDIR); fi
endef

# A host with a node exporter gets its metrics without being asked for them; MONITORING=0 leaves that out. Without
# systemd nothing starts it.
TEXTFILE_DIRECTORIES ?= /var/lib/prometheus/node-exporter /var/lib/node_exporter/textfile_collector
define monitor
if [ '$(MONITORING)' != 0 ] && ls -d $(TEXTFILE_DIRECTORIES) 2>/dev/null | grep -q .; then \
	systemctl daemon-reload && systemctl enable --now oci-rdma-metrics.service || \
		echo 'metrics are not written: systemctl enable --now oci-rdma-metrics.service failed' >&2; fi
endef

# V=1 prints the commands.
$(if $(V),,.SILENT: install uninstall)

# The executable before the hook files that name it, and off in the other order: a hook file without its executable is
# skipped silently, and its containers start without RDMA. What would keep an engine from starting is found before it
# is switched on; below DESTDIR the owners and paths are not yet those of a node.
STAGED = $(PRECREATE:%=$(PRECREATEDIR)/%) $(HOOK_FILES:%=$(HOOKSDIR)/%)
install: all
	$(if $(and $(DESTDIR),$(HANDLERS)),$(error RUNTIME: a handler is made on the machine that gets it, not below DESTDIR))
	$(foreach program,$(HOOK) $(ADMIN) $(NRI_PROGRAM) $(DOCTOR) $(if $(KUBECTL),$(PLUGIN:%=install/kubectl/%)), \
		$(call place,0755,$(program),$(BINDIR)/$(notdir $(program))))
	$(if $(DESTDIR),,rm -f $(TMPFILES))
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
	rm -rf $(DESTDIR)$(OURS)/licenses
	$(if $(filter 1,$(DYNAMIC)),,SYSROOT='$(SYSROOT)' install/licenses $(DESTDIR)$(OURS)/licenses $(HOOK) $(ADMIN) $(NRI_PROGRAM) \
		$(DOCTOR) || echo 'make install: the license texts are left out' >&2)
	$(foreach unit,$(UNITS),$(call render,config/$(unit),$(UNITDIR)/$(notdir $(unit))))
	$(foreach file,$(TEMPLATES),$(call render,$(file),$(call ours,$(file))))
	$(INSTALL) -d -m 0755 $(DESTDIR)$(CONFIGDIR)
	if test -e $(DESTDIR)$(CONFIGDIR)/config.json; then echo 'kept: $(DESTDIR)$(CONFIGDIR)/config.json'; else \
		$(INSTALL) -m 0644 config/config.json $(DESTDIR)$(CONFIGDIR)/config.json; fi
	$(foreach file,$(PRECREATE),$(call stage,config/podman/precreate.d/$(file),$(PRECREATEDIR)/$(file)))
	$(foreach file,$(HOOK_FILES),$(call stage,config/hooks.d/$(HOOKS)/$(file),$(HOOKSDIR)/$(file)))
	$(if $(DESTDIR),,$(BINDIR)/oci-rdma-admin --check-config $(CONFIGDIR)/config.json \
		$(foreach file,$(STAGED),$(call new,$(file))) >/dev/null)
	$(foreach runtime,$(HANDLERS),$(call handler,$(runtime)))
	$(foreach file,$(STAGED),$(call switch_on,$(file)) &&) true
	$(if $(DESTDIR),,$(label))
	$(if $(DESTDIR),,$(monitor))
	echo 'programs: $(DESTDIR)$(BINDIR); hook files: $(DESTDIR)$(HOOKSDIR); policy: $(DESTDIR)$(CONFIGDIR)/config.json'
	echo 'units: $(DESTDIR)$(UNITDIR); templates: $(DESTDIR)$(OURS); man pages: $(DESTDIR)$(MANDIR)'
	echo 'oci-rdma-hook $(VERSION) is installed$(if $(DESTDIR),,: CRI-O and podman run the hook from their next container' \
		'on. Check it with: oci-rdma-admin --check-config)'

# $(call drop,RENDERED,FILE): an administrator's copy of a file of ours goes if it is unchanged; if not it stays, and
# is named
define drop
if test -e $(DESTDIR)$(2); then \
	if sed '$(PATHS)' $(1) | cmp -s - $(DESTDIR)$(2); then rm -f $(DESTDIR)$(2); \
	else echo 'kept, as it was changed: $(DESTDIR)$(2)'; fi; \
fi

endef

# Where a MachineConfig puts the plugin's units
LAID_UNITS = $(SYSCONFDIR)/systemd/system
# The machine-config daemon compares a node's files with its MachineConfigs, and degrades the node if one is missing.
define refuse_machineconfig
if grep -qs oci-rdma /etc/machine-config-daemon/currentconfig; then \
	echo 'make uninstall: the files on this node belong to a MachineConfig. Remove that instead:' \
		'oc delete machineconfig 99-ROLE-oci-rdma-hook-enable (doc/install-openshift.md)' >&2; exit 1; \
fi
endef

# Until a container is removed, its engine runs the path that it was created with, so links to the runtimes take the
# shims' place until the next boot, and CRI-O's handlers stay as long.
TMPFILES = $(SYSCONFDIR)/tmpfiles.d/oci-rdma-hook.conf
define leave_runtimes
if test -x $(BINDIR)/oci-rdma-admin; then \
	text=$$($(BINDIR)/oci-rdma-admin --leave-runtimes $(BINDIR)) || exit 1; \
	if test -n "$$text"; then \
		$(INSTALL) -d -m 0755 $(dir $(TMPFILES)) && echo "$$text" >$(TMPFILES) && chmod 0644 $(TMPFILES) && \
		echo 'left until the next boot, for containers that were created through the shim:' $(BINDIR)/oci-rdma-runtime*; \
	fi; \
fi
endef

# If an engine's configuration still names the shim, nothing is changed; FORCE=1 does not ask.
uninstall:
	$(if $(DESTDIR)$(FORCE),,$(refuse_machineconfig))
	$(if $(DESTDIR)$(FORCE),,test ! -x $(BINDIR)/oci-rdma-admin || $(BINDIR)/oci-rdma-admin --check-removal)
	$(if $(DESTDIR),,systemctl disable --now $(notdir $(UNITS)) >/dev/null 2>&1 || true)
	$(if $(DESTDIR),,rm -f $(CDI_FILE))
	rm -f $(foreach file,$(HOOK_FILES:%=$(HOOKSDIR)/%),$(DESTDIR)$(file) $(call new,$(file)))
	rm -rf $(DESTDIR)$(PRECREATEDIR)
	$(call drop,config/podman/oci-rdma-hook.conf,$(SYSCONFDIR)/containers/containers.conf.d/oci-rdma-hook.conf)
	$(if $(filter-out 0,$(GRACE_HERE)),echo 'waiting $(GRACE_HERE) s for containers that are being created')
	sleep $(GRACE_HERE)
	$(if $(DESTDIR),,$(leave_runtimes))
	test -e $(DESTDIR)$(TMPFILES) || rm -f $(foreach runtime,crun runc,$(DESTDIR)$(HANDLER_DIR)/$(call handler_file,$(runtime)))
	for shim in $(SHIMS:%=$(DESTDIR)$(BINDIR)/%); do \
		if [ "$$(readlink $$shim)" = oci-rdma-hook ]; then rm -f $$shim; fi; \
	done
	rm -f $(addprefix $(DESTDIR)$(BINDIR)/,$(PROGRAMS) $(PLUGIN)) $(SHIMS:%=$(DESTDIR)$(MANDIR)/man8/%.8) \
		$(foreach page,$(wildcard doc/man/*.[58]),$(DESTDIR)$(MANDIR)/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
		$(addprefix $(DESTDIR)$(COMPLETIONSDIR)/,$(PROGRAMS)) $(foreach unit,$(UNITS),$(DESTDIR)$(UNITDIR)/$(notdir $(unit)))
	rm -rf $(DESTDIR)$(OURS)
	$(if $(DESTDIR),,$(foreach unit,$(filter nri/%,$(UNITS)),$(call drop,config/$(unit),$(LAID_UNITS)/$(notdir $(unit)))))
	$(if $(DESTDIR),,systemctl daemon-reload >/dev/null 2>&1 || true)
	$(if $(DESTDIR),,rm -rf $(RUNSTATEDIR)/oci-rdma-hook)
	$(call drop,config/config.json,$(CONFIGDIR)/config.json)
	rmdir $(DESTDIR)$(CONFIGDIR) 2>/dev/null || true
	echo 'oci-rdma-hook is uninstalled'

DIST := $(BUILD)/oci-rdma-hook-$(VERSION).tar.gz

# The same bytes for the same commit: git archive takes its date for the files', gzip -n none at all. Its modes are
# not to depend on a person's tar.umask, either; git's own leaves the group's write bit, with which no policy is
# believed.
dist:
	@git ls-files --error-unmatch Makefile >/dev/null && git rev-parse -q --verify HEAD >/dev/null || \
		{ echo 'make dist: needs a git checkout' >&2; exit 1; }
	@git diff-index --quiet HEAD || echo 'make dist: what is not committed is not in it' >&2
	@mkdir -p $(BUILD)
	git -c tar.umask=0022 archive --format=tar --prefix=oci-rdma-hook-$(VERSION)/ HEAD | gzip -9n >$(DIST).new
	@mv -f $(DIST).new $(DIST)

# All that the project publishes, in build/release/VERSION; REGISTRY= is where the manifests look for the images.
release: $(BUILD)/tests/yajl/.unpacked $(BUILD)/tests/kubectl/.unpacked
	@tools/deps $(BUILD_PACKAGES) cross-aarch64 test package podman doctor-image
	@tools/make-release $(REGISTRY)

# ---- clusters ----

ROLE ?= worker

# A mistyped option would be on every node as if it had not been given, so that an unknown one is refused. What FROM=old.yaml was rendered with holds,
# but for what is given.
MACHINECONFIG_OPTIONS := ROLE PROFILE HOOKS RUNTIME NRI VALIDATOR MONITORING ARCH
ifneq ($(filter machineconfig,$(MAKECMDGOALS)),)
unknown := $(filter-out -% $(MACHINECONFIG_OPTIONS) FROM CHECK BUILD CROSS SYSROOT STRIP CC HOSTCC CFLAGS CPPFLAGS LDFLAGS LIBC DYNAMIC V QUIET, \
	$(foreach word,$(MAKEOVERRIDES),$(if $(findstring =,$(word)),$(firstword $(subst =, ,$(word))))))
$(if $(unknown),$(error make machineconfig: unknown option $(unknown); it knows $(MACHINECONFIG_OPTIONS) FROM))
$(if $(or $(if $(FROM),,none),$(wildcard $(FROM))),,$(error FROM=$(FROM): no such file))
$(foreach option,$(if $(FROM),$(or $(shell install/machineconfig/old-options '$(FROM)' | grep -oE '\b[A-Z]+=[A-Za-z0-9_-]+'), \
	$(error FROM=$(FROM) cannot be used))),$(if $(filter file undefined,$(origin $(firstword $(subst =, ,$(option))))),$(eval $(option))))
endif

# What is for other nodes does not run here, so this machine's own program checks the policy.
NATIVE_ADMIN := $(if $(CROSS),build/oci-rdma-admin,$(ADMIN))
$(if $(CROSS),$(NATIVE_ADMIN)): always
	@$(MAKE) --no-print-directory CROSS= SYSROOT= BUILD=build $@
always:

machineconfig: $(HOOK) $(if $(filter 0,$(MONITORING)),,$(DOCTOR)) $(if $(filter 1,$(NRI)),$(NRI_PROGRAM)) $(NATIVE_ADMIN)
	@ROLE='$(ROLE)' PROFILE='$(PROFILE)' HOOKS='$(HOOKS)' RUNTIME='$(RUNTIME)' NRI='$(NRI)' \
		VALIDATOR='$(VALIDATOR)' MONITORING='$(MONITORING)' ARCH='$(ARCH)' FROM='$(FROM)' \
		CHECK='$(or $(CHECK),$(NATIVE_ADMIN))' \
		install/machineconfig/render-hook $(HOOK) $(BUILD)/99-$(ROLE)-oci-rdma-hook.yaml

iommu-passthrough:
	@ROLE='$(ROLE)' ARCH='$(ARCH)' INTEL_IOMMU='$(INTEL_IOMMU)' \
		install/machineconfig/render-iommu $(BUILD)/98-$(ROLE)-iommu-passthrough.yaml

# The context of install/kubernetes/Containerfile, of this tree and a busybox alone
installer: $(HOOK) $(ADMIN) $(NRI_PROGRAM)
	@tools/deps --say installer
	@ARCH='$(ARCH)' SYSROOT='$(SYSROOT)' BUSYBOX='$(CROSS:%=$(SYSROOT)/bin/busybox)' \
		install/kubernetes/make-context $(HOOK) $(ADMIN) $(NRI_PROGRAM) $(BUILD)/installer

# The context of install/kubernetes/nri/Containerfile: one executable
nri-context: $(NRI_PROGRAM)
	@install/executable-machine $(NRI_PROGRAM) $(ARCH) >/dev/null
	@rm -rf $(BUILD)/nri-image && mkdir -p $(BUILD)/nri-image
	@$(STRIP) --strip-all -o $(BUILD)/nri-image/oci-rdma-nri $(NRI_PROGRAM)
	@cp install/kubernetes/nri/Containerfile $(BUILD)/nri-image
	@SYSROOT='$(SYSROOT)' install/licenses $(BUILD)/nri-image/licenses $(NRI_PROGRAM) && cp LICENSE $(BUILD)/nri-image/licenses
	@case $$(install/executable-machine $(NRI_PROGRAM)) in aarch64) platform=arm64 ;; *) platform=amd64 ;; esac && \
		echo "$(BUILD)/nri-image; build the image with:" \
			"buildah build --platform linux/$$platform --tag IMAGE $(BUILD)/nri-image"

# The context of install/kubernetes/doctor/Containerfile
doctor-context: $(DOCTOR)
	@tools/deps --say doctor-image
	@ARCH='$(ARCH)' SYSROOT='$(SYSROOT)' BUSYBOX='$(CROSS:%=$(SYSROOT)/bin/busybox)' \
		install/kubernetes/doctor/make-context $(DOCTOR) $(BUILD)/doctor-image

# The context of install/kubernetes/events/Containerfile
events-context: $(EVENTS)
	@ARCH='$(ARCH)' SYSROOT='$(SYSROOT)' install/kubernetes/events/make-context $(EVENTS) $(BUILD)/events-image

.PHONY: install uninstall dist release machineconfig iommu-passthrough installer nri-context doctor-context \
	events-context
