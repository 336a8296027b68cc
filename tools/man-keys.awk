# Makes oci-rdma-hook.json(5): awk -f tools/man-keys.awk doc/configuration.md doc/man/oci-rdma-hook.json.5. In the page, the line ".\" KEYS" stands
# for the sections Keys and Annotations of doc/configuration.md, so that each key is described once. Of Markdown it knows what these sections use:
# headings, paragraphs, indented code, `code` and links.

# text LINE: without Markdown; what mdoc would take for its own is escaped
function text(line) {
	gsub(/\\/, "\\e", line)
	line = gensub_links(line)
	while (match(line, /`[^`]*`/))
		line = substr(line, 1, RSTART - 1) "\\fB" substr(line, RSTART + 1, RLENGTH - 2) "\\fR" substr(line, RSTART + RLENGTH)
	return line
}
function gensub_links(line) {
	while (match(line, /\[[^][]*\]\([^)]*\)/))
		line = substr(line, 1, RSTART - 1) substr(line, RSTART + 1, index(substr(line, RSTART), "](") - 2) substr(line, RSTART + RLENGTH)
	return line
}
# put LINE: into the page, never as a macro
function put(line) {
	keys = keys (line ~ /^[.']/ ? "\\&" : "") line "\n"
}
# flush: the paragraph, a sentence a line and below 80 columns, as mandoc wants it
function flush(    words, n, i, line) {
	if (paragraph == "")
		return
	if (between)
		keys = keys ".Pp\n"
	between = 1
	n = split(text(paragraph), words, " ")
	line = ""
	for (i = 1; i <= n; i++) {
		if (line != "" && length(line) + 1 + length(words[i]) > 76) {
			put(line)
			line = ""
		}
		line = line == "" ? words[i] : line " " words[i]
		if (words[i] ~ /[.!?][)]?$/) {
			put(line)
			line = ""
		}
	}
	if (line != "")
		put(line)
	paragraph = ""
}
function end_code() {
	if (code)
		keys = keys ".Ed\n"
	code = 0
}
function end_section() {
	flush()
	end_code()
	if (list)
		keys = keys ".El\n"
	list = between = 0
}

FNR == NR && /^## / {
	end_section()
	taken = /^## (Keys|Annotations)$/
	if (taken)
		keys = keys ".Sh " toupper(substr($0, 4)) "\n"
	next
}
FNR == NR && !taken { next }
FNR == NR && /^### / {
	flush()
	end_code()
	if (!list)
		keys = keys ".Bl -tag -width Ds\n"
	list = 1
	between = 0
	gsub(/^### `|`$/, "")
	keys = keys ".It Li " $0 "\n"
	next
}
FNR == NR && /^    / {
	flush()
	if (!code)
		keys = keys ".Bd -literal -offset indent\n"
	code = 1
	between = 0
	put(substr($0, 5))
	next
}
FNR == NR {
	end_code()
	if ($0 == "")
		flush()
	else
		paragraph = paragraph " " $0
	next
}

FNR == 1 { end_section() }
$0 == ".\\\" KEYS" { printf "%s", keys; next }
{ print }
