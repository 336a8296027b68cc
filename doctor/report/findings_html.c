/* SPDX-License-Identifier: Apache-2.0 */
/* Problems first. No external references or scripts; a policy disarms hostile text. */
#include "doctor/report/findings_html.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "doctor/doctor.h"
#include "doctor/report/findings_text.h"
#include "doctor/report/markup.h"
#include "lib/finding.h"

/* clang-format off */
static const char page_style[] =
":root{color-scheme:light dark;--page:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--raised:#f6f8fa;"
"--fail:#b3261e;--fail-back:#fdecea;--warn:#8a5300;--warn-back:#fff4e0;--ok:#1a7f37;--ok-back:#e8f6ec;"
"--unknown:#57606a}\n"
"@media (prefers-color-scheme:dark){:root{--page:#0f1318;--text:#e6edf3;--soft:#9aa5b1;--line:#384049;"
"--raised:#171c23;--fail:#ff8a80;--fail-back:#3b1512;--warn:#f2b75c;--warn-back:#35260b;--ok:#6fd08c;"
"--ok-back:#12291a;--unknown:#9aa5b1}}\n"
"*{box-sizing:border-box}\n"
"body{margin:0 auto;max-width:1240px;padding:1.5rem;background:var(--page);color:var(--text);"
"font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}\n"
"h1{font-size:1.5rem;margin:0}h2{font-size:1.2rem;margin:2rem 0 .6rem}h3{font-size:1rem;"
"margin:1.4rem 0 .4rem}.finding h3{margin:0}\n"
"code,table{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace}code,table{font-size:.88em}\n"
".soft{color:var(--soft);margin:.2rem 0}\n"
".verdict,.finding{border:1px solid var(--line);border-left:6px solid var(--unknown);border-radius:6px;"
"padding:.7rem 1rem;margin:.7rem 0;background:var(--raised)}\n"
".verdict{font-size:1.05rem;margin-top:1.2rem}.verdict p,.finding p{margin:.4rem 0}\n"
".fail{border-left-color:var(--fail)}.warn{border-left-color:var(--warn)}.ok{border-left-color:var(--ok)}\n"
".verdict.fail{background:var(--fail-back)}.verdict.warn{background:var(--warn-back)}"
".verdict.ok{background:var(--ok-back)}\n"
".badge{display:inline-block;min-width:3.4em;text-align:center;border-radius:4px;padding:0 .5em;margin-right:.6em;"
"font-size:.8rem;font-weight:700;color:var(--page);background:var(--unknown)}\n"
".badge.fail{background:var(--fail)}.badge.warn{background:var(--warn)}.badge.ok{background:var(--ok)}\n"
".finding ul{margin:.4rem 0;padding-left:1.2rem}\n"
"details{margin:.7rem 0}summary{cursor:pointer}\n"
".wide{overflow-x:auto;margin:.6rem 0}table{border-collapse:collapse;overflow-wrap:normal}\n"
"th,td{border:1px solid var(--line);padding:.2rem .6rem;text-align:left;white-space:nowrap}"
".list td{white-space:normal}\n"
"th{background:var(--raised)}\n"
/* On phones tables scroll, first column fixed; ok findings become a list. */
".wide th[scope=row]{position:sticky;left:0}@media(max-width:600px){body{padding:1rem}"
".list table,.list tbody,.list tr,.list td:last-child{display:block;overflow-wrap:anywhere}.list tr:first-child{display:none}"
".list tr{border-bottom:1px solid var(--line);padding:.3rem 0}.list .wide th,.list td{position:static;display:inline;border:0;"
"padding:0 .6rem 0 0;background:none}}\n"
"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.6rem 0}dd{margin:0}\n"
"@media print{.finding,.verdict,tr{break-inside:avoid}.wide{overflow:visible}}\n";
/* clang-format on */

#define HOST_SIZE 256

/* Only arguments go through markup_put(). */
static void put(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	for (const char *end; *format; format = end) {
		end = strstr(format, "%s");
		if (!end)
			end = format + strlen(format);
		(void)fwrite(format, 1, (size_t)(end - format), out);
		if (!*end)
			continue;
		markup_put(out, va_arg(args, const char *));
		end += strlen("%s");
	}
	va_end(args);
}

static const char *class_of(enum finding_status status)
{
	return status == FINDING_UNCHECKED ? "unknown" : finding_status_name(status);
}

static void put_remedy(FILE *out, const char *remedy)
{
	if (remedy[0])
		put(out, "<p class=\"remedy\"><strong>What to do:</strong> %s</p>\n", remedy);
}

static void find_title(const struct doctor *doctor, char *title, size_t size)
{
	const struct target *target = &doctor->target;
	bool is_node = !target->container && !target->id && !target->pid;
	char host[HOST_SIZE] = "";

	/* Recorded trees and logs may be foreign: omit this host's name. */
	if (!doctor->options.symptom && !doctor->node.recorded)
		(void)gethostname(host, HOST_SIZE - 1);
	if (doctor->options.symptom)
		snprintf(title, size, "a log");
	else if (is_node)
		snprintf(title, size, "%s", host[0] ? host : "a node");
	else
		snprintf(title, size, "%s%s%s", target->name,
			 !host[0]                     ? ""
			 : doctor->location.container ? " in "
						      : " on ",
			 host);
}

static void put_head(FILE *out, const struct doctor *doctor)
{
	char title[2 * HOST_SIZE];
	char when[CLOCK_UTC_SIZE];

	find_title(doctor, title, sizeof(title));
	put(out,
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	    "style-src 'unsafe-inline'\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
	    "<title>RDMA: %s</title>\n<style>\n",
	    title);
	fputs(page_style, out);
	put(out, "</style>\n</head>\n<body>\n<header>\n<h1>RDMA: %s</h1>\n", title);
	if (!doctor->options.symptom)
		put(out, "<p class=\"soft\">seen from %s: %s</p>\n",
		    doctor->location.container ? "a container" : "the node",
		    doctor->location.evidence);
	clock_utc(time(NULL), when);
	put(out, "<p class=\"soft\">%s, by oci-rdma-doctor " VERSION "</p>\n</header>\n", when);
}

static void put_verdict(FILE *out, const struct doctor *doctor, const struct findings *findings)
{
	const struct findings_counts counts = findings_count(findings);
	const struct finding *cause = findings_cause(findings);

	fprintf(out,
		"<section class=\"verdict %s\" id=\"verdict\">\n"
		"<p><strong>%zu fail, %zu warn</strong>, %zu ok, %zu not checkable</p>\n",
		cause ? class_of(cause->status) : "ok", counts.of[FINDING_FAIL],
		counts.of[FINDING_WARN], counts.of[FINDING_OK], counts.of[FINDING_UNCHECKED]);
	if (cause)
		put(out, "<p>The first cause: <strong>%s%s%s</strong>. %s</p>\n", cause->id,
		    cause->subject[0] ? " of " : "", cause->subject, cause->evidence);
	else
		put(out, "<p>%s</p>\n",
		    doctor->options.symptom ? "Nothing known is in this log."
					    : "Nothing is wrong among what could be checked.");
	put_remedy(out, cause ? cause->remedy : "");
	fputs("</section>\n", out);
}

/* Findings of one kind; a shared remedy follows the last. */
static void put_article(FILE *out, const struct findings *findings, const struct finding *finding)
{
	static const char *const badges[REPORT_STATUSES] = {
		[FINDING_OK] = "OK",
		[FINDING_WARN] = "WARN",
		[FINDING_FAIL] = "FAIL",
		[FINDING_UNCHECKED] = "?",
	};
	const char *class = class_of(finding->status);
	const struct finding *next;
	bool listed = false;

	put(out, "<article class=\"finding %s\">\n<h3><span class=\"badge %s\">%s</span>%s</h3>\n",
	    class, class, badges[finding->status], finding->id);
	for (; finding; finding = next) {
		next = findings_next_of_kind(findings, finding);
		fputs(listed ? "" : "<ul>\n", out);
		put(out, finding->subject[0] ? "<li><code>%s</code>: %s" : "<li>%s%s",
		    finding->subject, finding->evidence);
		put(out, finding->seen[0] ? "<br><code>%s</code><br>%s</li>\n" : "%s%s</li>\n",
		    finding->seen, finding->check);
		listed =
			next && (strcmp(next->remedy, finding->remedy) == 0 || !finding->remedy[0]);
		if (listed)
			continue;
		fputs("</ul>\n", out);
		put_remedy(out, finding->remedy);
	}
	fputs("</article>\n", out);
}

static void put_part(FILE *out, const struct findings *findings, enum finding_status status,
		     const char *title)
{
	const struct finding *end = findings->item + findings->n;

	if (!findings_count(findings).of[status])
		return;
	put(out, "<section id=\"%s\">\n<h2>%s</h2>\n", class_of(status), title);
	for (const struct finding *finding = findings->item; finding < end; finding++) {
		if (finding->status == status && findings_is_first_of_kind(findings, finding))
			put_article(out, findings, finding);
	}
	fputs("</section>\n", out);
}

static void put_well(FILE *out, const struct findings *findings)
{
	const size_t n = findings_count(findings).of[FINDING_OK];

	if (!n)
		return;
	fprintf(out,
		"<section id=\"ok\">\n<h2>What is ok</h2>\n<details class=\"list\">"
		"<summary>%zu finding%s</summary>\n<div class=\"wide\"><table>\n",
		n, n == 1 ? "" : "s");
	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		if (finding->status == FINDING_OK)
			put(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td>%s</td></tr>\n",
			    finding->id, finding->subject, finding->evidence);
	}
	fputs("</table></div>\n</details>\n</section>\n", out);
}

int findings_print_html(FILE *out, const struct doctor *doctor, const struct findings *findings)
{
	put_head(out, doctor);
	put_verdict(out, doctor, findings);
	put_part(out, findings, FINDING_FAIL, "What fails");
	put_part(out, findings, FINDING_WARN, "What works, but not as well as it could");
	put_part(out, findings, FINDING_UNCHECKED, "What could not be seen from here");
	put_well(out, findings);
	fputs("</body>\n</html>\n", out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
