/* SPDX-License-Identifier: Apache-2.0 */
/* What is decided about a container, logged, and recorded */
#include "tests/unit/unit.h"

int main(void)
{
	return unit_main("report");
}
