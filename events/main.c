/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/fs.h"
#include "events/reporter.h"

int main(int argc, char **argv)
{
	struct events_options options;
	int status;

	fs_open_standard_streams();
	status = events_options_parse(argc, argv, &options);
	return status >= 0 ? status : reporter_run(&options);
}
