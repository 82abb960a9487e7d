/* SPDX-License-Identifier: MIT */
#include "session.h"

namespace weft
{

Session::Session(const Flags &parsed)
    : flags(parsed), fixtures(parsed.memory_bytes, parsed.seed, parsed.oversubscribe)
{
}

void fail(Session &session, benchmark::State &state, const std::string &reason)
{
    ++session.failed_entries;
    state.SkipWithError(reason.c_str());
}

} // namespace weft
