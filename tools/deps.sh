#!/bin/sh
# What `make`, `make test` and `make lint` need from the system: says what is missing and why, then installs it.
# usage: tools/deps.sh build|test|lint|web|torch|mcp
# Debian and Ubuntu (apt-get). On another system it names what to install and stops. Quick when nothing is missing:
# a stamp in build/ holds the list and the time stamp of the package database.
set -eu
cd "$(dirname "$0")/.."

# package, why
BUILD='gcc|C compiler, also used for .c kernels
make|build
libc6-dev|C library headers
libssl-dev|SHA-256 (libcrypto, linked statically)
libsqlite3-dev|nsys exports, memory and index (linked statically)
libelf-dev|cubins and executables (linked statically)
libzstd-dev|zstd streams (linked statically)
zlib1g-dev|gzip streams (linked statically)
libseccomp-dev|sandbox of candidate code (linked statically)
libffi-dev|calls with a signature known at run time (linked statically)'
TEST="$BUILD
g++|.cpp references, and kernels for the fake GPU
libcmocka-dev|unit tests
python3|test runner and .py references
python3-numpy|.py references without torch
zstd|unpacked reports in the tests
libisal2|gzipped traces at twice the speed (loaded where it is installed)"
LINT="$BUILD
libcmocka-dev|headers of the unit tests
python3|limits script
python3-venv|ptxas from PyPI where there is no CUDA toolkit
clang-format-14|format check
clang-tidy-14|static analysis
cppcheck|static analysis
binutils|symbol versions of the release binary"

WEB="$TEST
chromium|the HTML report in a real browser (131 MB)
chromium-driver|WebDriver for it
fonts-dejavu-core|letters of a known width"

TORCH="$TEST
python3-torch|kernels and references with torch, on the CPU (three minutes, 164 packages)"

MCP="$TEST
python3-venv|the Model Context Protocol's own client and the skill validator, from PyPI, for the tests"

set_name=${1:-}
case $set_name in
build) list=$BUILD ;;
test) list=$TEST ;;
lint) list=$LINT ;;
web) list=$WEB ;;
torch) list=$TORCH ;;
mcp) list=$MCP ;;
*)
	echo "usage: tools/deps.sh build|test|lint|web|torch|mcp" >&2
	exit 2
	;;
esac

say() {
	printf 'deps: %s\n' "$*" >&2
}
die() {
	say "$*"
	exit 3
}

status=/var/lib/dpkg/status
stamp=build/.deps-$set_name
key() {
	printf '%s\n' "$list"
	stat -c %Y.%s $status 2>/dev/null || echo none
}

# Tells the packages of the list that dpkg does not have installed, one a line.
missing_packages() {
	names=$(printf '%s\n' "$list" | cut -d'|' -f1)
	# shellcheck disable=SC2086
	have=$(dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' $names 2>/dev/null | sed -n 's/ ii.*$//p')
	for name in $names; do
		printf '%s\n' "$have" | grep -qx "$name" || echo "$name"
	done
}

# The same question without dpkg: is the tool there, does the header compile.
missing_files() {
	for tool in gcc make; do
		command -v $tool >/dev/null || echo "$tool"
	done
	for header in openssl/sha.h sqlite3.h libelf.h zstd.h zlib.h seccomp.h ffi.h; do
		echo "#include <$header>" | cc -E - >/dev/null 2>&1 || echo "$header"
	done
	case $set_name in
	test) echo '#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>' | cc -E - >/dev/null 2>&1 || echo cmocka.h ;;
	lint)
		for tool in clang-format clang-tidy cppcheck; do
			command -v $tool >/dev/null || echo "$tool"
		done
		;;
	esac
}

install_packages() {
	say "make $set_name needs these Debian packages, which are missing:"
	for name in $1; do
		why=$(printf '%s\n' "$list" | sed -n "s/^$name|//p")
		printf '  %-18s %s\n' "$name" "$why" >&2
	done
	sudo=
	if [ "$(id -u)" != 0 ]; then
		command -v sudo >/dev/null || die "neither root nor sudo here: as root run
  apt-get update && apt-get install -y --no-install-recommends $(echo $1)"
		sudo=sudo
		if ! [ -t 0 ] && ! sudo -n true 2>/dev/null; then
			die "sudo asks for a password and there is no terminal: as root run
  apt-get update && apt-get install -y --no-install-recommends $(echo $1)"
		fi
	fi
	say "installing them with ${sudo:+sudo }apt-get"
	apt="$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0"
	log=build/.deps-log
	# shellcheck disable=SC2086
	if ! $apt install -y --no-install-recommends $1 >$log 2>&1; then
		# Old or absent package lists are the usual reason: fetch them once.
		$apt update >$log 2>&1 || true
		if ! $apt install -y --no-install-recommends $1 >>$log 2>&1; then
			grep -E '^(E|W|Err)' $log | tail -n 12 >&2 || true
			die "apt-get could not install them (above; all of it in $log). No network or no package mirror? Then install by hand:
  $(echo $1)"
		fi
	fi
	left=$(missing_packages)
	[ -z "$left" ] || die "still missing after apt-get: $(echo $left)"
}

# ptxas checks our PTX. A CUDA toolkit has it; else the vendor's wheel on PyPI (36 MB) goes into build/ptxas-venv.
PTXAS_WHEEL=nvidia-cuda-nvcc-cu12==12.9.86
venv=build/ptxas-venv
find_ptxas() {
	for p in "$(command -v ptxas || true)" /usr/local/cuda/bin/ptxas $venv/ptxas; do
		if [ -n "$p" ] && [ -x "$p" ]; then
			echo "$p"
			return
		fi
	done
}
install_ptxas() {
	[ -z "$(find_ptxas)" ] || return 0
	say "make lint needs ptxas, which is not in PATH nor in /usr/local/cuda/bin: pip installs $PTXAS_WHEEL into $venv"
	rm -rf $venv
	python3 -m venv $venv >build/.deps-log 2>&1 &&
		$venv/bin/pip install -q --no-deps --disable-pip-version-check $PTXAS_WHEEL >>build/.deps-log 2>&1 || {
		tail -n 5 build/.deps-log >&2
		rm -rf $venv
		die "pip could not install $PTXAS_WHEEL: install a CUDA toolkit or put ptxas into PATH"
	}
	p=$(find $venv -name ptxas -type f | head -n 1)
	[ -n "$p" ] || die "$PTXAS_WHEEL holds no ptxas"
	chmod +x "$p"
	ln -s "$(realpath "$p")" $venv/ptxas
}

# What the tests of the MCP server and of the skills are held against; without it they are skipped.
MCP_WHEELS='mcp==2.3.0 skills-ref==0.1.1'
install_mcp() {
	[ ! -x build/mcp-venv/bin/python ] || return 0
	say "tests of the MCP server use $MCP_WHEELS: pip installs them into build/mcp-venv"
	rm -rf build/mcp-venv.new
	# shellcheck disable=SC2086
	python3 -m venv build/mcp-venv.new >build/.deps-log 2>&1 &&
		build/mcp-venv.new/bin/pip install -q --disable-pip-version-check $MCP_WHEELS >>build/.deps-log 2>&1 || {
		tail -n 5 build/.deps-log >&2
		rm -rf build/mcp-venv.new
		die "pip could not install $MCP_WHEELS: the tests that need them are skipped"
	}
	mv build/mcp-venv.new build/mcp-venv
}

if [ -f "$stamp" ] && [ "$(key)" = "$(cat "$stamp")" ]; then
	[ "$set_name" = lint ] && install_ptxas
	[ "$set_name" = mcp ] && install_mcp
	exit 0
fi
mkdir -p build
if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then
	missing=$(missing_packages)
	[ -z "$missing" ] || install_packages "$missing"
else
	missing=$(missing_files)
	[ -z "$missing" ] || die "no apt-get here. Missing: $(echo $missing). With the distribution's own tool, install what gives these (static libraries too); on Debian the packages are
  $(printf '%s\n' "$list" | cut -d'|' -f1 | tr '\n' ' ')"
fi
[ "$set_name" != lint ] || install_ptxas
[ "$set_name" != mcp ] || install_mcp
key >"$stamp"
