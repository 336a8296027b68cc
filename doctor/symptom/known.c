/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/symptom/known.h"

#include <stdlib.h>
#include <string.h>

/* Each in a file of its name in known/; it ends with a row of zeros. */
static const struct known *const groups[] = {
	known_transfer, known_memory, known_device, known_address, known_nccl,
	known_nvshmem,  known_mpi,    known_driver, known_cluster, NULL,
};

/* The rows of all groups, put together once */
static const struct known *rows[SYMPTOMS_MAX];
static size_t n_rows;

/* The tables are ours: a test looks that they fit. */
static void add_row(const struct known *known)
{
	if (n_rows == SYMPTOMS_MAX)
		abort();
	rows[n_rows++] = known;
}

size_t known_count(void)
{
	if (n_rows > 0)
		return n_rows;
	for (const struct known *const *group = groups; *group; group++) {
		for (const struct known *known = *group; known->name; known++)
			add_row(known);
	}
	return n_rows;
}

const struct known *known_at(size_t place)
{
	return place < known_count() ? rows[place] : NULL;
}

size_t known_place(const char *name)
{
	size_t place = 0;

	while (place < known_count() && strcmp(rows[place]->name, name) != 0)
		place++;
	return place;
}

const struct known *known_find(const char *name)
{
	return known_at(known_place(name));
}
