/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "doctor/report/html.h"

/* Sizes in SVG units, which are pixels on a screen that is not zoomed */
#define CHIP_WIDTH 150
#define CHIP_HEIGHT 58
#define GAP 8
#define PADDING 10
#define TITLE 20
#define NUMA_WIDTH 560 /* two of them side by side */
#define PAGE_WIDTH 1180

/* NUMA node, host bridge, bridges: no PCI tree is as deep as this (256 buses in a row at most, and
 * real ones have six). What lies deeper is drawn at this depth. */
#define WAY_MAX 16
/* Depths in a way; behind them the bridges */
#define DEPTH_NUMA 0
#define DEPTH_HOST 1
#define DEPTH_BRIDGE 2

/* Where a GPU or HCA is: the boxes that it is in, from the outermost */
struct place {
	const struct spot *spot;
	const char *way[WAY_MAX];
	size_t depth;
};

struct drawing {
	FILE *out;
	const struct findings *findings;
	struct place *place; /* in the order of their ways, so that what is in one box is one run */
};

struct run {
	size_t begin;
	size_t end;
};

struct extent {
	int width;
	int height;
};

struct corner {
	int x;
	int y;
	int most;     /* how wide it may become */
	bool measure; /* draw nothing */
};

/* ---- ways ---- */

static int find_way(struct arena *arena, struct place *place)
{
	const struct pci_place *pci = &place->spot->place;
	const char *bridge = pci->path ? strstr(pci->path, "/pci") : NULL;
	char *path;
	char *rest = NULL;

	place->way[place->depth++] = !bridge ? "no PCI device"
				     : pci->has_numa_node
					     ? arena_printf(arena, "NUMA node %d", pci->numa_node)
					     : "NUMA node not known";
	path = bridge ? arena_strdup(arena, bridge + 1) : NULL;
	if (!place->way[0] || (bridge && !path))
		return -1;
	if (!path)
		return 0;
	*strrchr(path, '/') = '\0'; /* the function itself */
	for (char *part = strtok_r(path, "/", &rest); part && place->depth < WAY_MAX;
	     part = strtok_r(NULL, "/", &rest))
		place->way[place->depth++] = part;
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a;
	const struct place *right = b;

	for (size_t i = 0; i < left->depth && i < right->depth; i++) {
		/* Addresses are hexadecimal: their digits are no numbers by themselves. */
		int order = i == DEPTH_NUMA ? text_compare_natural(left->way[i], right->way[i])
					    : strcmp(left->way[i], right->way[i]);

		if (order)
			return order;
	}
	if (left->depth != right->depth)
		return left->depth < right->depth ? -1 : 1;
	if (left->spot->gpu != right->spot->gpu)
		return left->spot->gpu ? -1 : 1;
	return text_compare_natural(left->spot->name, right->spot->name);
}

/* Those from begin on that are in one box at this depth; one that is in none is alone. */
static struct run run_at(const struct drawing *drawing, struct run within, size_t begin,
			 size_t depth)
{
	const struct place *first = &drawing->place[begin];
	struct run run = {begin, begin + 1};

	for (; first->depth > depth && run.end < within.end; run.end++) {
		const struct place *next = &drawing->place[run.end];

		if (next->depth <= depth || strcmp(next->way[depth], first->way[depth]) != 0)
			break;
	}
	return run;
}

/* A bridge with one bridge below it tells nothing: the depth of the box that has several in it. */
static size_t settle(const struct drawing *drawing, struct run run, size_t depth)
{
	if (depth < DEPTH_BRIDGE)
		return depth;
	while (drawing->place[run.begin].depth > depth + 1 &&
	       run_at(drawing, run, run.begin, depth + 1).end == run.end)
		depth++;
	return depth;
}

/* ---- GPUs and HCAs ---- */

static bool is_about(const struct finding *finding, const struct spot *spot)
{
	size_t len = strlen(spot->name);

	if (spot->gpu)
		return text_starts_with(finding->subject, "GPU ") &&
		       strcmp(finding->subject + strlen("GPU "), spot->pci) == 0;
	return strncmp(finding->subject, spot->name, len) == 0 &&
	       (finding->subject[len] == '\0' || finding->subject[len] == ' ' ||
		finding->subject[len] == ':');
}

/* FINDING_FAIL, FINDING_WARN, or FINDING_OK */
static enum finding_status worst_of(const struct findings *findings, const struct spot *spot)
{
	enum finding_status worst = FINDING_OK;

	for (size_t i = 0; i < findings->n; i++) {
		const struct finding *finding = &findings->item[i];

		if (!is_about(finding, spot))
			continue;
		if (finding->status == FINDING_FAIL)
			return FINDING_FAIL;
		if (finding->status == FINDING_WARN)
			worst = FINDING_WARN;
	}
	return worst;
}

static void put_text(FILE *out, int x, int y, const char *class, const char *text)
{
	(void)fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, class);
	markup_put(out, text);
	(void)fputs("</text>", out);
}

/* The port that says most: one that is not up, else the first */
static const struct port *port_of(const struct spot *spot)
{
	for (size_t i = 0; i < spot->n_ports; i++) {
		if (!port_is_active(&spot->port[i]))
			return &spot->port[i];
	}
	return spot->n_ports ? &spot->port[0] : NULL;
}

static void describe(const struct spot *spot, char *line, size_t size)
{
	const struct port *port = port_of(spot);

	if (spot->gpu)
		(void)snprintf(line, size, "%s%s", spot->place.iommu[0] ? "IOMMU " : "",
			       spot->place.iommu);
	else if (!port)
		(void)snprintf(line, size, "no port seen");
	else if (port->rate_gbps > 0 && port_is_active(port))
		(void)snprintf(line, size, "%s, %g Gb/s", port->state, port->rate_gbps);
	else
		(void)snprintf(line, size, "%s", port->state[0] ? port->state : "state not known");
}

static void put_lines(FILE *out, const struct spot *spot, struct corner at)
{
	char line[96];

	put_text(out, at.x + 9, at.y + 19, "name", spot->name);
	if (!spot->gpu && spot->pf[0])
		(void)snprintf(line, sizeof(line), "%s of %s", topology_kind(spot), spot->pf);
	else
		(void)snprintf(line, sizeof(line), "%s %s", spot->gpu ? "" : topology_kind(spot),
			       spot->pci);
	put_text(out, at.x + 9, at.y + 35, "small", line);
	describe(spot, line, sizeof(line));
	put_text(out, at.x + 9, at.y + 50, "small", line);
}

static struct extent draw_chip(const struct drawing *drawing, const struct spot *spot,
			       struct corner at)
{
	static const char *const classes[] = {
		[FINDING_OK] = "", [FINDING_WARN] = " warn", [FINDING_FAIL] = " fail"};
	static const char *const marks[] = {[FINDING_WARN] = "WARN", [FINDING_FAIL] = "FAIL"};
	const struct extent extent = {CHIP_WIDTH, CHIP_HEIGHT};
	enum finding_status worst;

	if (at.measure)
		return extent;
	worst = worst_of(drawing->findings, spot);
	(void)fprintf(drawing->out,
		      "<g class=\"chip %s%s\"><rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
		      "rx=\"6\"/>",
		      spot->gpu ? "gpu" : "hca", classes[worst], at.x, at.y, CHIP_WIDTH,
		      CHIP_HEIGHT);
	put_lines(drawing->out, spot, at);
	if (worst != FINDING_OK)
		put_text(drawing->out, at.x + CHIP_WIDTH - 8, at.y + 18, "mark", marks[worst]);
	(void)fputs("</g>\n", drawing->out);
	return extent;
}

/* ---- boxes ---- */

/* Puts one beside the other, and into a new row where there is no room. */
struct flow {
	struct corner at;
	int x; /* of the next one, from the corner */
	int y;
	int row; /* the highest in this row */
	struct extent extent;
};

static struct corner flow_next(struct flow *flow, struct extent next)
{
	struct corner at = flow->at;

	if (flow->x && flow->x + next.width > at.most) {
		flow->y += flow->row + GAP;
		flow->x = flow->row = 0;
	}
	at.x += flow->x;
	at.y += flow->y;
	flow->x += next.width + GAP;
	flow->row = next.height > flow->row ? next.height : flow->row;
	if (flow->x - GAP > flow->extent.width)
		flow->extent.width = flow->x - GAP;
	flow->extent.height = flow->y + flow->row;
	return at;
}

static struct extent draw_box(const struct drawing *drawing, struct run run, size_t depth,
			      struct corner at);

static struct extent draw_one(const struct drawing *drawing, struct run run, size_t depth,
			      struct corner at)
{
	const struct place *first = &drawing->place[run.begin];

	return first->depth > depth ? draw_box(drawing, run, depth, at)
				    : draw_chip(drawing, first->spot, at);
}

/* What is in a box, or all of it at depth 0 */
static struct extent draw_content(const struct drawing *drawing, struct run within, size_t depth,
				  struct corner at)
{
	struct flow flow = {.at = at};
	struct run run;

	for (size_t i = within.begin; i < within.end; i = run.end) {
		struct corner measure = {.most = at.most, .measure = true};
		struct corner next;

		run = run_at(drawing, within, i, depth);
		next = flow_next(&flow, draw_one(drawing, run, depth, measure));
		next.most = at.most;
		(void)draw_one(drawing, run, depth, next);
	}
	return flow.extent;
}

/* A switch's ports tell nothing beside the functions behind them: those of one card are one box
 * without a title. */
static bool is_card(const struct drawing *drawing, struct run run, size_t depth)
{
	return depth >= DEPTH_BRIDGE && drawing->place[run.end - 1].depth == depth + 1;
}

static void put_frame(const struct drawing *drawing, struct run run, size_t depth, struct corner at,
		      struct extent extent)
{
	static const char *const classes[] = {"numa", "host", "bridge"};
	const char *class = classes[depth < DEPTH_BRIDGE ? depth : DEPTH_BRIDGE];
	const char *title = drawing->place[run.begin].way[depth];
	char text[128];

	(void)fprintf(drawing->out,
		      "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\"/>",
		      is_card(drawing, run, depth) ? "card" : class, at.x, at.y, extent.width,
		      extent.height);
	if (is_card(drawing, run, depth))
		return;
	(void)snprintf(text, sizeof(text), "%s%s",
		       depth == DEPTH_HOST    ? "host bridge "
		       : depth > DEPTH_BRIDGE ? "PCI switch "
		       : depth < DEPTH_HOST   ? ""
					      : "PCI bridge ",
		       title);
	put_text(drawing->out, at.x + PADDING, at.y + 15, "title", text);
}

static struct extent draw_box(const struct drawing *drawing, struct run run, size_t depth,
			      struct corner at)
{
	size_t settled = settle(drawing, run, depth);
	bool card = is_card(drawing, run, settled);
	int top = card ? PADDING : PADDING + TITLE;
	struct corner inner = {.most = at.most - 2 * PADDING, .measure = true};
	struct extent extent;

	if (card && run.end == run.begin + 1)
		return draw_chip(drawing, drawing->place[run.begin].spot, at);
	if (depth == DEPTH_NUMA && inner.most > NUMA_WIDTH)
		inner.most = NUMA_WIDTH;
	extent = draw_content(drawing, run, settled + 1, inner);
	extent.width += 2 * PADDING;
	extent.height += top + PADDING;
	if (at.measure)
		return extent;
	put_frame(drawing, run, settled, at, extent);
	inner.x = at.x + PADDING;
	inner.y = at.y + top;
	inner.measure = false;
	(void)draw_content(drawing, run, settled + 1, inner);
	return extent;
}

int drawing_print(FILE *out, const struct topology *topology, const struct findings *findings)
{
	const size_t n = topology->n < DRAWING_MAX ? topology->n : DRAWING_MAX;
	struct drawing drawing = {.out = out, .findings = findings};
	struct corner at = {.x = 1, .y = 1, .most = PAGE_WIDTH, .measure = true};
	cleanup_arena arena = {0};
	struct extent extent;

	drawing.place = arena_alloc(&arena, (n + 1) * sizeof(*drawing.place));
	if (!drawing.place)
		return -1;
	for (size_t i = 0; i < n; i++) {
		drawing.place[i].spot = &topology->item[i];
		if (find_way(&arena, &drawing.place[i]) < 0)
			return -1;
	}
	qsort(drawing.place, n, sizeof(*drawing.place), compare_places);
	extent = draw_content(&drawing, (struct run){0, n}, DEPTH_NUMA, at);
	(void)fprintf(out,
		      "<div class=\"wide\"><svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
		      "viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n"
		      "<title>GPUs and HCAs in the PCI tree</title>\n",
		      extent.width + 2, extent.height + 2, extent.width + 2, extent.height + 2);
	at.measure = false;
	(void)draw_content(&drawing, (struct run){0, n}, DEPTH_NUMA, at);
	(void)fputs("</svg></div>\n", out);
	return 0;
}
