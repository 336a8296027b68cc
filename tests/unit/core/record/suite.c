/* SPDX-License-Identifier: Apache-2.0 */
#include "suite.h"

int main(void)
{
	return unit_main("record");
}
