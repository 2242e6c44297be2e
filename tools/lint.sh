#!/bin/sh
# All static checks. Files that passed are remembered in build/lint/ by content, so a second run costs seconds.
# usage: tools/lint.sh [fast]   (fast: format, rooms, limits, words only)
# Ends with "lint: ok" or with the list of what failed.
set -u
cd "$(dirname "$0")/.."
mkdir -p build/lint
failed=
out=build/lint/output

# step NAME COMMAND...: runs it, prints its output only when it fails.
step() {
	name=$1
	shift
	if "$@" >$out 2>&1; then
		printf 'lint: %-8s ok\n' "$name" >&2
	else
		cat $out
		printf 'lint: %-8s FAILED\n' "$name" >&2
		failed="$failed $name"
	fi
}

sources=$(find src -name '*.c' | LC_ALL=C sort)
headers=$(find src tests -name '*.h' -not -path '*/data/*' -not -path 'tests/fake/include/*' -not -path '*/corpus/*' | LC_ALL=C sort)
tests=$(find tests -name '*.c' -not -path '*/data/*' -not -path '*/corpus/*' | LC_ALL=C sort)
flags='-std=c17 -Isrc -Itests -D_GNU_SOURCE -DASSAY_BUILD="lint"'

tidy() {
	# shellcheck disable=SC2086
	tools/each.py tidy --config .clang-tidy --only error: --each clang-tidy-14 --quiet {} -- $flags --files $sources
}

# The other compiler, with the warnings of the Makefile.
other() {
	warn=$(make --no-print-directory -s show-warn)
	# shellcheck disable=SC2086
	tools/each.py clang --only error: --each clang-14 $flags $warn -ffp-contract=off -fsyntax-only {} --files $sources
}

# Unused functions are doors that a later room opens; unknown macros are X-tables.
check_cpp() {
	# shellcheck disable=SC2086
	tools/each.py cppcheck --config tools/cppcheck.suppress --each cppcheck --quiet --std=c11 --language=c \
		--enable=warning,performance,portability --inline-suppr --suppressions-list=tools/cppcheck.suppress \
		--error-exitcode=1 -Isrc -Itests -D_GNU_SOURCE {} --files $sources
}

alone() {
	# shellcheck disable=SC2086
	tools/each.py alone --each gcc $flags -Wall -Wextra -Werror -fsyntax-only -x c {} --files $headers
}

# Each PTX file is assembled for every architecture that the tool knows and that is not older than its .target.
ptx() {
	found=
	for ptxas in "$(command -v ptxas)" /usr/local/cuda/bin/ptxas build/ptxas-venv/ptxas; do
		if [ -z "$ptxas" ] || ! [ -x "$ptxas" ] || [ "$(realpath "$ptxas")" = "$found" ]; then
			continue
		fi
		found=$(realpath "$ptxas")
		archs=$("$found" --help | grep -o "'sm_[0-9]*[af]*'" | tr -d "'" | sort -u)
		for file in src/*/*.ptx; do
			[ -e "$file" ] || continue
			target=$(sed -n 's/^[ \t]*\.target[ \t]*sm_\([0-9]*\).*/\1/p' "$file" | head -n 1)
			for arch in $archs; do
				number=${arch#sm_}
				number=${number%[af]}
				[ "$number" -ge "${target:-0}" ] || continue
				tools/each.py "ptx-$(basename "$file" .ptx)-$arch" --each "$found" -arch="$arch" -o /dev/null {} --files "$file" || return 1
			done
		done
	done
	[ -n "$found" ] || {
		echo "no ptxas: tools/deps.sh lint"
		return 1
	}
}

# The release binary starts on Ubuntu 22.04 (glibc 2.35) and on anything with glibc 2.34.
glibc() {
	make --no-print-directory -j"$(nproc)" BUILD=release all || return 1
	high=$(objdump -T build/release/assay | grep -o 'GLIBC_[0-9.]*' | sort -uV | awk -F'[_.]' '$2 > 2 || $3 > 34')
	[ -z "$high" ] || {
		echo "build/release/assay needs symbols above GLIBC_2.34:"
		for version in $high; do
			objdump -T build/release/assay | grep "$version"
		done
		return 1
	}
	foreign=$(readelf -d build/release/assay | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
		grep -vxE 'libc\.so\.6|libm\.so\.6|ld-linux.*|libdl\.so\.2|libpthread\.so\.0|libgcc_s\.so\.1')
	[ -z "$foreign" ] || {
		echo "build/release/assay needs shared libraries that a bare system may lack: $foreign"
		return 1
	}
}

shells() {
	for f in tools/*.sh .ci/run examples/*/*.sh; do
		[ -e "$f" ] || continue
		sh -n "$f" || return 1
	done
}

# shellcheck disable=SC2086
step format clang-format-14 --dry-run -Werror $sources $headers $tests
step rooms tools/rooms.sh
step limits tools/limits.py
step words tools/words.py
step shells shells
if [ "${1:-}" != fast ]; then
	step alone alone
	step clang other
	step tidy tidy
	step cppcheck check_cpp
	step ptx ptx
	step glibc glibc
fi
if [ -n "$failed" ]; then
	echo "lint: failed:$failed"
	exit 1
fi
echo "lint: ok"
