# tools/deps.sh: what it says and does with packages missing, without a way to install, and when all is there. dpkg-query,
# apt-get and id are stubs here; nothing is installed.

## a system where gcc and libffi-dev are missing
$ mkdir -p tools stub; cp $ROOT/tools/deps.sh tools/
+ stub() { (echo '#!/bin/sh'; cat) > stub/$1; chmod +x stub/$1; }
+ stub dpkg-query <<'END'
+ shift 3
+ for p; do [ -e have-$p ] || [ $p != gcc -a $p != libffi-dev ] && echo "$p ii "; done; true
+ END
+ stub apt-get <<'END'
+ echo "apt-get $*" >> calls
+ case "$*" in *install*) [ ! -e broken ] || { echo 'E: no mirror'; exit 100; }; touch have-gcc have-libffi-dev ;; esac
+ END
+ stub id <<'END'
+ cat uid
+ END
$ echo 0 > uid; PATH=$PWD/stub:$PATH tools/deps.sh build; cat calls
> apt-get -q -o Dpkg::Use-Pty=0 install -y --no-install-recommends gcc libffi-dev
! deps: make build needs these Debian packages, which are missing:
!   gcc                C compiler, also used for .c kernels
!   libffi-dev         calls with a signature known at run time (linked statically)
! deps: installing them with apt-get

## nothing is missing: no word, and no package tool is asked twice
$ rm calls; PATH=$PWD/stub:$PATH tools/deps.sh build; ls calls
! ls: cannot access 'calls': No such file or directory
= 2
$ mv stub/dpkg-query stub/off; PATH=$PWD/stub:$PATH tools/deps.sh build; mv stub/off stub/dpkg-query
!

## neither root nor sudo
$ rm -rf have-* build; echo 1000 > uid; mkdir only; for t in sh dirname cut tr sed grep stat printf cat mkdir echo env; do ln -s $(command -v $t) only/$t; done
$ PATH=$PWD/stub:$PWD/only tools/deps.sh build; ls calls
! deps: make build needs these Debian packages, which are missing:
!   gcc                C compiler, also used for .c kernels
!   libffi-dev         calls with a signature known at run time (linked statically)
! deps: neither root nor sudo here: as root run
!   apt-get update && apt-get install -y --no-install-recommends gcc libffi-dev
! ls: cannot access 'calls': No such file or directory
= 2
$ PATH=$PWD/stub:$PWD/only tools/deps.sh build 2>/dev/null
= 3

## no mirror: the package lists are fetched once, then it says so
$ echo 0 > uid; touch broken; PATH=$PWD/stub:$PATH tools/deps.sh build
! deps: make build needs these Debian packages, which are missing:
!   gcc                C compiler, also used for .c kernels
!   libffi-dev         calls with a signature known at run time (linked statically)
! deps: installing them with apt-get
! E: no mirror
! deps: apt-get could not install them (above; all of it in build/.deps-log). No network or no package mirror? Then install by hand:
!   gcc libffi-dev
= 3
$ sed 's/.*Pty=0 //' calls
> install -y --no-install-recommends gcc libffi-dev
> update
> install -y --no-install-recommends gcc libffi-dev

## usage
$ tools/deps.sh nosuch
! usage: tools/deps.sh build|test|lint|web|torch|mcp
= 2
