# Packages: a Debian package, a tarball, an installed tree; unpacked, the program in them runs.
needs: command -v git && git -C $ROOT rev-parse HEAD
masks: VERSION COMMIT NUM
timeout: 240

## the package holds the program, a page a verb, completions, copyright, changelog; unpacked, it runs
? command -v dpkg-deb
$ $ROOT/tools/package.sh deb $PWD/out > name; file=$(cat name); dpkg-deb -f $file Package Depends; dpkg-deb -c $file | awk '{ print $1, $2, $6 }' | grep -v '/man1/assay-\|/$'; dpkg-deb -x $file x; [ $(ls x/usr/share/man/man1 | wc -l) = $(($(assay --help | grep -c '^  [a-z]') + 1)) ] && echo a page a verb and one for all
+ x/usr/bin/assay --version; x/usr/bin/assay doctor --json | grep -c '"format": "assay/preflight'; (cd x; dpkg-deb -e $file ../control; md5sum --quiet -c ../control/md5sums) && echo sums hold
> Package: assay
> Depends: libc6 (>= <NUM>)
> -rwxr-xr-x root/root ./usr/bin/assay
> -rw-r--r-- root/root ./usr/share/bash-completion/completions/assay
> -rw-r--r-- root/root ./usr/share/doc/assay/README.md.gz
> -rw-r--r-- root/root ./usr/share/doc/assay/changelog.gz
> -rw-r--r-- root/root ./usr/share/doc/assay/copyright
> -rw-r--r-- root/root ./usr/share/fish/vendor_completions.d/assay.fish
> -rw-r--r-- root/root ./usr/share/lintian/overrides/assay
> -rw-r--r-- root/root ./usr/share/man/man1/assay.1.gz
> -rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_assay
> a page a verb and one for all
> assay <VERSION> (<COMMIT>)
> 1
> sums hold

## the same source makes the same bytes; what lintian says of it, where it is installed
? command -v dpkg-deb
$ $ROOT/tools/package.sh deb $PWD/again > again.name; cmp $(cat name) $(cat again.name) && echo same; command -v lintian >/dev/null || exit 0; DEBEMAIL=assay@debian.org $ROOT/tools/package.sh deb $PWD/named > named.name; lintian --allow-root $(cat named.name) 2>&1 | grep '^[EW]:'; true
> same

## the tarball: its sum holds, the program in it runs without the rest
$ $ROOT/tools/package.sh dist $PWD/out > name; cd out; sha256sum --quiet -c *.tar.gz.sha256 && tar xf $(basename $(cat ../name)) && cd assay-*-linux-* && find . -maxdepth 3 -not -path './skills/*' | LC_ALL=C sort; mkdir ../../elsewhere; cp bin/assay ../../elsewhere; cd ../../elsewhere; env -i HOME=$PWD PATH=/usr/bin:/bin ./assay --version; env -i HOME=$PWD PATH=/usr/bin:/bin ./assay bench $ROOT/tests/data/loop/loop_v0.c --op-file=$ROOT/tests/data/loop/loop.op.json --repeat=3 --wait=100 2>/dev/null | grep -c '^cold'
> .
> ./bin
> ./bin/assay
> ./share
> ./share/bash-completion
> ./share/bash-completion/completions
> ./share/doc
> ./share/doc/assay
> ./share/fish
> ./share/fish/vendor_completions.d
> ./share/man
> ./share/man/man1
> ./share/zsh
> ./share/zsh/site-functions
> ./skills
> assay <VERSION> (<COMMIT>)
> 1

## the place of make install under both names that people give it
$ for p in PREFIX=/opt/x prefix=/opt/y 'PREFIX=/opt/x prefix=/opt/y' x=; do make -s --no-print-directory -n -C $ROOT install DESTDIR=/d $p | grep -o "tree '/d' '.*'"; done
> tree '/d' '/opt/x'
> tree '/d' '/opt/y'
> tree '/d' '/opt/x'
> tree '/d' '/usr/local'

## an installed tree, as make install makes it; the pages are well-formed
$ $ROOT/tools/package.sh tree $PWD/root /opt/assay; ls root/opt/assay root/opt/assay/share; root/opt/assay/bin/assay --version | cut -d' ' -f1; command -v man >/dev/null && for page in root/opt/assay/share/man/man1/*; do man --warnings -l $page 2>&1 >/dev/null; done; bash -n root/opt/assay/share/bash-completion/completions/assay; ! command -v zsh >/dev/null || zsh -n root/opt/assay/share/zsh/site-functions/_assay
> root/opt/assay:
> bin
> share
> 
> root/opt/assay/share:
> bash-completion
> fish
> man
> zsh
> assay

## wrong calls
$ $ROOT/tools/package.sh; $ROOT/tools/package.sh deb; ASSAY=/nothing $ROOT/tools/package.sh dist out
! usage: tools/package.sh tree DESTDIR PREFIX | deb DIR | dist DIR
! usage: tools/package.sh tree DESTDIR PREFIX | deb DIR | dist DIR
! package: /nothing is not there: make BUILD=release
= 3
