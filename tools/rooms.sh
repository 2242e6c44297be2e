#!/bin/sh
# Fails on any include in src/ from a room that may not (src/ROOMS), and on a ROOMS that has a call go up or sideways.
# usage: tools/rooms.sh [ROOT]   (ROOT: where src/ is; the repository by default)
set -eu
cd "${1:-$(dirname "$0")/..}"
find src -name '*.[chS]' -o -name '*.def' | LC_ALL=C sort | awk '
function complain(text)
{
	print text
	bad = 1
}
# src/ROOMS: "room floor: rooms it may include"
function read_rooms(	line, head, n, may, i)
{
	while ((getline line < "src/ROOMS") > 0) {
		if (line ~ /^#/ || line ~ /^[ \t]*$/)
			continue
		if (line !~ /^[a-z]+ [0-9]+:/) {
			complain("src/ROOMS: not \"room floor: rooms\": " line)
			continue
		}
		split(line, head, /[ :]+/)
		floor[head[1]] = head[2]
		sub(/^[^:]*:[ \t]*/, "", line)
		allowed[head[1]] = line
	}
	for (room in allowed) {
		n = split(allowed[room], may, /[ \t]+/)
		for (i = 1; i <= n; i++) {
			if (!(may[i] in floor))
				complain("src/ROOMS: " room " may include " may[i] ", which is no room")
			else if (floor[may[i]] + 0 >= floor[room] + 0)
				complain("src/ROOMS: " room " (floor " floor[room] ") may not include " may[i] " (floor " floor[may[i]] "): calls go down")
			ok[room, may[i]] = 1
		}
		ok[room, room] = 1
	}
}
BEGIN {
	read_rooms()
}
{
	file = $0
	split(file, part, "/")
	room = part[2]
	if (!(room in floor)) {
		complain(file ": " room " is not in src/ROOMS")
		next
	}
	n_line = 0
	while ((getline line < file) > 0) {
		n_line++
		if (line ~ /^[ \t]*#[ \t]*include[ \t]*</) {
			name = line
			sub(/^[^<]*</, "", name)
			sub(/\/.*$/, "", name)
			if (name in floor)
				complain(file ":" n_line ": own headers are included in quotes: " line)
			continue
		}
		if (line !~ /^[ \t]*#[ \t]*include[ \t]*"/)
			continue
		name = line
		sub(/^[^"]*"/, "", name)
		sub(/".*$/, "", name)
		place = file ":" n_line ": "
		if (name !~ /\// || name ~ /\.\./) {
			complain(place "include \"" name "\" is not written from src/")
			continue
		}
		split(name, inc, "/")
		if (!(inc[1] in floor))
			complain(place "include \"" name "\": " inc[1] " is not in src/ROOMS")
		else if (!((room, inc[1]) in ok))
			complain(place room " may not include " inc[1] " (\"" name "\"); it may include: " allowed[room])
	}
	close(file)
}
END {
	exit bad
}'
