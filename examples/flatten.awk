# JSON to lines "path<TAB>value", path with dots: kernel.median_ms<TAB>3.25. For documents as assay writes them; strings lose
# their quotes, \n and \t become blanks, \uXXXX stays. usage: awk -f flatten.awk FILE
{
	text = text $0 "\n"
}
function skip()
{
	while (substr(text, at, 1) ~ /[ \t\r\n]/)
		at++
}
function string(	out, c)
{
	at++
	out = ""
	while ((c = substr(text, at, 1)) != "\"") {
		if (c == "")
			fail()
		if (c == "\\") {
			at++
			c = substr(text, at, 1)
			if (c ~ /[nrtbf]/)
				c = " "
			else if (c == "u")
				c = "\\u"
		}
		out = out c
		at++
	}
	at++
	return out
}
function fail()
{
	print "flatten.awk: not JSON at byte " at > "/dev/stderr"
	failed = 1
	exit 1
}
function join(path, key)
{
	return path == "" ? key : path "." key
}
function value(path,	c, key, n, rest)
{
	skip()
	c = substr(text, at, 1)
	if (c == "{" || c == "[") {
		at++
		skip()
		for (n = 0; substr(text, at, 1) !~ /[}\]]/; n++) {
			key = n
			if (c == "{") {
				if (substr(text, at, 1) != "\"")
					fail()
				key = string()
				skip()
				if (substr(text, at, 1) != ":")
					fail()
				at++
			}
			value(join(path, key))
			skip()
			if (substr(text, at, 1) == ",")
				at++
			else if (substr(text, at, 1) !~ /[}\]]/)
				fail()
			skip()
		}
		at++
	} else if (c == "\"") {
		print path "\t" string()
	} else {
		rest = substr(text, at, 64)
		if (!match(rest, /^[-+0-9.a-zA-Z]+/))
			fail()
		print path "\t" substr(rest, 1, RLENGTH)
		at += RLENGTH
	}
}
END {
	if (!failed) {
		at = 1
		value("")
	}
}
