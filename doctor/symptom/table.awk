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

function number_of(text) {
	if (text !~ /^[0-9]+$/)
		bad("\"" text "\" is no number")
	return text
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

function key_line(   text, unless, word) {
	text = parts(take_quoted())
	if (sub(/^in one word/, "", rest))
		word = ", .one_word = true"
	rest = trim(rest)
	if (sub(/^not /, "", rest)) {
		if (take_quoted() != 1)
			bad("behind not stands one quotation")
		unless = ", .unless = " c(quoted[1])
	}
	if (kind == "fact") {
		facts = facts "\t{FACT_" name ", " text "},\n"
		if (rest != "" || word != "" || unless != "")
			bad("a fact's line is quotations alone")
		return
	}
	if (rest != "" && !sub(/^from /, "", rest))
		bad("no \"quotation\", not, in one word or from: " rest)
	lines = lines "\t{" text unless word (rest != "" ? ", .from = " c(rest) : "") "},\n"
}

function key_completion(   field) {
	if (split(rest, field, " ") != 2)
		bad("a completion is a status and the vendor's error, or any")
	completions = completions "\t{" number_of(field[1]) ", " (field[2] == "any" ? "ANY" : number_of(field[2])) "},\n"
}

function key_call(   field) {
	if (split(rest, field, " ") != 2 || field[2] !~ /^(any|none|E[A-Z]+)$/)
		bad("a call is a function and an errno, any or none")
	calls = calls "\t{" c(field[1]) ", " (field[2] ~ /^E/ ? field[2] : toupper(field[2])) "},\n"
}

function key_turn(   n, field, i, needs, lacks, to) {
	n = split(rest, field, " ")
	if (n < 2 || field[n - 1] != "->")
		bad("a turn is facts, -FACT for one that is not there, then -> and the symptom, or none")
	needs = lacks = "0"
	for (i = 1; i < n - 1; i++) {
		to = field[i]
		if (sub(/^-/, "", to))
			lacks = lacks " | FACT_" to
		else
			needs = needs " | FACT_" to
	}
	to = field[n]
	turns = turns "\t{" needs ", " lacks ", " c(to == "none" ? "" : to) "},\n"
	if (to != "none")
		targets[++n_targets] = to
	target_at[n_targets] = from_file ":" from_line
}

# A word has borders: no letter, digit or _ before it, no letter behind it; a * at that end lifts it. An area's have none at their end,
# a severity's none at all.
function word(text,   left, right) {
	left = kind == "severity" || sub(/^\*/, "", text)
	right = kind ~ /^(severity|area)$/ || sub(/\*$/, "", text)
	if (length(text) < 4)
		bad("\"" text "\": a word has at least four characters")
	if (kind != "severity" && index(text, "*"))
		bad("\"" text "\": a * stands only at an end")
	return "{" c(text) ", " (left ? "true" : "false") ", " (right ? "true" : "false") "}"
}

function key_with(   n, i) {
	n = take_quoted()
	for (i = 1; i <= n; i++)
		with = with "\t" c(quoted[i]) ",\n"
}

function key_words(   n, i) {
	n = take_quoted()
	if (rest != "")
		bad("words are quotations: " rest)
	for (i = 1; i <= n; i++)
		words = words "\t" word(quoted[i]) ",\n"
}

# What the key of the line before, with its continuations, says
function end_key() {
	rest = trim(value)
	if (key == "")
		return
	if (rest == "")
		bad(key ": is empty")
	if (kind == "symptom" && key ~ /^(cause|remedy|confirm|from)$/)
		texts[key] = rest
	else if (kind == "symptom" && key == "completion")
		key_completion()
	else if (kind == "symptom" && key == "call")
		key_call()
	else if (kind == "symptom" && key == "turn")
		key_turn()
	else if (kind == "part" && key == "with")
		key_with()
	else if (kind ~ /^(symptom|fact)$/ && key == "line")
		key_line()
	else if (index(texts_of[kind], " " key " "))
		texts[key] = rest
	else if (kind ~ /^(area|part|severity|reason|object)$/ && key == "words")
		key_words()
	else
		bad("a " kind " has no " key ":")
	key = value = ""
}

# A list of the row; what is empty is none, so that no loop asks for NULL.
function list(type, body, of, last) {
	if (body == "")
		return "no_" of
	defs = defs "static const " type " " of "_" n_names "[] = {\n" body "\t" last ",\n};\n"
	return of "_" n_names
}

function end_symptom(   row) {
	if (!("cause" in texts) || !("remedy" in texts))
		bad(name ": has no cause or no remedy")
	row = "\t{\n\t.name = " c(name) ",\n\t.status = " status ",\n\t.sureness = " sureness ",\n\t.alone = " alone ",\n"
	row = row "\t.cause = " c(texts["cause"]) ",\n\t.remedy = " c(texts["remedy"]) ",\n\t.confirm = " c(texts["confirm"]) ",\n"
	if ("from" in texts)
		row = row "\t.from = " c(texts["from"]) ",\n"
	row = row "\t.messages = " list("struct message", lines, "messages", "{.from = NULL}") ",\n"
	row = row "\t.completions = " list("struct completion", completions, "completions", "{0, 0}") ",\n"
	row = row "\t.calls = " list("struct call", calls, "calls", "{NULL, 0}") ",\n"
	row = row "\t.turns = " list("struct turn", turns, "turns", "{0, 0, NULL}") ",\n\t},\n"
	symptoms = symptoms row
}

# All texts that a row of its kind has, in their order
function all_texts(   n, field, i, text) {
	n = split(texts_of[kind], field, " ")
	for (i = 1; i <= n; i++) {
		if (!(field[i] in texts))
			bad(kind " " name ": has no " field[i] ":")
		text = text c(texts[field[i]]) ", "
	}
	return text
}

function end_other() {
	if (words == "" && kind != "because" && name != "any")
		bad(kind " " name ": has no words:")
	if (kind == "because")
		rows[kind] = rows[kind] "\t{" because ", " all_texts() "},\n"
	else
		rows[kind] = rows[kind] "\t{" front() all_texts() list("struct known_word", words, "words", "{NULL, false, false}") "},\n"
}

# What stands before a row's texts
function front() {
	if (kind == "severity")
		return "GRADE_" toupper(name) ", "
	if (kind == "part")
		return list("char *const", with, "with", "NULL") ", "
	return kind == "reason" ? name ", " : kind == "object" ? c(name) ", " : ""
}

function end_row() {
	end_key()
	if (kind == "symptom")
		end_symptom()
	else if (kind in texts_of)
		end_other()
	lines = completions = calls = turns = words = with = kind = ""
	split("", texts)
}

# "symptom NAME: fail, may be, alone"
function begin_symptom(head,   n, field, i) {
	sub(/^[a-z0-9_]+: */, "", head)
	n = split(head, field, / *, */)
	alone = "false"
	status = field[1] == "fail" ? "FINDING_FAIL" : field[1] == "warn" ? "FINDING_WARN" : ""
	sureness = field[2] == "sure" ? "SURE" : field[2] == "likely" ? "LIKELY" : field[2] == "may be" ? "MAYBE" : ""
	if (n == 3 && field[3] == "alone")
		alone = "true"
	if (status == "" || sureness == "" || n > 3 || (n == 3 && alone == "false"))
		bad("behind a symptom's name stand fail or warn, then sure, likely or may be, then perhaps alone")
}

# "because NAME: REASON OBJECT"
function begin_because(head,   field) {
	sub(/^[a-z0-9_]+: */, "", head)
	if (split(head, field, " ") != 2 || (field[1] != "any" && !(("reason", field[1]) in names)) || (field[2] != "any" && !(("object", field[2]) in names)))
		bad("behind because NAME: stand a reason and an object that are there, or any")
	because = (field[1] == "any" ? "ANY" : field[1]) ", " (field[2] == "any" ? "NULL" : c(field[2]))
}

function begin_row(   head) {
	end_row()
	from_file = FILENAME
	from_line = FNR
	head = $0
	kind = $1
	sub(/^[a-z]+ +/, "", head)
	name = head
	sub(/:.*/, "", name)
	if ((kind !~ /^(symptom|fact)$/ && !(kind in texts_of)) || name !~ /^[A-Za-z0-9_]+$/) {
		bad("a row begins with symptom, fact, area, part, severity, reason, object or because, and a name")
		kind = "row"
		return
	}
	if (kind != "fact" && (kind, name) in names)
		bad(kind " " name " is there twice")
	names[kind, name] = 1
	n_names++
	if (kind == "symptom")
		begin_symptom(head)
	else if (kind == "because")
		begin_because(head)
}

BEGIN {
	texts_of["area"] = " step "
	texts_of["part"] = " what does breaks step "
	texts_of["because"] = " cause step "
	texts_of["severity"] = texts_of["reason"] = texts_of["object"] = " "
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
	for (i = 1; i <= n_targets; i++) {
		if (!(("symptom", targets[i]) in names)) {
			printf "%s: there is no symptom %s\n", target_at[i], targets[i] >"/dev/stderr"
			mistakes++
		}
	}
	if (mistakes)
		exit 1
	print "/* Made of doctor/symptom/known by doctor/symptom/table.awk */"
	print "#include \"doctor/symptom/known.h\"\n\n#include <errno.h>\n"
	print "static const struct message no_messages[] = {{.from = NULL}};"
	print "static const struct completion no_completions[] = {{0, 0}};"
	print "static const struct call no_calls[] = {{NULL, 0}};"
	print "static const struct turn no_turns[] = {{0, 0, NULL}};"
	print "static const char *const no_with[] = {NULL};"
	print "static const struct known_word no_words[] = {{NULL, false, false}};"
	printf "%s", defs
	printf "const struct known known_rows[] = {\n%s};\n", symptoms
	print "const size_t n_known_rows = sizeof(known_rows) / sizeof(*known_rows);"
	print "_Static_assert(sizeof(known_rows) / sizeof(*known_rows) <= SYMPTOMS_MAX, \"a place for each\");"
	printf "const struct known_fact known_facts[] = {\n%s};\n", facts
	print "const size_t n_known_facts = sizeof(known_facts) / sizeof(*known_facts);"
	n_kinds = split("area part severity reason object because", kinds, " ")
	for (i = 1; i <= n_kinds; i++) {
		of = kinds[i]
		plural = of == "because" || of == "severity" ? of : of "s"
		printf "const struct known_%s known_%s[] = {\n%s};\n", of, plural, rows[of]
		printf "const size_t n_known_%s = sizeof(known_%s) / sizeof(*known_%s);\n", plural, plural, plural
	}
	print "_Static_assert(sizeof(known_areas) / sizeof(*known_areas) < 32, \"a bit for each\");"
}
