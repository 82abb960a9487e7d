/* SPDX-License-Identifier: MIT */
#include "cell_error.h"

#include "interrupt.h"

extern "C" {
#include "machine/memory_limits.h"
}

namespace weft
{

void check(weft_status status, const std::string &what)
{
    if (status != WEFT_OK)
        throw CellError{(what.empty() ? "" : what + ": ") + weft_status_str(status)};
}

void check_stacks(std::uint64_t fibers, std::uint64_t bytes)
{
    const std::uint64_t available_bytes = weft_memory_available_bytes();

    if (bytes > available_bytes)
        throw CellError{std::to_string(fibers) + " fibers touch " + std::to_string(bytes >> 20) +
                        " MiB of stacks, " + std::to_string(available_bytes >> 20) +
                        " MiB are available"};
}

void check_interrupted()
{
    if (interrupted())
        check(WEFT_E_INTERRUPTED);
}

void check_residency(const weft_residency &residency, const std::string &what, weft_pages pages)
{
    if (!residency.known || residency.share >= WEFT_RESIDENCY_SHARE_MIN)
        return;
    throw CellError{"only " + std::to_string(residency.share) + " of " + what + " lies in " +
                    weft_pages_name(pages) + " pages; a cell needs " +
                    std::to_string(WEFT_RESIDENCY_SHARE_MIN)};
}

} // namespace weft
