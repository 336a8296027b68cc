# shellcheck shell=bash disable=SC2154 # what sources it sets root and here
# What makes a root file system of unpacked packages the test VM's, for build-image and build-engines. $root is that file system, $here
# this directory.

# configure: what the maintainer scripts would have done, as far as the tests need it
configure() {
	mkdir -p "$root"/{proc,sys,run,mnt,home,root,tmp,dev}
	chmod 1777 "$root/tmp"
	rm -rf "$root/var/run" && ln -s /run "$root/var/run" # as base-files makes it
	printf '%s\n' 'root:x:0:0:root:/root:/bin/bash' 'nobody:x:65534:65534::/:/usr/sbin/nologin' >"$root/etc/passwd"
	printf '%s\n' 'root:x:0:' 'nogroup:x:65534:' >"$root/etc/group"
	[ -e "$root/usr/bin/awk" ] || ln -s mawk "$root/usr/bin/awk"
	[ -e "$root/bin/sh" ] || ln -s dash "$root/bin/sh"
	install -m 755 "$here/guest-init" "$root/guest-init"
}

# shrink: documentation and caches only cost time here
shrink() {
	rm -rf "$root"/usr/share/{man,doc,locale,info} "$root"/var/cache/apt "$root"/var/lib/apt/lists
}

# make_disk FILE SIZE: an ext4 file system of $root, which goes
make_disk() {
	truncate -s "$2" "$1"
	mke2fs -q -t ext4 -O ^has_journal -E lazy_itable_init=1,root_owner=0:0 -d "$root" "$1"
	rm -rf "$root"
}
