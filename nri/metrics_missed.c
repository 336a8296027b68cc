/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/metrics_missed.h"

#include <inttypes.h>

static void print(FILE *out, const char *name, const char *type, const char *help, uint64_t value)
{
	(void)fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s %" PRIu64 "\n", name, help, name, type,
		      name, value);
}

void metrics_print_missed(FILE *out, const struct nri_missed_status *missed)
{
	print(out, "oci_rdma_nri_missed_containers", "gauge",
	      "Containers that run without their memlock limit, because they were created while no "
	      "plugin was connected.",
	      missed->open);
	print(out, "oci_rdma_nri_missed_total", "counter",
	      "Containers that were found to be missed, mended ones included.", missed->found);
	print(out, "oci_rdma_nri_mended_total", "counter",
	      "Missed containers whose processes were given the limit.", missed->mended);
	print(out, "oci_rdma_nri_unseen_containers", "gauge",
	      "Containers that could not be decided about when the plugin connected.",
	      missed->unseen);
}
