/* SPDX-License-Identifier: Apache-2.0 */
/* What memcheck is to find, one kind a run: so that its silence about the hook says something. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int uninitialised(void)
{
	volatile char byte;

	if (byte)
		puts("not zero");
	return 0;
}

static int passed_on(void)
{
	volatile char bytes[8];

	return write(STDOUT_FILENO, (const void *)bytes, sizeof(bytes)) < 0;
}

static int past_the_end(void)
{
	volatile char *bytes = calloc(1, 3);
	int byte = bytes ? bytes[3] : 0;

	free((void *)bytes);
	return byte ? 1 : 0;
}

static int lost(void)
{
	return malloc(16) ? 0 : 1;
}

static int descriptor(void)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC) < 0;
}

static int closed_twice(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)close(fd);
	return close(fd) == 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} faults[] = {
		{"uninitialised", uninitialised}, {"passed-on", passed_on},
		{"past-the-end", past_the_end},   {"lost", lost},
		{"descriptor", descriptor},       {"closed-twice", closed_twice},
	};

	for (size_t i = 0; argc == 2 && i < sizeof(faults) / sizeof(faults[0]); i++) {
		if (strcmp(faults[i].name, argv[1]) == 0)
			return faults[i].run();
	}
	return 2;
}
