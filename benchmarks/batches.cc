/* SPDX-License-Identifier: MIT */
#include "batches.h"

namespace weft
{

Batches::Batches(const weft_measured &measured, void *self, weft_team *team, std::uint64_t done)
{
    check(weft_measure_init(&measure_, &measured, self, team));
    measure_.batches = done;
}

Batches::~Batches()
{
    weft_measure_destroy(&measure_);
}

weft_status Batches::run(weft_span *const span)
{
    check_interrupted();
    return weft_measure_batch(&measure_, span);
}

} // namespace weft
