/* SPDX-License-Identifier: Apache-2.0 */
/* The records of what was decided */
#include "suite.h"

int main(void)
{
	return unit_main("record");
}
