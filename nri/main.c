/* SPDX-License-Identifier: Apache-2.0 */
#include "core/base/fs.h"
#include "nri/nri_check.h"
#include "nri/nri_options.h"
#include "nri/plugin.h"
#include "nri/scrape.h"

int main(int argc, char **argv)
{
	struct nri_options options;
	int status;

	fs_open_standard_streams();
	status = nri_options_parse(argc, argv, &options);
	if (status >= 0)
		return status;
	if (options.port)
		return scrape_run(&options);
	return options.check ? nri_check(&options) : plugin_run(&options);
}
