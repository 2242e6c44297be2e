#!/bin/sh
# Prints an assembler file that holds the files of skills/ (links followed) as one table: path below skills/, bytes, length.
# usage: tools/documents.sh > documents.S
set -eu
cd "$(dirname "$0")/.."
files=$(find -L skills -type f -not -name '*.pyc' | LC_ALL=C sort)
printf '\t.section .rodata\n'
i=0
for f in $files; do
	printf '.Lpath%d:\t.asciz "%s"\n.Ltext%d:\n\t.incbin "%s"\n.Lend%d:\n\t.byte 0\n' $i "${f#skills/}" $i "$f" $i
	i=$((i + 1))
done
printf '\t.section .data.rel.ro, "aw"\n\t.balign 8\n\t.global knowledge_documents\nknowledge_documents:\n'
n=$i
i=0
while [ $i -lt $n ]; do
	printf '\t.quad .Lpath%d, .Ltext%d, .Lend%d - .Ltext%d\n' $i $i $i $i
	i=$((i + 1))
done
printf '\t.quad 0, 0, 0\n\t.section .note.GNU-stack, "", @progbits\n'
