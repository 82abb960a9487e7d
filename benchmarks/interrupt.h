/* SPDX-License-Identifier: MIT */
/* SIGINT and SIGTERM: the first asks the run to finish early, a second one ends the process. */
#ifndef WEFT_BENCHMARKS_INTERRUPT_H
#define WEFT_BENCHMARKS_INTERRUPT_H

namespace weft
{

void install_interrupt_handlers();

/* Whether the run was asked to stop. */
bool interrupted();

} // namespace weft

#endif
