# tools/limits.py, tools/rooms.sh and tools/words.py find what they are for, and nothing in a clean tree.

## a clean file passes
$ mkdir -p src/base src/stats tests/unit tools
$ printf 'base 0:\nstats 1: base\n' > src/ROOMS
$ head='/* One.
+  * In: nothing. Out: nothing.
+  * Of no use.
+  * Never: more. */'
+ printf '%s\n#include "base/a.h"\n\n#include <stdio.h>\n\nint a_get(int n)\n{\n\treturn n;\n}\n' "$head" > src/base/a.c
+ printf '/* A. */\n#ifndef A\n#define A\nint a_get(int n);\n#endif\n' > src/base/a.h
+ printf '%s\n#include "base/a.h"\n' "$head" > src/stats/s.c
$ $ROOT/tools/limits.py .; $ROOT/tools/rooms.sh .; $ROOT/tools/words.py .

## head comment
$ sed 1,1d src/base/a.c > src/base/b.c; $ROOT/tools/limits.py .; rm src/base/b.c
> src/base/b.c:1: head comment has 0 lines; it has 4: what it does, in, out, never
$ sed 's/Never: more/More/' src/base/a.c > src/base/b.c; $ROOT/tools/limits.py .; rm src/base/b.c
> src/base/b.c:1: head comment does not say "Never"

## lines of a file, and the table that may be longer
$ (cat src/base/a.c; yes '' | head -600) > src/base/b.c; $ROOT/tools/limits.py .
> src/base/b.c:1: 612 lines, limit 600 (a table says so: /* table: what it is */)
= 1
$ (head -4 src/base/a.c; echo '/* table: nothing but blank lines */'; sed 1,4d src/base/b.c) > b; mv b src/base/b.c; $ROOT/tools/limits.py .
$ rm src/base/b.c; (cat src/base/a.h; yes '' | head -150) > src/base/b.h; $ROOT/tools/limits.py . | grep b.h; rm src/base/b.*
> src/base/b.h:1: 155 lines, limit 150 (a table says so: /* table: what it is */)

## functions: lines, nesting, parameters, bools
$ (cat src/base/a.c; echo 'void b_long(void)'; echo '{'; yes '	x();' | head -60; echo '}') > src/base/b.c
+ (cat src/base/a.c; printf 'static void b_deep(int n)\n{\n\tif (n) {\n\t\tfor (;;) {\n\t\t\twhile (n) {\n\t\t\t\tswitch (n) {\n\t\t\t\tdefault: {\n\t\t\t\t}\n\t\t\t\t}\n\t\t\t}\n\t\t}\n\t}\n}\n') > src/base/c.c
+ (cat src/base/a.c; printf 'int b_many(int a, int b, int c,\n\tint d, int e, int f, int g)\n{\n\tstruct s s = {{{{{{1}}}}}};\n\treturn 0;\n}\nint (*b_fine)(int a, int b, int c, int d, int e, int f, int g);\n') > src/base/d.c
+ (cat src/base/a.c; printf 'void b_bools(int a, bool b, bool c);\nvoid b_out(bool *a, bool *b);\nvoid b_apart(bool a, int b, bool c);\n') > src/base/e.c
$ $ROOT/tools/limits.py .; rm src/base/[bcde].c
> src/base/b.c:13: b_long has 63 lines, limit 60
> src/base/c.c:19: b_deep nests 5 deep, limit 4
> src/base/d.c:13: b_many has 7 parameters, limit 6
> src/base/e.c:13: b_bools takes two bools side by side: use flags or an options struct
= 0

## a function that is a table may be longer
$ (cat src/base/a.c; echo 'void b_long(void)'; echo '{'; echo '	/* table: calls */'; yes '	x();' | head -60; echo '}') > src/base/b.c; $ROOT/tools/limits.py .; rm src/base/b.c

## marks, in code and in scripts
$ echo "/* TO""DO */" > src/base/x.h; echo "# FIX""ME" > tools/x.sh; $ROOT/tools/limits.py . | sed "s/TO""DO/MARK/; s/FIX""ME/MARK/"; rm src/base/x.h tools/x.sh
> src/base/x.h:1: MARK left behind
> tools/x.sh:1: MARK left behind

## what a file sees
$ (cat src/base/a.h; echo '/* table: long */'; yes '' | head -1600) > src/base/b.h
+ (sed -n 1,4p src/base/a.c; echo '#include "base/b.h"') > src/stats/t.c; $ROOT/tools/limits.py .; rm src/base/b.h src/stats/t.c
> src/stats/t.c:1: sees 1606 lines of own headers, limit 1500

## order of includes
$ (sed -n 1,4p src/base/a.c; printf '#include "base/a.h"\n#include <stdio.h>\n') > src/stats/t.c; $ROOT/tools/limits.py .; rm src/stats/t.c
> src/stats/t.c:6: include of stdio.h out of order: own header, system, base, other rooms

## rooms
$ echo '#include "stats/s.h"' > src/base/x.c; echo '#include "a.h"' > src/base/y.c; echo '#include <base/a.h>' > src/base/z.c; mkdir src/cellar; touch src/cellar/x.c
$ $ROOT/tools/rooms.sh .
> src/base/x.c:1: base may not include stats ("stats/s.h"); it may include: 
> src/base/y.c:1: include "a.h" is not written from src/
> src/base/z.c:1: own headers are included in quotes: #include <base/a.h>
> src/cellar/x.c: cellar is not in src/ROOMS
= 1
$ printf 'base 0: stats\nstats 1: base\n' > src/ROOMS; rm -r src/cellar src/base/[xyz].c; $ROOT/tools/rooms.sh .
> src/ROOMS: base (floor 0) may not include stats (floor 1): calls go down
= 1

## directions in texts
$ printf 'const char *a = "you should tile"; // should\nconst char *b = "Next steps: suggested";\n' > src/base/x.c; $ROOT/tools/words.py .
> src/base/x.c:1: "should" in a text of the program: you should tile
> src/base/x.c:2: "Next steps" in a text of the program: Next steps: suggested
> src/base/x.c:2: "suggested" in a text of the program: Next steps: suggested
= 1
