#!/bin/sh
# What users install, made from the release binary: an installed tree, a Debian package, a tarball of one file and its texts.
# usage: tools/package.sh tree DESTDIR PREFIX | deb DIR | dist DIR
# tree: what `make install` puts below DESTDIR/PREFIX. deb: DIR/assay_VERSION_ARCH.deb. dist: DIR/assay-VERSION-linux-ARCH.tar.gz and
# its .sha256. Man pages and completions come from the program itself. The time stamp of what is made is that of the commit
# (SOURCE_DATE_EPOCH), so the same source gives the same bytes. DEBFULLNAME and DEBEMAIL name who makes the package.
set -eu
cd "$(dirname "$0")/.."
umask 022
program=${ASSAY:-build/release/assay}
[ -x "$program" ] || {
	echo "package: $program is not there: make BUILD=release" >&2
	exit 3
}
version=$("$program" --version | sed 's/^assay \([^ ]*\) .*/\1/')
commit=$("$program" --version | sed 's/.*(\(.*\))/\1/')
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1)}
export SOURCE_DATE_EPOCH
maintainer="${DEBFULLNAME:-The makers of assay} <${DEBEMAIL:-assay@localhost}>"
verbs=$("$program" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p')

# texts SHARE ZSH: man pages and completions below SHARE; ZSH: where this system's zsh looks.
texts() {
	mkdir -p "$1/man/man1" "$1/bash-completion/completions" "$1/fish/vendor_completions.d" "$1/$2"
	for verb in $verbs; do
		"$program" man "$verb" | gzip -9n >"$1/man/man1/assay-$verb.1.gz"
	done
	"$program" man assay | gzip -9n >"$1/man/man1/assay.1.gz"
	"$program" completion bash >"$1/bash-completion/completions/assay"
	"$program" completion zsh >"$1/$2/_assay"
	"$program" completion fish >"$1/fish/vendor_completions.d/assay.fish"
}

# Everything below $1 gets the commit's time.
date_all() {
	find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

copyright() {
	sed "s/@VERSION@/$version/" tools/package/copyright
}

tree() {
	install -D -m 755 "$program" "$1$2/bin/assay"
	texts "$1$2/share" zsh/site-functions
}

deb() {
	command -v dpkg-deb >/dev/null || {
		echo 'package: dpkg-deb is not here: a Debian package is made on Debian or Ubuntu' >&2
		exit 3
	}
	arch=$(dpkg --print-architecture)
	glibc=$("$program" --version --verbose --json | sed -n 's/.*"glibc_at_least": "\(.*\)".*/\1/p')
	root=$(mktemp -d)
	trap 'rm -rf "$root"' EXIT
	mkdir -p "$root/DEBIAN" "$root/usr/share/doc/assay"
	install -D -m 755 "$program" "$root/usr/bin/assay"
	strip --strip-unneeded --remove-section=.comment "$root/usr/bin/assay"
	texts "$root/usr/share" zsh/vendor-completions
	copyright >"$root/usr/share/doc/assay/copyright"
	gzip -9nc README.md >"$root/usr/share/doc/assay/README.md.gz"
	{
		printf 'assay (%s) unstable; urgency=medium\n\n  * Made from commit %s.\n\n' "$version" "$commit"
		printf ' -- %s  %s\n' "$maintainer" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")"
	} | gzip -9n >"$root/usr/share/doc/assay/changelog.gz"
	mkdir -p "$root/usr/share/lintian/overrides"
	printf '# one file that runs where none of these is installed\nassay: embedded-library zlib *\n' \
		>"$root/usr/share/lintian/overrides/assay"
	size=$(du -sk --apparent-size "$root/usr" | cut -f1)
	sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$arch/" -e "s/@SIZE@/$size/" -e "s/@GLIBC@/$glibc/" \
		-e "s|@MAINTAINER@|$maintainer|" tools/package/control \
		>"$root/DEBIAN/control"
	(cd "$root" && find usr -type f | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"
	chmod 755 "$root"
	date_all "$root"
	mkdir -p "$1"
	dpkg-deb --root-owner-group -Zxz -z2 --build "$root" "$1/assay_${version}_$arch.deb" >/dev/null
	echo "$1/assay_${version}_$arch.deb"
}

dist() {
	name=assay-$version-linux-$(uname -m)
	root=$(mktemp -d)
	trap 'rm -rf "$root"' EXIT
	install -D -m 755 "$program" "$root/$name/bin/assay"
	strip --strip-unneeded "$root/$name/bin/assay"
	texts "$root/$name/share" zsh/site-functions
	mkdir -p "$root/$name/share/doc/assay"
	copyright >"$root/$name/share/doc/assay/copyright"
	cp README.md "$root/$name/share/doc/assay/"
	cp -rL skills "$root/$name/skills"
	date_all "$root/$name"
	mkdir -p "$1"
	(cd "$root" && tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name") |
		gzip -9n >"$1/$name.tar.gz"
	(cd "$1" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
	echo "$1/$name.tar.gz"
}

case ${1:-}-$# in
tree-3) tree "$2" "$3" ;;
deb-2) deb "$2" ;;
dist-2) dist "$2" ;;
*)
	echo 'usage: tools/package.sh tree DESTDIR PREFIX | deb DIR | dist DIR' >&2
	exit 2
	;;
esac
