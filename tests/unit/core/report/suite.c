/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/unit.h"

int main(void)
{
	return unit_main("report");
}
