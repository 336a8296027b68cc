# SPDX-License-Identifier: Apache-2.0
# Makes C of what the doctor knows: awk -f table.awk known/*.txt >table.c. The build calls it; CONTRIBUTING.md says how a row is written.
# It names file and line of each mistake, and then fails. No gawk is needed: mawk and busybox do.

function bad(what) {
	printf "%s:%d: %s\n", from_file, from_line, what >"/dev/stderr"
	mistakes++
}

# text as a string of C; the replacements of gsub would be another in each awk.
function c(text,   at, char, out) {
	for (at = 1; at <= length(text); at++) {
		char = substr(text, at, 1)
		out = out (char == "\\" || char == "\"" ? "\\" : "") char
	}
	return "\"" out "\""
}

function trim(text) {
	sub(/^ +/, "", text)
	sub(/ +$/, "", text)
	return text
}

# Takes the "quoted" strings that rest begins with into quoted[1] to quoted[n]; returns n.
function take_quoted(   n, text, at) {
	n = 0
	rest = trim(rest)
	while (substr(rest, 1, 1) == "\"") {
		text = ""
		for (at = 2; at <= length(rest) && substr(rest, at, 1) != "\""; at++) {
			if (substr(rest, at, 1) == "\\")
				at++
			text = text substr(rest, at, 1)
		}
		if (at > length(rest))
			bad("a quotation without its end")
		quoted[++n] = text
		if (text != tolower(text))
			bad("\"" text "\": lines are compared in lower case")
		rest = trim(substr(rest, at + 1))
	}
	return n
}

# {"a", "b"}, of which one must be long enough to be looked for
function parts(n,   i, text, longest) {
	longest = 0
	if (n < 1 || n > 3)
		bad("a line has one to three parts")
	for (i = 1; i <= n; i++) {
		text = text (i > 1 ? ", " : "") c(quoted[i])
		if (length(quoted[i]) > longest)
			longest = length(quoted[i])
	}
	if (longest < 4)
		bad("the longest part of a line has at least four characters")
	return "{" text "}"
}

# "a" "b" not "c" or "d" from SOURCE, which is for the reader alone
function key_line(   text) {
	do {
		text = ".part = " parts(take_quoted())
		if (sub(/^not /, "", rest)) {
			if (take_quoted() != 1)
				bad("behind not stands one quotation")
			text = text ", .unless = " c(quoted[1])
		}
		lines = lines "\t{" text "},\n"
	} while (sub(/^or /, "", rest))
	if (rest != "" && rest !~ /^from /)
		bad("no \"quotation\", not, or, from: " rest)
}

function key_completion(   field) {
	if (split(rest, field, " ") != 2 || field[1] !~ /^[0-9]+$/ || field[2] !~ /^([0-9]+|any)$/)
		bad("a completion is a status and the vendor's error, or any")
	completions = completions "\t{" field[1] ", " (field[2] == "any" ? "ANY" : field[2]) "},\n"
}

# Functions, then the errnos that each of them may fail with
function key_call(   field, n, i, j) {
	n = split(rest, field, " ")
	for (j = n; j > 0 && field[j] ~ /^(any|none|E[A-Z]+)$/; j--)
		for (i = 1; i <= n && field[i] ~ /^[a-z_0-9]+$/ && field[i] !~ /^(any|none)$/; i++)
			calls = calls "\t{" c(field[i]) ", " (field[j] ~ /^E/ ? field[j] : toupper(field[j])) "},\n"
	if (j == n || j == 0 || i != j + 1)
		bad("a call is functions, then errnos, any or none")
}

# "port, gid!": ids of findings
function key_check(   field, n, i) {
	n = split(rest, field, / *, */)
	for (i = 1; i <= n; i++)
		checks = checks "\t{" (sub(/!$/, "", field[i]) ? c(field[i]) ", true" : c(field[i]) ", false") "},\n"
}

# What the key of the line before, with its continuations, says
function end_key() {
	rest = trim(value)
	if (key == "")
		return
	if (rest == "")
		bad(key ": is empty")
	if (key ~ /^(cause|fix|look)$/)
		texts[key] = rest
	else if (key == "check")
		key_check()
	else if (key == "line")
		key_line()
	else if (key == "completion")
		key_completion()
	else if (key == "call")
		key_call()
	else
		bad("a row has no " key ":")
	key = value = ""
}

# A list of the row; what is empty is none, so that no loop asks for NULL.
function list(type, body, of, last) {
	if (body == "")
		return "no_" of
	defs = defs "static const struct " type " " of "_" n_rows "[] = {\n" body "\t" last ",\n};\n"
	return of "_" n_rows
}

function end_row() {
	end_key()
	if (name == "")
		return
	if (!("cause" in texts) || !("fix" in texts))
		bad(name ": has no cause or no fix")
	rows = rows "\t{\n\t\t.name = " c(name) ",\n\t\t.kind = " kind ",\n\t\t.sureness = " sureness ",\n\t\t" flags "\n"
	rows = rows "\t\t.cause = " c(texts["cause"]) ",\n\t\t.fix = " c(texts["fix"]) ",\n"
	rows = rows "\t\t.look = " c(texts["look"]) ",\n"
	rows = rows "\t\t.checks = " list("check_id", checks, "checks", "{NULL, false}") ",\n"
	rows = rows "\t\t.messages = " list("message", lines, "messages", "{.unless = NULL}") ",\n"
	rows = rows "\t\t.completions = " list("completion", completions, "completions", "{0, 0}") ",\n"
	rows = rows "\t\t.calls = " list("call", calls, "calls", "{NULL, 0}") ",\n\t},\n"
	checks = lines = completions = calls = name = ""
	split("", texts)
}

# "cause NAME: may be, last", "note NAME: sure", "gate NAME: sure"
function begin_row(   head, n, field, i) {
	end_row()
	from_file = FILENAME
	from_line = FNR
	head = $0
	kind = $1 == "cause" ? "KNOWN_CAUSE" : $1 == "note" ? "KNOWN_NOTE" : $1 == "gate" ? "KNOWN_GATE" : ""
	sub(/^[a-z]+ +/, "", head)
	name = head
	sub(/:.*/, "", name)
	sub(/^[a-z0-9_]+: */, "", head)
	n = split(head, field, / *, */)
	sureness = field[1] == "sure" ? "SURE" : field[1] == "likely" ? "LIKELY" : field[1] == "may be" ? "MAYBE" : ""
	flags = ""
	for (i = 2; i <= n; i++)
		flags = flags (field[i] ~ /^(last|wanted|apart)$/ ? "." field[i] " = true, " : "?")
	if (kind == "" || name !~ /^[a-z0-9_]+$/ || sureness == "" || index(flags, "?"))
		bad("a row begins with cause, note or gate, a name, and sure, likely or may be; then perhaps last, wanted, apart")
	if (name in names)
		bad(name " is there twice")
	names[name] = 1
	n_rows++
}

/^#/ || /^[ \t]*$/ { next }
/\t/ || / $/ { from_file = FILENAME; from_line = FNR; bad("a tab, or a blank at the line's end") }
/^    / { value = value " " trim($0); next }
/^  [a-z]+:/ {
	end_key()
	from_file = FILENAME
	from_line = FNR
	key = trim($0)
	value = key
	sub(/:.*/, "", key)
	sub(/^[a-z]+:/, "", value)
	next
}
{ begin_row() }

END {
	end_row()
	if (mistakes)
		exit 1
	print "/* Made of doctor/symptom/known by doctor/symptom/table.awk */"
	print "#include \"doctor/symptom/known.h\"\n\n#include <errno.h>\n"
	print "static const struct check_id no_checks[] = {{NULL, false}};"
	print "static const struct message no_messages[] = {{.unless = NULL}};"
	print "static const struct completion no_completions[] = {{0, 0}};"
	print "static const struct call no_calls[] = {{NULL, 0}};"
	printf "%s", defs
	printf "const struct known known_rows[] = {\n%s};\n", rows
	print "const size_t n_known_rows = sizeof(known_rows) / sizeof(*known_rows);"
	print "_Static_assert(sizeof(known_rows) / sizeof(*known_rows) <= KNOWN_MAX, \"a place for each\");"
}
