/* SPDX-License-Identifier: Apache-2.0 */
#include "nri/metrics_missed.h"

#include <inttypes.h>

static void print(FILE *out, const char *name, const char *help, uint64_t value)
{
	(void)fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n%s %" PRIu64 "\n", name, help, name,
		      name, value);
}

void metrics_print_missed(FILE *out, const struct nri_missed_status *missed)
{
	print(out, "oci_rdma_nri_missed_containers",
	      "Containers that run without their memlock limit, because they were created while no "
	      "plugin was connected.",
	      missed->open);
	print(out, "oci_rdma_nri_unseen_containers",
	      "Containers that could not be decided about when the plugin connected.",
	      missed->unseen);
}
