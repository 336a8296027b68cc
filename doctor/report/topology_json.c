/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "core/json/writer.h"
#include "doctor/report/report.h"
#include "doctor/report/topology.h"

struct report {
	const struct doctor *doctor;
	const struct topology *topology;
};

static void put_port(yajl_gen gen, const struct port *port)
{
	(void)yajl_gen_map_open(gen);
	json_put_integer(gen, "port", true, port->number);
	json_put_member(gen, "state", port->state);
	json_put_member(gen, "phys_state", port->phys_state);
	json_put_member(gen, "link_layer", port->link_layer);
	json_put_string(gen, "rate_gbps");
	if (port->rate_gbps > 0)
		(void)yajl_gen_double(gen, port->rate_gbps);
	else
		(void)yajl_gen_null(gen);
	(void)yajl_gen_map_close(gen);
}

static void put_place(yajl_gen gen, const struct spot *spot)
{
	json_put_member(gen, "pci", spot->pci);
	json_put_integer(gen, "numa_node", spot->place.has_numa_node, spot->place.numa_node);
	json_put_integer(gen, "iommu_group", spot->group[0], strtoll(spot->group, NULL, 10));
	json_put_member(gen, "iommu", spot->place.iommu);
}

/* The distance to each GPU, by its name */
static void put_distances(yajl_gen gen, const struct topology *topology, const struct spot *spot)
{
	json_put_string(gen, "distance");
	(void)yajl_gen_map_open(gen);
	for (size_t g = 0; g < topology->n_gpus; g++)
		json_put_member(gen, topology->item[g].name,
				topology_level(spot, &topology->item[g]));
	(void)yajl_gen_map_close(gen);
}

static void put_hca(yajl_gen gen, const struct spot *spot)
{
	json_put_member(gen, "kind", topology_kind(spot));
	json_put_member(gen, "pf", spot->pf);
	json_put_member(gen, "firmware", spot->firmware);
	json_put_string(gen, "ports");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < spot->n_ports; i++)
		put_port(gen, &spot->port[i]);
	(void)yajl_gen_array_close(gen);
}

static void put_spots(yajl_gen gen, const struct topology *topology, bool gpus)
{
	json_put_string(gen, gpus ? "gpus" : "hcas");
	(void)yajl_gen_array_open(gen);
	for (size_t i = 0; i < topology->n; i++) {
		const struct spot *spot = &topology->item[i];

		if (spot->gpu != gpus)
			continue;
		(void)yajl_gen_map_open(gen);
		json_put_text(gen, "name", spot->name);
		put_place(gen, spot);
		put_distances(gen, topology, spot);
		if (!gpus)
			put_hca(gen, spot);
		(void)yajl_gen_map_close(gen);
	}
	(void)yajl_gen_array_close(gen);
}

static int put_report(yajl_gen gen, void *context)
{
	const struct report *report = context;

	(void)yajl_gen_map_open(gen);
	json_put_integer(gen, "schema", true, 1);
	json_put_text(gen, "version", VERSION);
	json_put_text(gen, "where", report->doctor->location.container ? "container" : "node");
	json_put_text(gen, "target", report->doctor->target.name);
	json_put_string(gen, "complete");
	(void)yajl_gen_bool(gen, report->topology->complete);
	put_spots(gen, report->topology, true);
	put_spots(gen, report->topology, false);
	(void)yajl_gen_map_close(gen);
	return 0;
}

int topology_print_json(FILE *out, const struct doctor *doctor, const struct topology *topology)
{
	struct report report = {doctor, topology};
	cleanup_arena arena = {0};
	size_t len;
	const char *text = json_write(&arena, true, put_report, &report, &len);

	return text && fwrite(text, 1, len, out) == len && fflush(out) == 0 ? 0 : -1;
}
