/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <string.h>

#include "core/base/text.h"
#include "doctor/report/html.h"
#include "doctor/report/report.h"

/* ---- tables ---- */

#define CELL_MAX 512

void table_add(struct table *table, const char *format, ...)
{
	const char **larger =
		arena_grow(table->arena, table->cell, table->n, &table->room, sizeof(*table->cell));
	char text[CELL_MAX];
	char *copy;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	copy = arena_strdup(table->arena, text);
	if (!larger || !copy) {
		table->failed = true;
		return;
	}
	text_make_printable(copy);
	table->cell = larger;
	table->cell[table->n++] = copy;
}

/* Characters, not bytes */
static size_t width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static size_t width_of_column(const struct table *table, size_t column)
{
	size_t most = 0;

	for (size_t i = column; i < table->n; i += table->columns) {
		size_t here = width(table->cell[i]);

		most = here > most ? here : most;
	}
	return most;
}

/* Each row a line, columns two spaces apart. Returns 0, or -1 if a cell is missing. */
static int table_print(FILE *out, const struct table *table)
{
	size_t pending = 0; /* spaces, but not at a line's end */

	for (size_t i = 0; i < table->n; i++) {
		size_t column = i % table->columns;

		if (table->cell[i][0]) {
			(void)fprintf(out, "%*s%s", (int)pending, "", table->cell[i]);
			pending = 0;
		}
		pending += width_of_column(table, column) + 2 - width(table->cell[i]);
		if (column + 1 < table->columns)
			continue;
		(void)fputc('\n', out);
		pending = 0;
	}
	return table->failed ? -1 : 0;
}

static bool is_level(const char *cell)
{
	static const char *const levels[] = {"X", "PIX", "PXB", "PHB", "NODE", "SYS"};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(cell, levels[i]) == 0)
			return true;
	}
	return false;
}

/* The first row and the first column are heads. */
static void put_cell(FILE *out, const struct table *table, size_t i)
{
	const char *cell = table->cell[i];

	if (i < table->columns)
		(void)fputs("<th scope=\"col\">", out);
	else if (i % table->columns == 0)
		(void)fputs("<th scope=\"row\">", out);
	else if (is_level(cell))
		(void)fprintf(out, "<td class=\"level %s\">", cell);
	else
		(void)fputs("<td>", out);
	markup_put(out, cell);
	(void)fputs(i < table->columns || i % table->columns == 0 ? "</th>" : "</td>", out);
}

int table_print_html(FILE *out, const struct table *table)
{
	(void)fputs("<div class=\"wide\"><table>\n", out);
	for (size_t i = 0; i < table->n; i++) {
		if (i % table->columns == 0)
			(void)fputs("<tr>", out);
		put_cell(out, table, i);
		if (i % table->columns == table->columns - 1)
			(void)fputs("</tr>\n", out);
	}
	(void)fputs("</table></div>\n", out);
	return table->failed ? -1 : 0;
}

/* ---- the topology ---- */

static const char *or_dash(const char *text)
{
	return text[0] ? text : "-";
}

static void add_numa(struct table *table, const struct spot *spot)
{
	if (spot->place.has_numa_node)
		table_add(table, "%d", spot->place.numa_node);
	else
		table_add(table, "-");
}

struct table topology_distances(struct arena *arena, const struct topology *topology)
{
	struct table table = {.arena = arena, .columns = topology->n_gpus + 2};

	table_add(&table, "%s", "");
	for (size_t g = 0; g < topology->n_gpus; g++)
		table_add(&table, "%s", topology->item[g].name);
	table_add(&table, "NUMA");
	for (size_t i = 0; i < topology->n; i++) {
		const struct spot *spot = &topology->item[i];

		table_add(&table, "%s", spot->name);
		for (size_t g = 0; g < topology->n_gpus; g++)
			table_add(&table, "%s", or_dash(topology_level(spot, &topology->item[g])));
		add_numa(&table, spot);
	}
	return table;
}

/* ---- devices ---- */

#define PORT_COLUMNS 4

static void add_kind(struct table *table, const struct spot *spot)
{
	const char *kind = topology_kind(spot);

	if (spot->pf[0])
		table_add(table, "%s of %s", kind, spot->pf);
	else
		table_add(table, "%s", kind);
}

static void add_iommu(struct table *table, const struct spot *spot)
{
	if (spot->group[0])
		table_add(table, "%s %s", spot->group, or_dash(spot->place.iommu));
	else
		table_add(table, "-");
}

static void add_port(struct table *table, const struct port *port)
{
	table_add(table, "%u", port->number);
	/* Up and configured is said in one word; what is not, with what the cable says */
	if (port_is_active(port) || !port->phys_state[0])
		table_add(table, "%s", or_dash(port->state));
	else
		table_add(table, "%s, %s", or_dash(port->state), port->phys_state);
	if (port->rate_gbps > 0)
		table_add(table, "%g Gb/s", port->rate_gbps);
	else
		table_add(table, "-");
	table_add(table, "%s", or_dash(port->link_layer));
}

static void add_device(struct table *table, const struct spot *spot, const struct port *port)
{
	table_add(table, "%s", spot->name);
	table_add(table, "%s", or_dash(spot->pci));
	add_kind(table, spot);
	add_iommu(table, spot);
	if (port)
		add_port(table, port);
	for (int i = 0; !port && i < PORT_COLUMNS; i++)
		table_add(table, "-");
	table_add(table, "%s", or_dash(spot->firmware));
}

struct table topology_devices(struct arena *arena, const struct topology *topology)
{
	static const char *const heads[] = {"",      "PCI",  "Kind", "IOMMU group", "Port",
					    "State", "Rate", "Link", "Firmware"};
	struct table table = {.arena = arena, .columns = sizeof(heads) / sizeof(heads[0])};

	for (size_t i = 0; i < table.columns; i++)
		table_add(&table, "%s", heads[i]);
	for (size_t i = 0; i < topology->n; i++) {
		const struct spot *spot = &topology->item[i];

		if (!spot->n_ports)
			add_device(&table, spot, NULL);
		for (size_t p = 0; p < spot->n_ports; p++)
			add_device(&table, spot, &spot->port[p]);
	}
	return table;
}

/* ---- text ---- */

static int put_tables(FILE *out, const struct topology *topology)
{
	cleanup_arena arena = {0};
	struct table distances = topology_distances(&arena, topology);
	struct table devices = topology_devices(&arena, topology);

	if (table_print(out, &distances) < 0)
		return -1;
	(void)fputc('\n', out);
	return table_print(out, &devices);
}

int topology_print_text(FILE *out, const struct doctor *doctor, const struct topology *topology)
{
	if (!topology->n)
		(void)fprintf(out, "%s has no GPU and no RDMA device\n", doctor->target.name);
	else if (put_tables(out, topology) < 0)
		return -1;
	if (!topology->complete)
		(void)fputs("\nA device did not answer in time: ports and firmware are missing "
			    "(dmesg | tail -50)\n",
			    out);
	if (topology->n_gpus)
		(void)fputc('\n', out);
	for (size_t i = 0; topology->n_gpus && topology_legend[i][0]; i++)
		(void)fprintf(out, "%-5s %s\n", topology_legend[i][0], topology_legend[i][1]);
	if (topology->n_gpus > 1)
		(void)fputs("PCI alone: NVLink between GPUs does not show here (nvidia-smi topo "
			    "-m)\n",
			    out);
	return fflush(out) == 0 && !ferror(out) ? 0 : -1;
}
