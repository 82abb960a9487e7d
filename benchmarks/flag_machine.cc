/* SPDX-License-Identifier: MIT */
#include "flags.h"

#include <algorithm>

extern "C" {
#include "machine/affinity.h"
#include "machine/memory_limits.h"
#include "machine/topology.h"
}

namespace weft
{

FlagMachine this_machine()
{
    FlagMachine machine;

    machine.cache_bytes[0] = weft_last_level_cache_bytes();
    for (unsigned level = 1; level < machine.cache_bytes.size(); ++level)
        machine.cache_bytes[level] = weft_cache_bytes(level);
    machine.allowed_cpus.resize(weft_affinity_order(nullptr, 0));
    weft_affinity_order(machine.allowed_cpus.data(), machine.allowed_cpus.size());
    std::sort(machine.allowed_cpus.begin(), machine.allowed_cpus.end());
    machine.thp_available = weft_thp_available();
    machine.memory_available_bytes = weft_memory_available_bytes();
    return machine;
}

} // namespace weft
